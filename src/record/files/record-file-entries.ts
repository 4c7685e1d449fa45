import { checkInstant } from "../../domain/check.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { Instant } from "../../domain/time.ts";
import {
  checkEntry,
  ENTRY_KINDS,
  ENTRY_ROLES,
  type EntryKind,
  type EntryTool,
  type NewEntry,
} from "../../domain/transcript/entry.ts";
import { checkObject, checkObjects, readText } from "./record-file-fields.ts";

export interface TimedEntry {
  readonly at: Instant;
  readonly entry: NewEntry;
}

/** The transcript of a record file: in its old order where the file tells it, else messages before calls. */
export function readEntries(file: JsonObject, fallback: Instant): TimedEntry[] {
  const messages = checkObjects(file.messages, "messages").map((message, index) => ({
    at: fallback,
    entry: toTextEntry(message, `messages[${index}]`),
  }));
  const toolCalls = checkObjects(file.toolCalls, "toolCalls").map((call, index) => ({
    at: timeOf(call.timestamp, `toolCalls[${index}].timestamp`) ?? fallback,
    entry: toCallEntry(call, `toolCalls[${index}]`),
  }));
  const places = checkObjects(file.order, "order");
  const placed = (list: string) => places.filter((place) => place.list === list).length;
  const isWhole = placed("messages") === messages.length && placed("toolCalls") === toolCalls.length;
  if (!isWhole || places.length !== messages.length + toolCalls.length) return [...messages, ...toolCalls];
  const next = { messages: messages.values(), toolCalls: toolCalls.values() };
  return places.flatMap((place, index) => {
    const timed = next[place.list as keyof typeof next].next().value;
    if (!timed) return [];
    const at = timeOf(place.at, `order[${index}].at`) ?? timed.at;
    return [{ at, entry: { ...timed.entry, kind: kindOf(place.kind, timed.entry.kind) } }];
  });
}

function toTextEntry(message: JsonObject, what: string): NewEntry {
  const { content = "", name, tool = null, toolCalls } = message;
  return checkEntry({
    role: ENTRY_ROLES.find((role) => role === message.role) ?? "assistant",
    kind: "text",
    text: typeof content === "string" ? content : JSON.stringify(content),
    tool: tool === null ? null : toolOf(tool, `${what}.tool`),
    ...(name === undefined || name === null ? {} : { name: readText(name, `${what}.name`) }),
    ...(toolCalls === undefined ? {} : { toolCalls: checkObjects(toolCalls, `${what}.toolCalls`) }),
  });
}

function toCallEntry(call: JsonObject, what: string): NewEntry {
  const { name, params = null, result = null, governanceResult = null } = call;
  const tool = { name: readText(name, `${what}.name`), params, result, governanceResult };
  return checkEntry({ role: "assistant", kind: "tool_call", text: null, tool });
}

function toolOf(value: unknown, what: string): EntryTool {
  const tool = checkObject(value, what);
  return { ...tool, name: readText(tool.name, `${what}.name`) };
}

function kindOf(kind: unknown, otherwise: EntryKind): EntryKind {
  return ENTRY_KINDS.find((known) => known === kind) ?? otherwise;
}

function timeOf(value: unknown, what: string): Instant | undefined {
  return value === undefined || value === null ? undefined : checkInstant(value, what);
}
