import type { JsonObject } from "../../../domain/json.ts";
import type { UsageHistory } from "../../history.ts";
import type { Parsed } from "../../parsed.ts";
import type { GeminiMemory } from "../memory.ts";
import { parseChatRecord } from "./chat.ts";

/** The usage of a conversation: each answer says all of its own. */
export const usageHistory: UsageHistory<GeminiMemory> = {
  marks: ['tokens"'],
  parse: parseUsageRecord,
  parseSubagent: parseUsageRecord,
};

function parseUsageRecord(record: JsonObject): Pick<Parsed<GeminiMemory>, "usage"> {
  const { usage } = parseChatRecord(record, {});
  return usage === undefined ? {} : { usage };
}
