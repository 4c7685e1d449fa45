import { isJsonObject, type Json, type JsonObject, readJsonObject } from "../../../domain/json.ts";
import type { NewEntry } from "../../../domain/transcript/entry.ts";
import { jsonLines, objectOf, textFields, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { askedOf, type CodexMemory, type Pending, pendingRequests } from "../memory.ts";
import { requestSignal, type Turn, turnOverSignal, workingSignal } from "../signals.ts";
import { noteThreadUsage, threadTotals } from "../thread-totals.ts";
import { parseItemDone, parseItemStarted } from "./items.ts";
import { answerId, OPENING_ID, requestIdOf, textOfId } from "./protocol.ts";
import { requestOf } from "./requests.ts";

const TURNS: Readonly<Record<string, Turn>> = {
  completed: "good",
  interrupted: "aborted",
  failed: "failed",
};

/** One message of the app server: an answer to us, a request of its own, or a notification. */
export function parseStream(text: string, memory: CodexMemory): Parsed<CodexMemory> {
  const line = readJsonObject(text);
  if (line === undefined) return {};
  const params = objectOf(line.params);
  if (typeof line.method !== "string") return parseAnswer(line);
  if (line.id !== undefined) return parseRequest(line.id, line.method, params, memory);
  return parseNotification(line.method, params, memory);
}

function parseAnswer({ id, result, error }: JsonObject): Parsed<CodexMemory> {
  if (isJsonObject(error)) return parseError(id, textOf(error.message) ?? "no reason was given");
  const text = textOfId(id);
  if (text !== undefined) return { taken: [text] };
  if (id !== OPENING_ID || !isJsonObject(result)) return {};
  const { id: nativeId, path, cliVersion } = objectOf(result.thread);
  if (typeof nativeId !== "string") return {};
  return {
    identity: textFields({ nativeId, model: result.model, agentVersion: cliVersion }),
    ...textFields({ transcript: path }),
    memory: { thread: nativeId, ...textFields({ model: result.model }) },
    signal: { source: "protocol", rule: "thread_opened", excerpt: null, says: "ready" },
  };
}

/** A conversation that cannot be opened accepts no text, and so its first turn fails. */
function parseError(id: Json | undefined, why: string): Parsed<CodexMemory> {
  const entries = [noticeEntry(why)];
  if (id === OPENING_ID)
    return {
      signal: { source: "protocol", rule: "thread_refused", excerpt: why, says: "ready" },
      entries,
    };
  if (textOfId(id) === undefined) return {};
  return { signal: turnOverSignal({ source: "protocol", rule: "turn_refused" }, "failed", why), entries };
}

const MOST_PENDING = 100;
const TOO_MANY = { code: -32000, message: "Too much is asked for at once." };

/** A request that is not for a person needs an answer of ours, or it would wait for ever. */
function parseRequest(
  id: Json,
  method: string,
  params: JsonObject,
  memory: CodexMemory,
): Parsed<CodexMemory> {
  const request = requestOf(method, params, memory);
  const requestId = requestIdOf(id, params);
  if (!request || answerId(requestId) === undefined) {
    const error = { code: -32601, message: `Rollcall does not answer ${method}.` };
    return { reply: jsonLines({ id, error }) };
  }
  const pending = pendingRequests(memory);
  if (pending.length >= MOST_PENDING) return { reply: jsonLines({ id, error: TOO_MANY }) };
  return askFirst([...pending, { ...request, requestId }]);
}

function parseNotification(method: string, params: JsonObject, memory: CodexMemory): Parsed<CodexMemory> {
  if (method === "serverRequest/resolved") return parseResolved(params, memory);
  if (params.threadId !== memory.thread) return parseOtherThread(params, memory);
  const turn = objectOf(params.turn);
  switch (method) {
    case "thread/status/changed":
      return parseStatus(objectOf(params.status), memory);
    case "turn/started":
      return parseTurnStarted(turn);
    case "thread/tokenUsage/updated":
      return { memory: noteThreadUsage(params, memory) };
    case "turn/completed":
      return withTotals(parseTurnCompleted(turn), memory);
    case "item/started":
      return parseItemStarted(objectOf(params.item), memory);
    case "item/completed":
      return withTurnOf(parseItemDone(objectOf(params.item)), textOf(params.turnId), memory);
    default:
      return {};
  }
}

/** A sub-agent is a thread of its own. */
function parseOtherThread({ threadId }: JsonObject, { thread }: CodexMemory): Parsed<CodexMemory> {
  const isChild = typeof thread === "string" && typeof threadId === "string" && threadId !== "";
  return isChild ? { child: { nativeId: threadId } } : {};
}

/** The end of a turn is not parsed here: `turn/completed` follows in a moment, and says how it went. */
function parseStatus({ type, activeFlags }: JsonObject, memory: CodexMemory): Parsed<CodexMemory> {
  const isWaiting = Array.isArray(activeFlags) && activeFlags.length > 0;
  if (type !== "active" || isWaiting || pendingRequests(memory).length > 0) return {};
  return { signal: workingSignal({ source: "protocol", rule: "status_active" }) };
}

function parseTurnStarted({ id }: JsonObject): Parsed<CodexMemory> {
  const signal = workingSignal({ source: "protocol", rule: "turn_started" });
  return { signal, memory: { pending: [], changes: {}, ...textFields({ turnId: id }) } };
}

/** A turn begins with its first text; the others were given in mid-turn. */
function withTurnOf(
  parsed: Parsed<CodexMemory>,
  turnId: string | null,
  memory: CodexMemory,
): Parsed<CodexMemory> {
  const isFirst = parsed.taken !== undefined && turnId !== null && turnId !== memory.textTurnId;
  return isFirst ? { ...parsed, turn: { isBegun: true }, memory: { textTurnId: turnId } } : parsed;
}

function parseTurnCompleted({ status, error }: JsonObject): Parsed<CodexMemory> {
  const word = textOf(status) ?? "";
  const turn = Object.hasOwn(TURNS, word) ? TURNS[word] : undefined;
  if (turn === undefined) return {};
  const why = textOf(objectOf(error).message);
  return {
    signal: turnOverSignal({ source: "protocol", rule: "turn_completed" }, turn, why),
    ...(why === null ? {} : { entries: [noticeEntry(why)] }),
    memory: { pending: [] },
  };
}

function withTotals(parsed: Parsed<CodexMemory>, memory: CodexMemory): Parsed<CodexMemory> {
  const { memory: noted, ...totals } = threadTotals("stream", memory);
  return { ...parsed, ...totals, memory: { ...parsed.memory, ...noted } };
}

/** Others may be open meanwhile; its status shows that it works on. */
function parseResolved({ requestId: id }: JsonObject, memory: CodexMemory): Parsed<CodexMemory> {
  const rest = pendingRequests(memory).filter(({ requestId }) => answerId(requestId) !== id);
  return rest.length === 0 ? { memory: { pending: rest } } : askFirst(rest);
}

function askFirst(pending: readonly Pending[]): Parsed<CodexMemory> {
  const [first] = pending;
  const signal = requestSignal({ source: "protocol", rule: "request_approval" }, first ? askedOf(first) : {});
  return { signal, memory: { pending } };
}

function noticeEntry(text: string): NewEntry {
  return { role: "system", kind: "notice", text, tool: null };
}
