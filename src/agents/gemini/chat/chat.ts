import { isJsonObject, type Json, type JsonObject, readJsonObject } from "../../../domain/json.ts";
import { type Instant, parseInstant } from "../../../domain/time.ts";
import type { NewEntry } from "../../../domain/transcript/entry.ts";
import { listOf, objectOf, textOf } from "../../json-lines.ts";
import type { Parsed, TurnMark, TurnOver } from "../../parsed.ts";
import { isNamedFor } from "../home.ts";
import { answerOf, type GeminiMemory } from "../memory.ts";
import { readySignal, workingSignal } from "../signals.ts";
import { answerEntries, isOver, isResults, joinParts } from "./entries.ts";
import { unknownIn } from "./record-types.ts";
import { usageOf } from "./usage.ts";

/** It tells the model about the folder in the first message, and again whenever it begins a history anew. */
const CONTEXT = "<session_context>";
const CANCELLED = "Request cancelled.";

export function isContext(content: Json | undefined): boolean {
  return joinParts(content).startsWith(CONTEXT);
}

/** Whether a file that begins with this line is of a session, and not of one of its helpers. */
export function isOwnChat(firstLine: string, nativeId?: string): boolean {
  const { sessionId, kind = "main" } = readJsonObject(firstLine) ?? {};
  return typeof sessionId === "string" && kind === "main" && (nativeId ?? sessionId) === sessionId;
}

/** How the file of a conversation is found. The next start of any Gemini CLI may delete those of a resumed one. */
export const CHAT_FILE = { isNamedFor, isOwn: isOwnChat, mayBeDeleted: true } as const;

/** One line of the conversation on disk. */
export function parseChat(text: string, memory: GeminiMemory): Parsed<GeminiMemory> {
  const record = readJsonObject(text);
  return record === undefined ? {} : { ...parseChatRecord(record, memory), ...unknownIn(record) };
}

/** The same of a record that was read before: a message, a change of what stands above, or the head of the file. */
export function parseChatRecord(record: JsonObject, memory: GeminiMemory): Parsed<GeminiMemory> {
  const at = parseInstant(textOf(record.timestamp) ?? "");
  if (isJsonObject(record.$set)) return parseSet(record.$set, memory);
  if (record.$rewindTo !== undefined) return parseRewind(memory);
  if (at === undefined || typeof record.id !== "string") return {};
  return { at, ...parseMessage(record, record.id, at, memory) };
}

/** A list of all messages as they are now: whatever was written again before it is over. */
function parseSet({ messages }: JsonObject, { isRepeating }: GeminiMemory): Parsed<GeminiMemory> {
  return messages === undefined || isRepeating !== true ? {} : { memory: { isRepeating: false } };
}

/** A person went back: the turn is over, whatever becomes of its words. Its requests stay billed. */
function parseRewind(memory: GeminiMemory): Parsed<GeminiMemory> {
  const isOpen = memory.turn === "open" || memory.turn === "answered";
  const over = turnAtRest(memory) ?? { result: null, why: null };
  return { ...(isOpen ? { turn: { over } } : {}), memory: { turn: "over" } };
}

function parseMessage(
  message: JsonObject,
  id: string,
  at: Instant,
  memory: GeminiMemory,
): Parsed<GeminiMemory> {
  switch (message.type) {
    case "user":
      return parseUser(message, memory);
    case "gemini":
      return parseAnswer(message, id, at, memory);
    case "error":
      return parseOver("failed", joinParts(message.content), memory);
    case "info":
      return joinParts(message.content) === CANCELLED ? parseOver("aborted", null, memory) : {};
    default:
      return {};
  }
}

function parseUser({ content }: JsonObject, memory: GeminiMemory): Parsed<GeminiMemory> {
  const text = joinParts(content);
  // At the beginning nothing was said that could be written again.
  if (isContext(content)) return memory.turn === undefined ? {} : { memory: { isRepeating: true } };
  if (memory.isRepeating === true) return {};
  if (isResults(content)) return { memory: { turn: "open" } };
  if (text === "") return {};
  return {
    signal: workingSignal({ source: "transcript", rule: "chat_text" }),
    entries: [{ role: "user", kind: "text", text, tool: null }],
    taken: [text],
    turn: turnBegun(memory),
    memory: { turn: "open" },
  };
}

/** Nothing says that a turn went well but what follows the last answer. */
function turnBegun(memory: GeminiMemory): TurnMark {
  const over = turnAtRest(memory);
  return over === undefined ? { isBegun: true } : { over, isBegun: true };
}

/** How the open turn went, of a conversation that rests. */
export function turnAtRest({ turn }: GeminiMemory): TurnOver | undefined {
  return turn === "answered" ? { result: "good", why: null } : undefined;
}

/** An answer names its model; one that is written again for a new history does not. */
function parseAnswer(
  message: JsonObject,
  id: string,
  at: Instant,
  memory: GeminiMemory,
): Parsed<GeminiMemory> {
  const model = textOf(message.model);
  if (model === null) return {};
  const { entries, answer } = answerEntries(message, answerOf(memory, id));
  // The same request may stand in the file again: without an id it could count twice.
  const usage = isJsonObject(message.tokens) && id !== "" ? [usageOf(message.tokens, { id, at, model })] : [];
  const isLast = message.toolCalls === undefined;
  return {
    ...(model === memory.model ? {} : { identity: { model } }),
    ...(entries.length === 0 ? {} : { entries }),
    ...(usage.length === 0 ? {} : { usage }),
    // It may be: calls are written into it a moment later.
    ...(isLast ? { isTurnRead: true } : {}),
    ...doneChildren(message),
    memory: { answer, model, isRepeating: false, turn: isLast ? "answered" : "open" },
  };
}

/** The call of a sub-agent names it once it is over. */
function doneChildren({ toolCalls }: JsonObject): Pick<Parsed, "doneChildren"> {
  const calls = listOf(toolCalls).map(objectOf).filter(isOver);
  const done = calls.flatMap(({ agentId }) => textOf(agentId) ?? []);
  return done.length === 0 ? {} : { doneChildren: done };
}

/** The title says no more than that it is ready again. */
function parseOver(
  result: "failed" | "aborted",
  why: string | null,
  { turn }: GeminiMemory,
): Parsed<GeminiMemory> {
  const rule = result === "failed" ? "chat_error" : "chat_cancelled";
  const entry: NewEntry = { role: "system", kind: "notice", text: why, tool: null };
  return {
    signal: { ...readySignal({ source: "transcript", rule }, result, why), fillsGap: true },
    ...(why === null ? {} : { entries: [entry] }),
    ...(turn === "open" || turn === "answered" ? { turn: { over: { result, why } } } : {}),
    isTurnRead: true,
    memory: { turn: "over" },
  };
}

/** One line of the conversation beside a stream, which has the texts of the user and the turns. */
export function parseChatBeside(text: string, memory: GeminiMemory): Parsed<GeminiMemory> {
  const {
    signal: _,
    taken: __,
    turn: ___,
    isTurnRead: ____,
    entries = [],
    ...parsed
  } = parseChat(text, memory);
  const own = entries.filter(({ role }) => role === "assistant" || role === "tool");
  return own.length === 0 ? parsed : { ...parsed, entries: own };
}

/** Whether a file has nothing but heads, in whole lines. */
export function isEmptyChat(text: string): boolean {
  return text.split("\n").every((line) => !isWord(line));
}

/** Whether a line is a word of the conversation. */
export function isWord(line: string): boolean {
  return (parseChat(line, {}).entries ?? []).length > 0;
}
