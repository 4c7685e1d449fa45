import { type JsonObject, readJsonObject } from "../../../domain/json.ts";
import { parseInstant } from "../../../domain/time.ts";
import { objectOf, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { ClaudeMemory } from "../memory.ts";
import { parseEntries } from "./entries.ts";
import { parseQueueOperation, parseTurnDuration, withPrompt, withResult } from "./queue.ts";
import { withTurn } from "./turns.ts";
import { usageOf } from "./usage.ts";

/** A line with a whole request to the model in it: large, and no part of the conversation. */
const REQUEST = /^\{"type":\s*"api-request/u;

/** One line of a transcript, of either mode. A sidechain is the conversation of a sub-agent. */
export function parseTranscript(text: string, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const line = REQUEST.test(text) ? undefined : readJsonObject(text);
  if (line === undefined) return {};
  if (line.isSidechain === true) return parseSidechain(line);
  const at = parseInstant(textOf(line.timestamp) ?? "");
  const parsed = withTurn(parseLine(line, memory), line, memory);
  return Object.keys(parsed).length === 0 || at === undefined ? parsed : { at, ...parsed };
}

function parseSidechain({ agentId }: JsonObject): Parsed<ClaudeMemory> {
  return typeof agentId === "string" && agentId !== "" ? { child: { nativeId: agentId } } : {};
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
    default:
      return {};
  }
}

function parseUsage(line: JsonObject): Parsed<ClaudeMemory> {
  const usage = usageOf(line);
  const { model } = objectOf(line.message);
  return usage === undefined || typeof model !== "string" ? {} : { usage: [usage], identity: { model } };
}
