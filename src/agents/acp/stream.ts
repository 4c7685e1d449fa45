import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import { objectOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import type { AcpMemory } from "./memory.ts";
import { parseInitialized, parseModelChosen, parseOpened } from "./opening.ts";
import { INITIALIZE, isPromptId, MODEL, OPEN, SETTLE } from "./protocol.ts";
import { holdReady, parseReplayed, parseSettled, withReplay } from "./replay.ts";
import { parseRequest, parseWithdrawn } from "./requests.ts";
import { parsePromptAnswer } from "./turn-over.ts";
import { parseUpdate } from "./updates.ts";

/** Additions of one agent to the protocol. */
export interface Dialect {
  /** Whether this update shows that the turn has failed; for an agent whose answer would not say so. */
  showsFailure?(update: JsonObject): boolean;
  /** Its requests are counted from its own transcript: what it says of a turn stands beside that. */
  readonly besideTranscript?: { readonly countsSubagents: boolean };
  /** It answers `session/load` before it has repeated the old conversation. */
  readonly repeatsBehindLoad?: true;
}

/** One message of the agent: an answer to us, a request of its own, or a notification. */
export function parseStream(text: string, memory: AcpMemory, dialect: Dialect = {}): Parsed<AcpMemory> {
  const message = readJsonObject(text);
  if (message === undefined) return {};
  const { id, method } = message;
  const params = objectOf(message.params);
  if (typeof method !== "string") return parseAnswer(message, memory, dialect);
  if (id !== undefined && id !== null) return parseRequest(id, method, params, memory);
  return parseNotification(method, params, memory, dialect);
}

function parseAnswer(message: JsonObject, memory: AcpMemory, dialect: Dialect): Parsed<AcpMemory> {
  const { id } = message;
  if (isPromptId(id)) return parsePromptAnswer(message, memory, dialect);
  if (id === MODEL) return holdReady(parseModelChosen(message, memory), memory);
  if (id === SETTLE) return parseSettled(memory);
  // Asked for twice by a daemon that was killed in between, or told again by the agent: the first one stays.
  if (memory.session !== undefined) return {};
  if (id === INITIALIZE) return parseInitialized(message, memory);
  if (id !== OPEN || memory.opening === undefined) return {};
  const opened = parseOpened(message, memory);
  const isLoaded = memory.opening === "session/load" && opened.memory?.session !== undefined;
  return isLoaded && dialect.repeatsBehindLoad ? holdReady(withReplay(opened, message), memory) : opened;
}

function parseNotification(
  method: string,
  params: JsonObject,
  memory: AcpMemory,
  { showsFailure }: Dialect,
): Parsed<AcpMemory> {
  if (method === "$/cancel_request") return parseWithdrawn(params, memory);
  // Before the conversation is open, an agent that loads it repeats what is old.
  const isOwn = typeof memory.session === "string" && params.sessionId === memory.session;
  if (method !== "session/update" || !isOwn) return {};
  const update = objectOf(params.update);
  const replayed = parseReplayed(update.sessionUpdate, memory);
  if (replayed !== undefined) return replayed;
  const parsed = parseUpdate(update, memory);
  return showsFailure?.(update) ? { ...parsed, memory: { ...parsed.memory, hasFailed: true } } : parsed;
}
