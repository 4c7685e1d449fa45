import { type JsonObject, nonEmptyText } from "../../../domain/json.ts";
import type { UnknownRecord } from "../../../domain/transcript/unknown-record.ts";
import type { RecordSort } from "../../history.ts";
import { objectOf } from "../../json-lines.ts";

type Is = RecordSort["is"];

/** Types that say all by themselves. Noise repeats what stands elsewhere, or tells only Codex itself something. */
const TYPES: ReadonlyMap<string, Is> = new Map([
  ...known("session_meta", "turn_context", "token_usage_record"),
  ...noise("compacted", "world_state", "security_risk_score"),
  ...noise("inter_agent_communication", "inter_agent_communication_metadata"),
]);

const EVENTS: ReadonlyMap<string, Is> = new Map([
  ...known("task_started", "turn_started", "task_complete", "turn_complete", "turn_aborted"),
  ...known("user_message", "agent_message"),
  ...known("agent_reasoning", "token_count", "thread_settings_applied", "thread_rolled_back"),
  ...noise("agent_reasoning_raw_content", "agent_reasoning_section_break", "context_compacted"),
  ...noise("exec_command_begin", "exec_command_end", "mcp_tool_call_begin", "mcp_tool_call_end"),
  ...noise("patch_apply_begin", "patch_apply_end", "web_search_begin", "web_search_end"),
  ...noise("view_image_tool_call", "image_generation_begin", "image_generation_end", "plan_update"),
  ...noise("turn_diff", "thread_name_updated", "thread_goal_updated", "entered_review_mode"),
  ...noise("exited_review_mode", "item_started", "error", "stream_error", "warning"),
]);

/** Items of tools repeat the calls and outputs among the items of the model. */
const ITEMS: ReadonlyMap<string, Is> = new Map([
  ...known("UserMessage", "AgentMessage", "Reasoning"),
  ...noise("CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall", "WebSearch"),
  ...noise("ImageView", "ImageGeneration", "CollabAgentToolCall", "Plan", "ContextCompaction"),
]);

/** Texts for the model, and from it, stand among the events too. */
const RESPONSES: ReadonlyMap<string, Is> = new Map([
  ...known("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"),
  ...noise("message", "agent_message", "reasoning", "ghost_snapshot", "compaction", "compaction_summary"),
  ...noise("context_compaction"),
]);

/** Sorts a record of a rollout by its type and what it has below it. */
export function sortRecord(record: JsonObject): RecordSort {
  const type = nonEmptyText(record.type) ?? "";
  const payload = objectOf(record.payload);
  if (type === "response_item") return sorted(type, payload.type, RESPONSES);
  if (type !== "event_msg") return { type, is: TYPES.get(type) ?? "unknown" };
  if (payload.type !== "item_completed") return sorted(type, payload.type, EVENTS);
  return sorted(`${type}/item_completed`, objectOf(payload.item).type, ITEMS);
}

/** Whether its type alone says that it is noise, so that it need not be parsed. */
export function isNoiseType(type: string): boolean {
  return TYPES.get(type) === "noise";
}

/** The record itself where this release does not know it. */
export function unknownIn(record: JsonObject): { readonly unknown?: UnknownRecord } {
  const { type, is } = sortRecord(record);
  return is === "unknown" ? { unknown: { type, record } } : {};
}

function sorted(type: string, subtype: unknown, kinds: ReadonlyMap<string, Is>): RecordSort {
  return { type: `${type}/${nonEmptyText(subtype) ?? ""}`, is: kinds.get(String(subtype)) ?? "unknown" };
}

function known(...types: readonly string[]): [string, Is][] {
  return types.map((type) => [type, "known"]);
}

function noise(...types: readonly string[]): [string, Is][] {
  return types.map((type) => [type, "noise"]);
}
