import { isJsonObject, type Json, type JsonObject, readJsonObject } from "../../domain/json.ts";
import type { NewEntry } from "../../domain/transcript/entry.ts";
import type { Notes, Seen } from "../agent.ts";
import { blocksOf, objectOf, textOf } from "./lines.ts";
import { typedIn } from "./typed.ts";
import { SYNTHETIC } from "./usage.ts";

/** Names of the tools that were called and have not answered: a result names only its call. */
type Calls = Readonly<Record<string, string>>;

/** What a line of the transcript adds to the conversation. What it tells the model alone is left out. */
export function entriesOf(line: JsonObject, notes: Notes): Seen {
  if (line.isMeta === true || line.isCompactSummary === true) return {};
  switch (line.type) {
    case "assistant":
      return said(line, notes);
    case "user":
      return given(line, notes);
    case "attachment":
      return taken(objectOf(line.attachment));
    default:
      return mentioned(line);
  }
}

function said({ message, isApiErrorMessage }: JsonObject, notes: Notes): Seen {
  const { model, content } = objectOf(message);
  const blocks = blocksOf(content);
  if (isApiErrorMessage === true) return added(blocks.flatMap(({ text }) => notice(textOf(text))));
  if (model === SYNTHETIC) return {};
  const calls = callsIn(notes);
  const more = blocks.flatMap(({ type, id, name }) =>
    type === "tool_use" && typeof id === "string" && typeof name === "string" ? [[id, name]] : [],
  );
  return {
    ...added(blocks.flatMap(blockSaid)),
    ...(more.length === 0 ? {} : { notes: kept({ ...calls, ...Object.fromEntries(more) }) }),
  };
}

function blockSaid(block: JsonObject): NewEntry[] {
  switch (block.type) {
    case "text":
      return entry("assistant", "text", textOf(block.text));
    case "thinking":
      return entry("assistant", "thinking", textOf(block.thinking));
    case "tool_use":
      return called(block);
    default:
      return [];
  }
}

function called({ id, name, input }: JsonObject): NewEntry[] {
  if (typeof name !== "string") return [];
  const tool = { name, ...(typeof id === "string" ? { callId: id } : {}), params: input ?? null };
  return [{ role: "assistant", kind: "tool_call", text: null, tool }];
}

/** What a person typed, or what tools returned. */
function given({ message }: JsonObject, notes: Notes): Seen {
  const blocks = blocksOf(objectOf(message).content);
  const calls = callsIn(notes);
  const seen = typed(blocks.flatMap(({ type, text }) => (type === "text" ? (textOf(text) ?? []) : [])));
  const results = blocks.filter(({ type }) => type === "tool_result");
  if (results.length === 0) return seen;
  const ids = results.map(({ tool_use_id }) => tool_use_id);
  const rest = Object.entries(calls).filter(([id]) => !ids.includes(id));
  const entries = [...results.flatMap((result) => returned(result, calls)), ...(seen.entries ?? [])];
  return { ...seen, ...added(entries), notes: kept(Object.fromEntries(rest)) };
}

function returned({ tool_use_id: id, content, is_error }: JsonObject, calls: Calls): NewEntry[] {
  if (typeof id !== "string") return [];
  const name = (Object.hasOwn(calls, id) ? calls[id] : undefined) ?? "unknown";
  const result = is_error === true ? { error: resultOf(content) } : resultOf(content);
  return [{ role: "tool", kind: "tool_result", text: null, tool: { name, callId: id, result } }];
}

/** Text as text; pictures and the like as they are. */
function resultOf(content: Json | undefined): Json {
  if (!Array.isArray(content)) return content ?? null;
  const texts = content.map((block) => (isJsonObject(block) && block.type === "text" ? block.text : null));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : content;
}

/** A text that was typed in mid-turn and went to the model together with the result of a tool. */
function taken({ type, prompt, commandMode }: JsonObject): Seen {
  if (type !== "queued_command" || commandMode !== "prompt") return {};
  return typed(blocksOf(prompt).flatMap(({ text }) => textOf(text) ?? []));
}

function typed(texts: readonly string[]): Seen {
  const entries = texts.flatMap(typedIn);
  const own = entries.flatMap(({ role, text }) => (role === "user" && text !== null ? [text] : []));
  return { ...added(entries), ...(own.length === 0 ? {} : { taken: own }) };
}

/** A command of its own, or a word to the person. */
function mentioned({ subtype, content }: JsonObject): Seen {
  if (typeof content !== "string") return {};
  if (subtype === "local_command") return typed([content]);
  return subtype === "informational" || subtype === "compact_boundary" ? added(notice(content)) : {};
}

function added(entries: readonly NewEntry[]): Seen {
  return entries.length === 0 ? {} : { entries };
}

function notice(text: string | null): NewEntry[] {
  return entry("system", "notice", text);
}

function entry(role: NewEntry["role"], kind: NewEntry["kind"], text: string | null): NewEntry[] {
  return text === null || text.trim() === "" ? [] : [{ role, kind, text, tool: null }];
}

function callsIn({ tools }: Notes): Calls {
  const calls = readJsonObject(tools ?? "") ?? {};
  return Object.fromEntries(Object.entries(calls).filter(([, name]) => typeof name === "string")) as Calls;
}

function kept(calls: Calls): Notes {
  return { tools: JSON.stringify(calls) };
}
