import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { shortText } from "../../domain/short-value.ts";
import type { NewEntry } from "../../domain/transcript/entry.ts";
import { idOf, listOf, objectOf, textOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import { toolContent } from "./content.ts";
import { type AcpMemory, type Call, callOf, pendingRequests } from "./memory.ts";
import { behindPart } from "./parts.ts";
import { afterAnswer } from "./signals.ts";

/** Far more than any agent makes side by side. */
const MOST_CALLS = 100;
/** The memory is written again with each piece: a single large call is kept in it, many are not. */
const MOST_CALL_CHARS = 256 * 1024;
const MOST_CALLS_CHARS = 1024 * 1024;
const MOST_NAME_CHARS = 200;
const MOST_TITLE_CHARS = 4096;
/** Limits the calls of a turn. Older ones are told twice if the agent ends them twice. */
const MOST_DONE = 1000;

/**
 * A tool call that begins, or more of one that is known. It has an entry once its parameters are known, and another one
 * with its result; agents tell both in several pieces.
 */
export function parseToolCall(update: JsonObject, memory: AcpMemory): Parsed<AcpMemory> {
  const id = idOf(update.toolCallId);
  if (id === null || listOf(memory.done).includes(id)) return {};
  const { status, rawInput } = update;
  const known = callOf(memory, id);
  const isOver = status === "completed" || status === "failed";
  const call = mergeCall(known, update);
  const isWhole = isOver || status === "in_progress" || (known !== undefined && hasParams(rawInput));
  // Parameters that are not kept are told while they are there.
  const tells = !call.isTold && (isWhole || (hasParams(call.input) && !isKept(memory, id, call)));
  const entries = [
    ...(tells ? [callEntry(id, call)] : []),
    ...(isOver ? [resultEntry(id, call, update)] : []),
  ];
  const later = isOver
    ? overMemory(memory, id)
    : rememberCall(memory, id, { ...call, isTold: call.isTold || tells });
  if (entries.length === 0) return { memory: later };
  return settle(memory, id, isOver, behindPart(memory, { entries, memory: later }));
}

/** The call of a permission: its parameters are known now. */
export function tellCall(toolCall: JsonObject, memory: AcpMemory): Parsed<AcpMemory> {
  const id = idOf(toolCall.toolCallId) ?? "";
  const call = mergeCall(callOf(memory, id), toolCall);
  const later = rememberCall(memory, id, { ...call, isTold: true });
  if (call.isTold) return { memory: later };
  return behindPart(memory, { entries: [callEntry(id, call)], memory: later });
}

/** The calls that were never told, at the end of a turn. */
export function untoldCalls(memory: AcpMemory): NewEntry[] {
  return Object.keys(objectOf(memory.calls)).flatMap((id) => {
    const call = callOf(memory, id);
    return call === undefined || call.isTold ? [] : [callEntry(id, call)];
  });
}

export function mergeCall(known: Call | undefined, update: JsonObject): Call {
  const { name, kind, title, rawInput, content } = update;
  return {
    name: shortText(textOf(name) ?? known?.name ?? textOf(kind) ?? "other", MOST_NAME_CHARS),
    title: shortText(textOf(title) ?? known?.title ?? "", MOST_TITLE_CHARS),
    input: hasParams(rawInput) ? paramsOf(rawInput) : (known?.input ?? {}),
    // A later list replaces the one before it, also by nothing.
    output: Array.isArray(content) ? toolContent(content) : (known?.output ?? null),
    isTold: known?.isTold ?? false,
  };
}

/** The parameters of a call; where the agent tells none, what it says that the call does. */
export function callParams({ input, title }: Pick<Call, "input" | "title">): JsonObject {
  return Object.keys(input).length === 0 && title !== "" ? { title } : input;
}

function hasParams(rawInput: Json | undefined): rawInput is Json {
  if (rawInput === undefined || rawInput === null) return false;
  return !isJsonObject(rawInput) || Object.keys(rawInput).length > 0;
}

function paramsOf(rawInput: Json): JsonObject {
  return isJsonObject(rawInput) ? rawInput : { input: rawInput };
}

function callEntry(callId: string, call: Call): NewEntry {
  const tool = { name: call.name, callId, params: callParams(call) };
  return { role: "assistant", kind: "tool_call", text: null, tool };
}

function resultEntry(callId: string, call: Call, { rawOutput, status }: JsonObject): NewEntry {
  const result = rawOutput ?? call.output ?? null;
  const tool = {
    name: call.name,
    callId,
    result,
    ...(status === "failed" ? ({ isError: true } as const) : {}),
  };
  return { role: "tool", kind: "tool_result", text: null, tool };
}

/** An agent that ends none of its calls must not fill the memory: the oldest are forgotten, and what is large of one. */
function rememberCall(memory: AcpMemory, id: string, call: Call): AcpMemory {
  const kept: Call = isKept(memory, id, call) ? call : { ...call, input: {}, output: null };
  const { [id]: _, ...others } = objectOf(memory.calls);
  return { calls: Object.fromEntries([...Object.entries(others), [id, kept] as const].slice(-MOST_CALLS)) };
}

function isKept(memory: AcpMemory, id: string, call: Call): boolean {
  const chars = JSON.stringify(call).length;
  if (chars > MOST_CALL_CHARS) return false;
  const { [id]: _, ...others } = objectOf(memory.calls);
  const isAlone = Object.keys(others).length < MOST_CALLS_CHARS / MOST_CALL_CHARS;
  return isAlone || chars + JSON.stringify(others).length <= MOST_CALLS_CHARS;
}

function overMemory(memory: AcpMemory, id: string): AcpMemory {
  const { [id]: _, ...calls } = objectOf(memory.calls);
  const done = listOf(memory.done).filter((one) => typeof one === "string");
  return { calls, done: [...done, id].slice(-MOST_DONE) };
}

/** A call that has its result waits for nobody any more. */
function settle(
  memory: AcpMemory,
  callId: string,
  isOver: boolean,
  parsed: Parsed<AcpMemory>,
): Parsed<AcpMemory> {
  const pending = pendingRequests(memory);
  const rest = pending.filter((one) => one.callId !== callId);
  if (!isOver || rest.length === pending.length) return parsed;
  const after = afterAnswer(rest, "call_over", memory);
  return { ...parsed, ...after, memory: { ...parsed.memory, ...after.memory } };
}
