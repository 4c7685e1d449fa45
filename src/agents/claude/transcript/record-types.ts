import { type JsonObject, nonEmptyText } from "../../../domain/json.ts";
import type { UnknownRecord } from "../../../domain/transcript/unknown-record.ts";
import type { RecordSort } from "../../history.ts";
import { objectOf } from "../../json-lines.ts";
import { blocksOf } from "../content.ts";

type Is = RecordSort["is"];

/** Types that say all by themselves. Noise repeats what stands elsewhere, or tells only Claude Code itself something. */
const TYPES: ReadonlyMap<string, Is> = new Map([
  ...known("cost-state"),
  ...noise("summary", "file-history-snapshot", "file-history-delta", "ai-title", "custom-title"),
  ...noise("agent-name", "agent-color", "agent-setting", "tag", "last-prompt", "mode", "permission-mode"),
  ...noise("progress", "atis-latch", "tools-used", "pr-link", "worktree-state", "content-replacement"),
  ...noise("api-request", "api-request-shape", "api-request-blob"),
]);

const SYSTEM: ReadonlyMap<string, Is> = new Map([
  ...known("turn_duration", "local_command", "informational", "compact_boundary"),
  ...noise("api_error", "api_metrics", "stop_hook_summary", "away_summary", "microcompact_boundary"),
  ...noise("memory_saved", "file_snapshot", "scheduled_task_fire", "bridge_status", "agents_killed"),
  ...noise("permission_retry", "thinking"),
]);

/** Context that Claude Code gives the model beside the words of people; it is rebuilt from elsewhere each time. */
const ATTACHMENTS: ReadonlyMap<string, Is> = new Map([
  ...known("queued_command"),
  ...noise("agent_listing_delta", "agent_mention", "already_read_file", "compact_file_reference", "date"),
  ...noise("date_change", "deferred_tools_delta", "diagnostics", "directory", "edited_text_file"),
  ...noise("environment", "file", "hook_additional_context", "hook_blocking_error", "hook_cancelled"),
  ...noise("hook_non_blocking_error", "hook_success", "invoked_skills", "mcp_instructions_delta"),
  ...noise("mcp_resource", "model", "nested_memory", "opened_file_in_ide", "output_style", "plan_mode"),
  ...noise("plan_mode_exit", "plan_mode_reentry", "plan_file_reference", "prompt_snapshot"),
  ...noise("relevant_memories", "remote_session_change", "selected_lines_in_ide", "session_context"),
  ...noise("skill_listing", "task_reminder", "task_status", "todo_reminder", "token_usage"),
]);

const OPERATIONS: ReadonlyMap<string, Is> = new Map(known("enqueue", "dequeue", "remove", "popAll"));

/** Pictures and documents have no words; a tool result keeps them as they are. */
const BLOCKS: ReadonlySet<unknown> = new Set([
  ...["text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image", "document"],
]);

/** Sorts a record of a transcript by its type and what it has below it. */
export function sortRecord(record: JsonObject): RecordSort {
  const type = nonEmptyText(record.type) ?? "";
  switch (type) {
    case "user":
    case "assistant":
      return sortMessage(type, record);
    case "system":
      return sorted(type, record.subtype, SYSTEM);
    case "attachment":
      return sorted(type, objectOf(record.attachment).type, ATTACHMENTS);
    case "queue-operation":
      return sorted(type, record.operation, OPERATIONS);
    default:
      return { type, is: TYPES.get(type) ?? "unknown" };
  }
}

/** Whether its type alone says that it is noise, so that it need not be parsed. */
export function isNoiseType(type: string): boolean {
  return TYPES.get(type) === "noise";
}

/** The record itself where this release does not know all of it. */
export function unknownIn(record: JsonObject): { readonly unknown?: UnknownRecord } {
  const { type, is } = sortRecord(record);
  return is === "unknown" ? { unknown: { type, record } } : {};
}

function sortMessage(type: string, { message }: JsonObject): RecordSort {
  const unknown = blocksOf(objectOf(message).content).find((block) => !BLOCKS.has(block.type));
  return unknown === undefined ? { type, is: "known" } : { type: below(type, unknown.type), is: "unknown" };
}

function sorted(type: string, subtype: unknown, kinds: ReadonlyMap<string, Is>): RecordSort {
  return { type: below(type, subtype), is: kinds.get(String(subtype)) ?? "unknown" };
}

function below(type: string, subtype: unknown): string {
  return `${type}/${nonEmptyText(subtype) ?? ""}`;
}

function known(...types: readonly string[]): [string, Is][] {
  return types.map((type) => [type, "known"]);
}

function noise(...types: readonly string[]): [string, Is][] {
  return types.map((type) => [type, "noise"]);
}
