import { isJsonObject, type JsonObject, readJsonObject } from "../../../domain/json.ts";
import { jsonLines, listOf, objectOf, textFields, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { blocksOf } from "../content.ts";
import {
  allowRules,
  type ClaudeMemory,
  type Pending,
  pendingRequests,
  type StreamResult,
} from "../memory.ts";
import { resultTotals } from "../model-usage.ts";
import { requestOf } from "../requests.ts";
import { readySignal, requestSignal, turnOverSignal, workingSignal } from "../signals.ts";
import { denyLine, INITIALIZE, notOfferedLine } from "./protocol.ts";

/** One line of standard output: states, requests and totals. Entries and usage are in the transcript. */
export function parseStream(text: string, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const line = readJsonObject(text);
  switch (line?.type) {
    case "control_response":
      return parseResponse(objectOf(line.response), memory);
    case "control_request":
      return parseRequest(line, memory);
    case "control_cancel_request":
      return settle(memory, ({ requestId }) => requestId === line.request_id);
    case "system":
      return parseSystem(line, memory);
    case "user":
      return parseToolResults(line, memory);
    case "result":
      return parseResult(line, memory);
    default:
      return {};
  }
}

/** The answer to our first line, or our own answer to a request, repeated. */
function parseResponse(
  { request_id, subtype, response }: JsonObject,
  memory: ClaudeMemory,
): Parsed<ClaudeMemory> {
  if (request_id !== INITIALIZE) return settleByAnswer(memory, ({ requestId }) => requestId === request_id);
  if (subtype !== "success") return {};
  const version = textOf(objectOf(response).claude_code_version);
  return {
    signal: readySignal("stream", "stream_initialized"),
    ...(version === null ? {} : { identity: { agentVersion: version } }),
  };
}

function parseRequest({ request_id, request }: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const { subtype, tool_name, tool_use_id, input, permission_suggestions } = objectOf(request);
  if (typeof request_id !== "string") return {};
  if (subtype !== "can_use_tool" || typeof tool_name !== "string" || !isJsonObject(input))
    return { reply: jsonLines(notOfferedLine(request_id)) };
  const pending = pendingRequests(memory);
  if (pending.some(({ requestId }) => requestId === request_id)) return {};
  if (!hasRoom(pending, input)) return { reply: jsonLines(denyLine(request_id, TOO_MANY)) };
  const rules = allowRules(permission_suggestions);
  const asked = { requestId: request_id, tool: tool_name, input, callId: textOf(tool_use_id), rules };
  // Requests of sub-agents may be open at the same time: the oldest is asked for first.
  return { ...(pending.length === 0 ? ask(asked) : {}), memory: { pending: [...pending, asked] } };
}

/** Its input is given back with the answer, and is kept whole until then. */
function hasRoom(pending: readonly Pending[], input: JsonObject): boolean {
  if (pending.length === 0) return true;
  const chars = JSON.stringify(pending).length + JSON.stringify(input).length;
  return pending.length < MOST_PENDING && chars <= MOST_PENDING_CHARS;
}

const MOST_PENDING = 100;
const MOST_PENDING_CHARS = 16 * 1024 * 1024;
const TOO_MANY = "Too much is asked for at once; ask again later.";

function ask(pending: Pending): Parsed<ClaudeMemory> {
  const asked = requestOf(pending, pending.requestId);
  return { signal: requestSignal("stream", "stream_request", asked, asked.question ?? asked.tool) };
}

/** Removes a request that was answered or withdrawn, or whose result is there, and asks for the next one. */
function settle(memory: ClaudeMemory, isIt: (pending: Pending) => boolean): Parsed<ClaudeMemory> {
  const pending = pendingRequests(memory);
  const rest = pending.filter((one) => !isIt(one));
  if (rest.length === pending.length) return {};
  const [next] = rest;
  return { ...(next && next !== pending[0] ? ask(next) : {}), memory: { pending: rest } };
}

/** The same for an answer: with no other request open, it works on. */
function settleByAnswer(memory: ClaudeMemory, isIt: (pending: Pending) => boolean): Parsed<ClaudeMemory> {
  const parsed = settle(memory, isIt);
  if (parsed.memory?.pending?.length !== 0) return parsed;
  return { ...parsed, signal: workingSignal("stream", "stream_answered") };
}

function parseSystem(line: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  switch (line.subtype) {
    case "session_state_changed":
      return parseState(line.state, memory);
    case "init":
      return parseInit(line, memory);
    case "background_tasks_changed":
      return { memory: { hasTasks: listOf(line.tasks).length > 0 } };
    default:
      return {};
  }
}

/** Its own state, which also counts sub-agents in the background. */
function parseState(state: JsonObject[string] | undefined, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const known: ClaudeMemory = { hasStates: true, pending: [] };
  if (state === "running") return { signal: workingSignal("stream", "stream_running"), memory: known };
  if (state !== "idle") return { memory: { hasStates: true } };
  const signal = restSignal(streamResult(memory), "stream_idle");
  return { signal, memory: { ...known, streamResult: null } };
}

function restSignal(result: StreamResult | null, rule: string) {
  if (result === null) return readySignal("stream", rule);
  return turnOverSignal("stream", rule, result.turn, result.error);
}

function streamResult(memory: ClaudeMemory): StreamResult | null {
  const { turn, error } = objectOf(memory.streamResult);
  return turn === "good" || turn === "failed" || turn === "aborted" ? { turn, error: textOf(error) } : null;
}

/** Each turn begins with it; in a release without states nothing else shows that. */
function parseInit(line: JsonObject, { hasStates }: ClaudeMemory): Parsed<ClaudeMemory> {
  const { session_id: nativeId, model, claude_code_version: agentVersion } = line;
  return {
    ...(hasStates === true ? {} : { signal: workingSignal("stream", "stream_init") }),
    identity: textFields({ nativeId, model, agentVersion }),
  };
}

function parseToolResults({ message }: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const ids = blocksOf(objectOf(message).content).map(({ tool_use_id }) => tool_use_id);
  return settleByAnswer(memory, ({ callId }) => callId !== null && ids.includes(callId));
}

/** The subtype of an error is `success`, too: only `is_error` counts. */
function parseResult(line: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const isAborted = textOf(line.terminal_reason)?.startsWith("aborted") === true;
  const turn = line.is_error !== true ? "good" : isAborted ? "aborted" : "failed";
  const error = turn === "failed" ? (textOf(line.result) ?? textOf(listOf(line.errors)[0])) || null : null;
  const result = { turn, error } as const;
  const isMore = memory.hasStates === true || memory.hasTasks === true || pendingRequests(memory).length > 0;
  const totals = resultTotals(line);
  if (isMore) return { ...totals, memory: { streamResult: result } };
  return { ...totals, signal: restSignal(result, "stream_result"), memory: { streamResult: null } };
}
