import type { Json, JsonObject } from "../../domain/json.ts";
import type { NewEntry } from "../../domain/transcript/entry.ts";
import type { Notes, Seen } from "../agent.ts";
import { known, objectIn, readJson, textIn, textOf } from "./lines.ts";

/** What a tool of each type of item is called, and what it was given. */
const TOOLS: Readonly<Record<string, (item: JsonObject) => { name: string; params: JsonObject }>> = {
  commandExecution: ({ command, cwd }) => ({ name: "exec_command", params: known({ command, cwd }) }),
  fileChange: ({ changes }) => ({ name: "apply_patch", params: known({ changes }) }),
  mcpToolCall: ({ server, tool, arguments: params }) => ({
    name: [server, tool].filter((part) => typeof part === "string").join("."),
    params: objectIn(params),
  }),
  webSearch: ({ query, action }) => ({ name: "web_search", params: known({ query, action }) }),
};

/** An item of a turn that begins: a tool is told when it is called, anything else when it is whole. */
export function itemStarted(item: JsonObject, notes: Notes): Seen {
  const tool = toolOf(item);
  if (!tool) return {};
  const { name, callId, params } = tool;
  return {
    entries: [{ role: "assistant", kind: "tool_call", text: null, tool: { name, ...callId, params } }],
    // The request to approve a change does not say what it is.
    ...(item.type === "fileChange" ? { notes: noteChanges(item, notes) } : {}),
  };
}

export function itemDone(item: JsonObject): Seen {
  const tool = toolOf(item);
  if (tool) {
    const { name, callId } = tool;
    return {
      entries: [
        { role: "tool", kind: "tool_result", text: null, tool: { name, ...callId, result: resultOf(item) } },
      ],
    };
  }
  switch (item.type) {
    case "userMessage":
      return { ...said("user", "text", textIn(item.content)), taken: [textIn(item.content)] };
    case "agentMessage":
      return said("assistant", "text", textOf(item.text) ?? "");
    case "reasoning":
      return said("assistant", "thinking", textIn(item.summary) || textIn(item.content));
    case "plan":
      return said("assistant", "text", textOf(item.text) ?? "");
    default:
      return {};
  }
}

/** The changes of the item that a request names. */
export function changesOf(notes: Notes, itemId: Json | undefined): Json | undefined {
  return typeof itemId === "string" ? objectIn(readJson(notes.changes))[itemId] : undefined;
}

function noteChanges({ id, changes }: JsonObject, notes: Notes): Notes {
  if (typeof id !== "string") return {};
  return { changes: JSON.stringify({ ...objectIn(readJson(notes.changes)), [id]: changes ?? null }) };
}

function toolOf(item: JsonObject) {
  const type = textOf(item.type) ?? "";
  const tool = Object.hasOwn(TOOLS, type) ? TOOLS[type]?.(item) : undefined;
  return tool && { ...tool, callId: typeof item.id === "string" ? { callId: item.id } : {} };
}

function resultOf({ status, aggregatedOutput, exitCode, result, error }: JsonObject): JsonObject {
  return known({ status, output: aggregatedOutput, exitCode, result, error });
}

function said(role: NewEntry["role"], kind: "text" | "thinking", text: string): Seen {
  return text === "" ? {} : { entries: [{ role, kind, text, tool: null }] };
}
