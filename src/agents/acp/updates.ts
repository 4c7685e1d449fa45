import type { JsonObject } from "../../domain/json.ts";
import { shortText } from "../../domain/short-value.ts";
import { listOf, objectOf, textFields, textOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import type { AcpMemory } from "./memory.ts";
import { modelOf } from "./models.ts";
import { behindPart, parseChunk } from "./parts.ts";
import { noticeEntry } from "./signals.ts";
import { parseToolCall } from "./tool-calls.ts";
import { costMemory } from "./usage.ts";

/** One update of the open conversation. The person's own words are recorded when they are given. */
export function parseUpdate(update: JsonObject, memory: AcpMemory): Parsed<AcpMemory> {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return parseChunk("text", update, memory);
    case "agent_thought_chunk":
      return parseChunk("thinking", update, memory);
    case "tool_call":
    case "tool_call_update":
      return parseToolCall(update, memory);
    case "plan":
      return parsePlan(update, memory);
    case "usage_update":
      return { memory: costMemory(update) };
    case "current_mode_update":
      return parseMode(update, memory);
    case "config_option_update":
      return parseOptions(update);
    default:
      return {};
  }
}

/** Remembered to tell it from the next one. */
const MOST_PLAN_CHARS = 16 * 1024;

const MARKS: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[>]" };

/** The agent sends the whole plan each time; the same plan again is no news. */
function parsePlan({ entries }: JsonObject, memory: AcpMemory): Parsed<AcpMemory> {
  const lines = listOf(entries).map((entry) => {
    const { content, status } = objectOf(entry);
    return `${MARKS[textOf(status) ?? ""] ?? "[ ]"} ${textOf(content) ?? ""}`;
  });
  const plan = lines.join("\n");
  const known = shortText(plan, MOST_PLAN_CHARS);
  if (plan === "" || known === memory.plan) return {};
  return behindPart(memory, { entries: [noticeEntry(plan, "plan")], memory: { plan: known } });
}

function parseMode({ currentModeId: mode }: JsonObject, memory: AcpMemory): Parsed<AcpMemory> {
  if (typeof mode !== "string") return {};
  return behindPart(memory, { entries: [noticeEntry(`The agent is in its mode ${mode} now.`, "mode")] });
}

function parseOptions(update: JsonObject): Parsed<AcpMemory> {
  const named = textFields({ model: modelOf(update) });
  return named.model === undefined ? {} : { identity: named, memory: named };
}
