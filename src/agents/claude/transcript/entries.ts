import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import type { NewEntry } from "../../../domain/transcript/entry.ts";
import { idOf, MOST_OPEN, objectOf, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { blocksOf } from "../content.ts";
import type { ClaudeMemory } from "../memory.ts";
import { SYNTHETIC } from "./usage.ts";
import { userEntries } from "./user-text.ts";

type ToolNames = Readonly<Record<string, string>>;

/** The entries of a line of the transcript. Texts for the model alone are left out. */
export function parseEntries(line: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  if (line.isMeta === true || line.isCompactSummary === true) return {};
  switch (line.type) {
    case "assistant":
      return parseAssistant(line, memory);
    case "user":
      return parseUser(line, memory);
    case "attachment":
      return parseAttachment(objectOf(line.attachment));
    default:
      return parseSystem(line);
  }
}

function parseAssistant(
  { message, isApiErrorMessage }: JsonObject,
  memory: ClaudeMemory,
): Parsed<ClaudeMemory> {
  const { model, content } = objectOf(message);
  const blocks = blocksOf(content);
  if (isApiErrorMessage === true) return withEntries(blocks.flatMap(({ text }) => noticeEntry(textOf(text))));
  if (model === SYNTHETIC) return {};
  const called = blocks.flatMap(({ type, id, name }) =>
    type === "tool_use" && idOf(id) !== null && idOf(name) !== null ? [[id, name] as const] : [],
  );
  const known = { ...toolNames(memory), ...Object.fromEntries(called) };
  const tools = Object.fromEntries(Object.entries(known).slice(-MOST_OPEN)) as ToolNames;
  return {
    ...withEntries(blocks.flatMap(blockEntry)),
    ...(called.length === 0 ? {} : { memory: { tools } }),
  };
}

function blockEntry(block: JsonObject): NewEntry[] {
  switch (block.type) {
    case "text":
      return textEntry("assistant", "text", textOf(block.text));
    case "thinking":
      return textEntry("assistant", "thinking", textOf(block.thinking));
    case "tool_use":
      return callEntry(block);
    default:
      return [];
  }
}

function callEntry({ id, name, input }: JsonObject): NewEntry[] {
  if (typeof name !== "string") return [];
  const tool = { name, ...(typeof id === "string" ? { callId: id } : {}), params: input ?? null };
  return [{ role: "assistant", kind: "tool_call", text: null, tool }];
}

/** A text that a person typed, or results of tools. */
function parseUser({ message }: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const blocks = blocksOf(objectOf(message).content);
  const names = toolNames(memory);
  const parsed = parseTexts(
    blocks.flatMap(({ type, text }) => (type === "text" ? (textOf(text) ?? []) : [])),
  );
  const results = blocks.filter(({ type }) => type === "tool_result");
  if (results.length === 0) return parsed;
  const ids = results.map(({ tool_use_id }) => tool_use_id);
  const tools = Object.fromEntries(Object.entries(names).filter(([id]) => !ids.includes(id)));
  const entries = [...results.flatMap((result) => resultEntry(result, names)), ...(parsed.entries ?? [])];
  return { ...parsed, ...withEntries(entries), memory: { tools } };
}

function resultEntry({ tool_use_id: id, content, is_error }: JsonObject, names: ToolNames): NewEntry[] {
  if (typeof id !== "string") return [];
  const name = (Object.hasOwn(names, id) ? names[id] : undefined) ?? "unknown";
  const isError = is_error === true;
  const result = isError ? { error: resultOf(content) } : resultOf(content);
  const tool = { name, callId: id, result, ...(isError ? { isError } : {}) };
  return [{ role: "tool", kind: "tool_result", text: null, tool }];
}

/** Text as text; pictures and the like as they are. */
function resultOf(content: Json | undefined): Json {
  if (!Array.isArray(content)) return content ?? null;
  const texts = content.map((block) => (isJsonObject(block) && block.type === "text" ? block.text : null));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : content;
}

/** A text that was typed in mid-turn and went to the model together with the result of a tool. */
function parseAttachment({ type, prompt, commandMode }: JsonObject): Parsed<ClaudeMemory> {
  if (type !== "queued_command" || commandMode !== "prompt") return {};
  return parseTexts(blocksOf(prompt).flatMap(({ text }) => textOf(text) ?? []));
}

function parseTexts(texts: readonly string[]): Parsed<ClaudeMemory> {
  const entries = texts.flatMap(userEntries);
  const own = entries.flatMap(({ role, text }) => (role === "user" && text !== null ? [text] : []));
  return { ...withEntries(entries), ...(own.length === 0 ? {} : { taken: own }) };
}

/** A command of its own, or a notice for the person. */
function parseSystem({ subtype, content }: JsonObject): Parsed<ClaudeMemory> {
  if (typeof content !== "string") return {};
  if (subtype === "local_command") return parseTexts([content]);
  const isNotice = subtype === "informational" || subtype === "compact_boundary";
  return isNotice ? withEntries(noticeEntry(content)) : {};
}

function withEntries(entries: readonly NewEntry[]): Parsed<ClaudeMemory> {
  return entries.length === 0 ? {} : { entries };
}

function noticeEntry(text: string | null): NewEntry[] {
  return textEntry("system", "notice", text);
}

function textEntry(role: NewEntry["role"], kind: NewEntry["kind"], text: string | null): NewEntry[] {
  return text === null || text.trim() === "" ? [] : [{ role, kind, text, tool: null }];
}

function toolNames({ tools }: ClaudeMemory): ToolNames {
  const names = Object.entries(objectOf(tools)).filter(([, name]) => typeof name === "string");
  return Object.fromEntries(names) as ToolNames;
}
