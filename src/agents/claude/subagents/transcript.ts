import { isJsonObject, type JsonObject, readJsonObject } from "../../../domain/json.ts";
import { parseInstant } from "../../../domain/time.ts";
import { INTERRUPTED } from "../../../domain/transcript/entry.ts";
import { objectOf, textOf } from "../../json-lines.ts";
import type { Parsed, TurnOver } from "../../parsed.ts";
import type { ClaudeMemory } from "../memory.ts";
import { parseEntries } from "../transcript/entries.ts";
import { unknownIn } from "../transcript/record-types.ts";
import { isRequestLine } from "../transcript/request-line.ts";
import { withSearches } from "../transcript/searches.ts";
import { parseUsage, SYNTHETIC } from "../transcript/usage.ts";

/**
 * One line of the transcript of a sub-agent. All of its lines are a side chain of the session. A text of its parent
 * begins a turn, the last message of the model ends it.
 */
export function parseSubagent(text: string, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const line = isRequestLine(text) ? undefined : readJsonObject(text);
  return line === undefined ? {} : { ...parseSubagentRecord(line, memory), ...unknownIn(line) };
}

/** The same of a record that was read before. */
export function parseSubagentRecord(line: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const at = parseInstant(textOf(line.timestamp) ?? "");
  const parsed = withTurn(withSearches(parseLine(line, memory), line, memory), line, memory);
  return Object.keys(parsed).length === 0 || at === undefined ? parsed : { at, ...parsed };
}

function parseLine(line: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const { taken: _, ...parsed } = parseEntries(line, memory);
  return line.type === "assistant" ? { ...parsed, ...parseUsage(line) } : parsed;
}

function withTurn(
  parsed: Parsed<ClaudeMemory>,
  line: JsonObject,
  memory: ClaudeMemory,
): Parsed<ClaudeMemory> {
  const over = overAt(parsed, line);
  const isBegun = memory.isTurnOpen !== true && beginsTurn(parsed, line, memory);
  if (over === undefined)
    return isBegun
      ? { ...parsed, turn: { isBegun }, memory: { ...parsed.memory, isTurnOpen: true } }
      : parsed;
  // Each block of the last message says again that it is the last one.
  if (memory.isTurnOpen !== true) return parsed;
  const endedMessage = textOf(objectOf(line.message).id) ?? undefined;
  return {
    ...parsed,
    turn: { over },
    memory: { ...parsed.memory, isTurnOpen: false, ...(endedMessage === undefined ? {} : { endedMessage }) },
  };
}

function beginsTurn(parsed: Parsed, { type, message }: JsonObject, { endedMessage }: ClaudeMemory): boolean {
  const { id, model } = objectOf(message);
  if (type === "assistant")
    return isJsonObject(message) && model !== SYNTHETIC && (id === undefined || id !== endedMessage);
  return parsed.entries?.some(({ role, kind }) => role === "user" && kind === "text") === true;
}

function overAt(parsed: Parsed, line: JsonObject): TurnOver | undefined {
  const { entries = [] } = parsed;
  if (entries.some(({ name }) => name === INTERRUPTED)) return { result: "aborted", why: null };
  if (line.type !== "assistant") return undefined;
  if (line.isApiErrorMessage === true)
    return { result: "failed", why: entries.map(({ text }) => text ?? "").join("\n") || null };
  const { stop_reason: reason } = objectOf(line.message);
  const isLast = typeof reason === "string" && reason !== "tool_use" && reason !== "pause_turn";
  return isLast ? { result: "good", why: null } : undefined;
}
