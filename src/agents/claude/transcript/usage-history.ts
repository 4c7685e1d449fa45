import type { JsonObject } from "../../../domain/json.ts";
import type { UsageHistory } from "../../history.ts";
import type { Parsed } from "../../parsed.ts";
import type { ClaudeMemory } from "../memory.ts";
import { withSearches } from "./searches.ts";
import { parseUsage } from "./usage.ts";

/** The usage of a transcript: what each answer says of itself, and how many searches a tool has made for it. */
export const usageHistory: UsageHistory<ClaudeMemory> = {
  // Parts of "assistant" and "searchCount". An answer counts as a request even if it does not say what it used.
  marks: ['stant"', 'Count"'],
  parse: parseUsageRecord,
  parseSubagent: (record, memory) => withSearches(usageOf(record), record, memory),
};

/** Lines of a sub-agent between the others have a history of their own; where none is named, the session pays. */
function parseUsageRecord(
  record: JsonObject,
  memory: ClaudeMemory,
): Pick<Parsed<ClaudeMemory>, "usage" | "memory"> {
  const { isSidechain, agentId } = record;
  if (isSidechain !== true) return withSearches(usageOf(record), record, memory);
  return typeof agentId === "string" && agentId !== "" ? {} : usageOf(record);
}

function usageOf(record: JsonObject): Pick<Parsed, "usage"> {
  return record.type === "assistant" ? parseUsage(record) : {};
}
