import { type JsonObject, readJsonObject } from "../../../domain/json.ts";
import { shortParams } from "../../../domain/short-value.ts";
import { type Instant, parseInstant } from "../../../domain/time.ts";
import type { NewEntry } from "../../../domain/transcript/entry.ts";
import { MOST_OPEN, objectOf, textFields, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { joinTexts } from "../content.ts";
import { type CodexMemory, openCalls } from "../memory.ts";
import { type Turn, turnOverSignal, workingSignal } from "../signals.ts";
import { noteRolloutUsage, threadTotals } from "../thread-totals.ts";
import { hasFailed, parseCall } from "./calls.ts";
import { unknownIn } from "./record-types.ts";
import { withReverts } from "./reverts.ts";
import { parseSettings, withTier } from "./service-tier.ts";
import { parseTokenCount } from "./token-count.ts";
import { usageOf } from "./usage.ts";

/** The name of a rollout ends in the id of its conversation; one that was reverted has an id of its own behind it. */
const NAME = /^rollout-.+-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:_([\da-f-]+))?\.jsonl$/;

export function identityInName(name: string): Parsed["identity"] | undefined {
  const nativeId = NAME.exec(name)?.[1];
  return nativeId === undefined ? undefined : { nativeId };
}

/** The id of the rollout itself: that of its conversation, unless it was reverted. */
export function rolloutIdInName(name: string): string | undefined {
  const [, nativeId, rollout = nativeId] = NAME.exec(name) ?? [];
  return rollout;
}

/** Sub-agents run in the process of the session that they help, each with a rollout of its own. */
export function isOwnRollout(firstLine: string): boolean {
  const { type, payload } = readJsonObject(firstLine) ?? {};
  const { thread_source: source = "user", parent_thread_id: parent = null } = objectOf(payload);
  return type === "session_meta" && source === "user" && parent === null;
}

/** One line of the rollout. */
export function parseRollout(text: string, memory: CodexMemory): Parsed<CodexMemory> {
  const record = readJsonObject(text);
  return record === undefined ? {} : { ...parseRolloutRecord(record, memory), ...unknownIn(record) };
}

/** The same of a record that was read before. */
export function parseRolloutRecord(record: JsonObject, memory: CodexMemory): Parsed<CodexMemory> {
  const line = lineOf(record);
  if (line === undefined) return {};
  const { at, type, payload } = line;
  const parsed = { at, ...(parseUsage(line, memory) ?? parsePayload(type, payload, memory)) };
  return withReverts(parsed, record, memory);
}

/** One line of the rollout beside a stream, which has all but the usage. */
export function parseRolloutUsage(text: string, memory: CodexMemory): Parsed<CodexMemory> {
  const record = readJsonObject(text);
  const line = record && lineOf(record);
  return line === undefined ? {} : { at: line.at, ...parseUsage(line, memory) };
}

/** The usage alone of a record that was read before. */
export function parseUsageRecord(record: JsonObject, memory: CodexMemory): Parsed<CodexMemory> {
  const line = lineOf(record);
  return (line && parseUsage(line, memory)) ?? {};
}

interface Line {
  readonly at: Instant;
  readonly type: unknown;
  readonly payload: JsonObject;
}

function lineOf(record: JsonObject): Line | undefined {
  const at = parseInstant(textOf(record.timestamp) ?? "");
  return at === undefined ? undefined : { at, type: record.type, payload: objectOf(record.payload) };
}

/** The usage, with the model and the service tier that it counts for; undefined for any other line. */
function parseUsage({ at, type, payload }: Line, memory: CodexMemory): Parsed<CodexMemory> | undefined {
  if (type === "turn_context") return parseTurnContext(payload, memory);
  if (type === "token_usage_record") return withTier(parseRequest(payload, at, memory), memory);
  if (type !== "event_msg") return undefined;
  if (payload.type === "thread_settings_applied") return parseSettings(payload);
  return payload.type === "token_count" ? withTier(parseTokenCount(payload, at, memory), memory) : undefined;
}

function parseRequest(payload: JsonObject, at: Instant, memory: CodexMemory): Parsed<CodexMemory> {
  const usage = usageOf(payload, at, textOf(memory.model));
  return usage ? { usage: [usage], memory: { hasRequests: true, ...noteRolloutUsage(payload) } } : {};
}

/** A context that repeats its turn leaves the tier of the turn alone. */
function parseTurnContext({ model, turn_id: turn }: JsonObject, memory: CodexMemory): Parsed<CodexMemory> {
  const isNew = turn !== memory.countedTurn;
  return {
    ...(typeof model === "string" ? { identity: { model } } : {}),
    memory: { ...textFields({ model, countedTurn: turn }), ...(isNew ? { turnTier: null } : {}) },
  };
}

function parsePayload(type: unknown, payload: JsonObject, memory: CodexMemory): Parsed<CodexMemory> {
  if (type === "session_meta")
    return { identity: textFields({ nativeId: payload.id, agentVersion: payload.cli_version }) };
  if (type === "event_msg") return parseEvent(payload, memory);
  return type === "response_item" ? parseResponseItem(payload, memory) : {};
}

function parseEvent(payload: JsonObject, memory: CodexMemory): Parsed<CodexMemory> {
  switch (payload.type) {
    case "task_started":
    case "turn_started":
      return {
        signal: workingSignal({ source: "transcript", rule: "rollout_task_started" }),
        turn: { isBegun: true },
        memory: { isTurnOpen: true, namesTurns: true, calls: [] },
      };
    case "task_complete":
    case "turn_complete":
      return withTotals(parseTaskComplete(payload), memory);
    case "turn_aborted":
      return withTotals(turnOver("rollout_turn_aborted", "aborted", textOf(payload.reason)), memory);
    case "item_completed":
      return parseItem(objectOf(payload.item));
    case "user_message":
      return parseUserMessage(payload, memory);
    case "agent_message":
      return withText("assistant", "text", textOf(payload.message) ?? "");
    case "agent_reasoning":
      return withText("assistant", "thinking", textOf(payload.text) ?? "");
    default:
      return {};
  }
}

/** Releases before 0.166 wrote texts as events. The oldest said nothing else of where a turn begins. */
function parseUserMessage({ message }: JsonObject, memory: CodexMemory): Parsed<CodexMemory> {
  const parsed = withText("user", "text", textOf(message) ?? "");
  return memory.namesTurns === true ? parsed : { ...parsed, turn: { isBegun: true } };
}

function parseTaskComplete({ error }: JsonObject): Parsed<CodexMemory> {
  const why = textOf(objectOf(error).message);
  const turn = error === undefined || error === null ? "good" : "failed";
  const entry: NewEntry = { role: "system", kind: "notice", text: why, tool: null };
  return {
    ...turnOver("rollout_task_complete", turn, why),
    ...(why === null ? {} : { entries: [entry] }),
  };
}

/** The end of a turn is believed in any case: reports may leave it out. */
function turnOver(rule: string, turn: Turn, excerpt: string | null): Parsed<CodexMemory> {
  const signal = turnOverSignal({ source: "transcript", rule }, turn, excerpt);
  return {
    signal: { ...signal, fillsGap: true },
    isTurnRead: true,
    turn: { over: { result: turn, why: turn === "failed" ? excerpt : null } },
    memory: { isTurnOpen: false },
  };
}

function withTotals(parsed: Parsed<CodexMemory>, memory: CodexMemory): Parsed<CodexMemory> {
  const { memory: noted, ...totals } = threadTotals("transcript", memory);
  return { ...parsed, ...totals, memory: { ...parsed.memory, ...noted } };
}

function parseItem(item: JsonObject): Parsed<CodexMemory> {
  switch (item.type) {
    case "UserMessage":
      return withText("user", "text", joinTexts(item.content));
    case "AgentMessage":
      return withText("assistant", "text", joinTexts(item.content));
    case "Reasoning":
      return withText("assistant", "thinking", joinTexts(item.summary_text) || joinTexts(item.raw_content));
    default:
      return {};
  }
}

function withText(role: "user" | "assistant", kind: "text" | "thinking", text: string): Parsed<CodexMemory> {
  if (text === "") return {};
  return { entries: [{ role, kind, text, tool: null }], ...(role === "user" ? { taken: [text] } : {}) };
}

function parseResponseItem(payload: JsonObject, memory: CodexMemory): Parsed<CodexMemory> {
  const call = parseCall(payload);
  if (call) {
    const tool = { name: call.name, callId: call.id, params: call.input };
    return {
      entries: [{ role: "assistant", kind: "tool_call", text: null, tool }],
      memory: {
        calls: [...openCalls(memory), { ...call, input: shortParams(call.input) }].slice(-MOST_OPEN),
      },
    };
  }
  const { type, call_id: id, output } = payload;
  const isResult = type === "function_call_output" || type === "custom_tool_call_output";
  return isResult && typeof id === "string" ? parseCallResult(id, joinTexts(output), memory) : {};
}

/** A script with more than one output answers the same call again. */
function parseCallResult(id: string, result: string, memory: CodexMemory): Parsed<CodexMemory> {
  const calls = openCalls(memory);
  const name = calls.find((call) => call.id === id)?.name ?? "tool";
  return {
    entries: [
      {
        role: "tool",
        kind: "tool_result",
        text: null,
        tool: { name, callId: id, result, ...(hasFailed(result) ? { isError: true } : {}) },
      },
    ],
    memory: { calls: calls.filter((call) => call.id !== id) },
  };
}
