import { type JsonObject, readJsonObject } from "../../../domain/json.ts";
import { parseInstant } from "../../../domain/time.ts";
import { textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { ClaudeMemory } from "../memory.ts";
import { costStateTotals } from "../model-usage.ts";
import { followBranch } from "./branches.ts";
import { parseEntries } from "./entries.ts";
import { parseQueueOperation, parseTurnDuration, withPrompt, withResult } from "./queue.ts";
import { unknownIn } from "./record-types.ts";
import { isRequestLine } from "./request-line.ts";
import { withSearches } from "./searches.ts";
import { withTurn } from "./turns.ts";
import { parseUsage } from "./usage.ts";
import { usageHistory } from "./usage-history.ts";

/** One line of a transcript, of either mode. A sidechain is the conversation of a sub-agent. */
export function parseTranscript(text: string, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const line = isRequestLine(text) ? undefined : readJsonObject(text);
  if (line === undefined) return {};
  const parsed = parseRecord(line, memory);
  return parsed.child === undefined ? { ...parsed, ...unknownIn(line) } : parsed;
}

/** The usage alone of one line, beside a protocol that has all else. */
export function parseTranscriptUsage(text: string, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const line = isRequestLine(text) ? undefined : readJsonObject(text);
  if (line === undefined) return {};
  const at = parseInstant(textOf(line.timestamp) ?? "");
  const parsed = line.type === "cost-state" ? costStateTotals(line) : usageHistory.parse(line, memory);
  return Object.keys(parsed).length === 0 || at === undefined ? parsed : { at, ...parsed };
}

/** The same of a record that was read before. */
export function parseRecord(line: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  if (line.isSidechain === true) return parseSidechain(line, memory);
  const at = parseInstant(textOf(line.timestamp) ?? "");
  const told = withTurn(withSearches(parseLine(line, memory), line, memory), line, memory);
  const parsed = withBranch(told, line, memory);
  return Object.keys(parsed).length === 0 || at === undefined ? parsed : { at, ...parsed };
}

function withBranch(
  parsed: Parsed<ClaudeMemory>,
  line: JsonObject,
  memory: ClaudeMemory,
): Parsed<ClaudeMemory> {
  const followed = followBranch(line, parsed.turn?.isBegun === true, memory);
  if (followed.memory === undefined) return parsed;
  return { ...parsed, ...followed, memory: { ...parsed.memory, ...followed.memory } };
}

/** Older releases wrote the lines of sub-agents between the others; where none is named, the session pays for them. */
function parseSidechain(line: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const { agentId } = line;
  const at = parseInstant(textOf(line.timestamp) ?? "");
  const said = at === undefined ? {} : { at };
  const { usage } = line.type === "assistant" ? parseUsage(line) : {};
  const used = usage === undefined ? {} : { usage };
  if (typeof agentId !== "string" || agentId === "") return usage === undefined ? {} : { ...said, ...used };
  const { taken: _, ...parsed } = parseEntries(line, memory);
  return { ...said, ...parsed, ...used, child: { nativeId: agentId } };
}

function parseLine(line: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  switch (line.type) {
    case "queue-operation":
      return parseQueueOperation(line, memory);
    case "system":
      return line.subtype === "turn_duration" ? parseTurnDuration(memory) : parseEntries(line, memory);
    case "assistant":
      return { ...withResult(parseEntries(line, memory), line), ...parseUsage(line) };
    case "user":
      return withResult(withPrompt(parseEntries(line, memory), line, memory), line);
    case "attachment":
      return parseEntries(line, memory);
    case "cost-state":
      return costStateTotals(line);
    default:
      return {};
  }
}
