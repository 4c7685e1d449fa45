import { isJsonObject, type Json, type JsonObject } from "../../../domain/json.ts";
import { shortParams } from "../../../domain/short-value.ts";
import type { EntryTool, NewEntry } from "../../../domain/transcript/entry.ts";
import { objectOf, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { joinTexts, knownFields } from "../content.ts";
import type { CodexMemory } from "../memory.ts";

/** The name and the parameters of the tool of each type of item. */
const TOOLS: Readonly<Record<string, (item: JsonObject) => { name: string; params: JsonObject }>> = {
  commandExecution: ({ command, cwd }) => ({ name: "exec_command", params: knownFields({ command, cwd }) }),
  fileChange: ({ changes }) => ({ name: "apply_patch", params: knownFields({ changes }) }),
  mcpToolCall: ({ server, tool, arguments: params }) => ({
    name: [server, tool].filter((part) => typeof part === "string").join("."),
    params: objectOf(params),
  }),
  webSearch: ({ query, action }) => ({ name: "web_search", params: knownFields({ query, action }) }),
};

/** An item that begins. A tool has an entry when it is called, anything else when it is whole. */
export function parseItemStarted(item: JsonObject, memory: CodexMemory): Parsed<CodexMemory> {
  const tool = toolOf(item);
  if (!tool) return {};
  const { name, callId, params } = tool;
  return {
    entries: [{ role: "assistant", kind: "tool_call", text: null, tool: { name, ...callId, params } }],
    // The request to approve a change does not hold the change.
    ...(item.type === "fileChange" ? { memory: changesMemory(item, memory) } : {}),
  };
}

export function parseItemDone(item: JsonObject): Parsed<CodexMemory> {
  const tool = toolOf(item);
  if (tool) {
    const { name, callId } = tool;
    return {
      entries: [
        { role: "tool", kind: "tool_result", text: null, tool: { name, ...callId, ...outcomeOf(item) } },
      ],
    };
  }
  switch (item.type) {
    case "userMessage":
      return { ...withText("user", "text", joinTexts(item.content)), taken: [joinTexts(item.content)] };
    case "agentMessage":
      return withText("assistant", "text", textOf(item.text) ?? "");
    case "reasoning":
      return withText("assistant", "thinking", joinTexts(item.summary) || joinTexts(item.content));
    case "plan":
      return withText("assistant", "text", textOf(item.text) ?? "");
    default:
      return {};
  }
}

/** The changes of the item that a request names. */
export function changesOf(memory: CodexMemory, itemId: Json | undefined): Json | undefined {
  const changes = objectOf(memory.changes);
  return typeof itemId === "string" && Object.hasOwn(changes, itemId) ? changes[itemId] : undefined;
}

/** Far more than wait for a person at once. */
const MOST_CHANGES = 100;

function changesMemory({ id, changes }: JsonObject, memory: CodexMemory): CodexMemory {
  if (typeof id !== "string") return {};
  const known = Object.entries(objectOf(memory.changes));
  const kept = shortParams({ changes: changes ?? null }).changes ?? null;
  return { changes: Object.fromEntries([...known, [id, kept] as const].slice(-MOST_CHANGES)) };
}

function toolOf(item: JsonObject) {
  const type = textOf(item.type) ?? "";
  const tool = Object.hasOwn(TOOLS, type) ? TOOLS[type]?.(item) : undefined;
  return tool && { ...tool, callId: typeof item.id === "string" ? { callId: item.id } : {} };
}

function outcomeOf(item: JsonObject): Pick<EntryTool, "result" | "isError"> {
  const { status, exitCode, error } = item;
  const isError =
    status === "failed" || (typeof exitCode === "number" && exitCode !== 0) || isJsonObject(error);
  return { result: resultOf(item), ...(isError ? { isError } : {}) };
}

function resultOf({ status, aggregatedOutput, exitCode, result, error }: JsonObject): JsonObject {
  return knownFields({ status, output: aggregatedOutput, exitCode, result, error });
}

function withText(role: NewEntry["role"], kind: "text" | "thinking", text: string): Parsed<CodexMemory> {
  return text === "" ? {} : { entries: [{ role, kind, text, tool: null }] };
}
