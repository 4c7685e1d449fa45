import type { Json, JsonObject } from "../../domain/json.ts";
import { jsonLines, objectOf, textOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import { type AcpMemory, isReplaying } from "./memory.ts";
import { request, SETTLE } from "./protocol.ts";
import { readySignal } from "./signals.ts";

const WORDS: ReadonlySet<Json | undefined> = new Set([
  ...["user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update"],
]);

/** The conversation was loaded, and its old words may still come. */
export function withReplay(opened: Parsed<AcpMemory>, { result }: JsonObject): Parsed<AcpMemory> {
  const modeId = objectOf(objectOf(result).modes).currentModeId ?? null;
  return { ...opened, memory: { ...opened.memory, replay: { modeId, isHeard: true } } };
}

/**
 * For an agent that answers a load before it has repeated the old conversation: nothing else shows where the new one
 * begins. A request that changes nothing is made again and again, until no old word has come between two answers.
 */
export function holdReady(parsed: Parsed<AcpMemory>, memory: AcpMemory): Parsed<AcpMemory> {
  const known = { ...memory, ...parsed.memory };
  // The choice of a model comes first.
  if (!isReplaying(known) || parsed.signal === undefined) return parsed;
  const { signal: _, ...held } = parsed;
  const { memory: listening, ...asked } = askAgain(known);
  return { ...held, ...asked, memory: { ...held.memory, ...listening } };
}

/** An update while old words may still come; undefined where none may. */
export function parseReplayed(update: Json | undefined, memory: AcpMemory): Parsed<AcpMemory> | undefined {
  if (!isReplaying(memory)) return undefined;
  return WORDS.has(update) ? { memory: { replay: { ...objectOf(memory.replay), isHeard: true } } } : {};
}

/** The answer to the request that changes nothing. */
export function parseSettled(memory: AcpMemory): Parsed<AcpMemory> {
  if (!isReplaying(memory)) return {};
  if (objectOf(memory.replay).isHeard === true) return askAgain(memory);
  return { memory: { replay: null }, signal: readySignal("session_loaded") };
}

/** Sets the mode of the agent to the one that it has. */
function askAgain({ session, replay }: AcpMemory) {
  const { modeId } = objectOf(replay);
  const params = { sessionId: textOf(session) ?? "", modeId: textOf(modeId) ?? "default" };
  return {
    reply: jsonLines(request(SETTLE, "session/set_mode", params)),
    memory: { replay: { ...objectOf(replay), isHeard: false } },
  };
}
