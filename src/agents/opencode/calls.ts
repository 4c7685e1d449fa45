import type { Json, JsonObject } from "../../domain/json.ts";
import type { HttpCall } from "../deed.ts";
import { textOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import type { OpencodeMemory } from "./memory.ts";

// Calls of OpenCode's own server.

export function post(path: string, body: Json = {}): HttpCall {
  return { via: "http", method: "POST", path, body };
}

/** Any id, as one part of a path. */
export function pathPart(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}

/** Opens the conversation of this launch, once, whoever finds first that it can be: `session.created` tells its id. */
export function openConversation(memory: OpencodeMemory): Parsed<OpencodeMemory> {
  if (memory.isOpening === true) return {};
  const forkOf = textOf(memory.forkOf ?? undefined);
  const reply = forkOf === null ? post("/session") : post(`/session/${pathPart(forkOf)}/fork`);
  return { reply, memory: { isUp: true, isOpening: true } };
}

/** Shows a conversation at the terminal. */
export function showCall(native: string): HttpCall {
  return post("/tui/select-session", { sessionID: native });
}

/** As at its terminal, with the model and agent that are chosen there. */
export function promptCall(native: string, text: string, memory: OpencodeMemory): HttpCall {
  const model = modelOf(memory);
  const agent = textOf(memory.agent);
  return post(`/session/${pathPart(native)}/prompt_async`, {
    parts: [{ type: "text", text }],
    ...(model === undefined ? {} : { model }),
    ...(agent === null ? {} : { agent }),
  });
}

/** `provider/model`, cut as OpenCode cuts it. */
function modelOf(memory: OpencodeMemory): JsonObject | undefined {
  const model = textOf(memory.model);
  if (model === null) return undefined;
  const [providerID = "", ...rest] = model.split("/");
  return { providerID, modelID: rest.join("/") };
}
