import type { Json, JsonObject } from "../../../domain/json.ts";
import type { EntryTool, NewEntry } from "../../../domain/transcript/entry.ts";
import { objectOf, textOf } from "../../json-lines.ts";

/** An entry of a part, with a key: the call of a tool and its result are two entries of one part. */
export interface PartEntry {
  readonly key: string;
  readonly entry: NewEntry;
}

/** The entries of a part as it stands; a part that the model is still writing has none. */
export function entriesOfPart(part: JsonObject, role: "user" | "assistant"): readonly PartEntry[] {
  const { id, type } = part;
  if (typeof id !== "string") return [];
  if (type === "text") return textEntries(id, part, role);
  if (type === "reasoning") return isDone(part) ? withText(id, "assistant", "thinking", part.text) : [];
  return type === "tool" ? toolEntries(id, part) : [];
}

/** OpenCode adds texts of its own to those of a person. */
function textEntries(id: string, part: JsonObject, role: "user" | "assistant"): readonly PartEntry[] {
  if (part.synthetic === true || part.ignored === true) return [];
  return role === "user" || isDone(part) ? withText(id, role, "text", part.text) : [];
}

function isDone({ time }: JsonObject): boolean {
  return typeof objectOf(time).end === "number";
}

function withText(
  key: string,
  role: NewEntry["role"],
  kind: "text" | "thinking",
  value: Json | undefined,
): readonly PartEntry[] {
  const text = textOf(value) ?? "";
  return text.trim() === "" ? [] : [{ key, entry: { role, kind, text, tool: null } }];
}

/** The parameters are known once it runs. */
function toolEntries(id: string, part: JsonObject): readonly PartEntry[] {
  const state = objectOf(part.state);
  const { status } = state;
  if (status !== "running" && status !== "completed" && status !== "error") return [];
  const named = { name: textOf(part.tool) ?? "", ...callIdOf(part) };
  const call: EntryTool = { ...named, params: objectOf(state.input) };
  const called = {
    key: id,
    entry: { role: "assistant", kind: "tool_call", text: null, tool: call },
  } as const;
  if (status === "running") return [called];
  const result: EntryTool = { ...named, ...resultOf(part, state) };
  const entry = { role: "tool", kind: "tool_result", text: null, tool: result } as const;
  return [called, { key: `${id}:result`, entry }];
}

function callIdOf({ callID }: JsonObject): { callId?: string } {
  return typeof callID === "string" ? { callId: callID } : {};
}

/** A command that failed is `completed`, and so is a call of a tool that there is not. */
function resultOf({ tool }: JsonObject, state: JsonObject): Pick<EntryTool, "result" | "isError"> {
  const { exit } = objectOf(state.metadata);
  const hasFailed =
    state.status === "error" || tool === "invalid" || (typeof exit === "number" && exit !== 0);
  const result = textOf(state.output) ?? textOf(state.error);
  return { result, ...(hasFailed ? { isError: true } : {}) };
}
