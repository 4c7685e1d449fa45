import { isJsonObject, type Json, type JsonObject, readJsonObject } from "../../domain/json.ts";
import type { Notes } from "../agent.ts";
import { objectIn, readJson, textOf } from "./lines.ts";
import { literalIn } from "./literal.ts";

/** A tool that the model has called. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** The tool for scripts, in which newer models call the others. */
const SCRIPT_TOOL = "exec";

/** The call that a line of the rollout tells of. */
export function callIn(payload: JsonObject): Call | undefined {
  const { type, call_id: id, name } = payload;
  if (typeof id !== "string" || typeof name !== "string") return undefined;
  if (type === "function_call") return { id, name, input: argumentsIn(textOf(payload.arguments) ?? "") };
  if (type !== "custom_tool_call") return undefined;
  const text = textOf(payload.input) ?? "";
  if (name !== SCRIPT_TOOL) return { id, name, input: inputOf(name, text) };
  return { id, ...(callInScript(text) ?? { name, input: { script: text } }) };
}

/** The calls that were not answered yet. */
export function openCalls(notes: Notes): readonly Call[] {
  const calls = readJson(notes.calls);
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: Json) => {
    const { id, name, input } = objectIn(call);
    const isCall = typeof id === "string" && typeof name === "string" && isJsonObject(input);
    return isCall ? [{ id, name, input }] : [];
  });
}

export function noteOpened(notes: Notes, call: Call): Notes {
  return { calls: JSON.stringify([...openCalls(notes), call]) };
}

export function noteAnswered(notes: Notes, id: string): Notes {
  return { calls: JSON.stringify(openCalls(notes).filter((call) => call.id !== id)) };
}

/** The one call of a script, where it is made of literals: then it says in full what would be done. */
function callInScript(script: string): Omit<Call, "id"> | undefined {
  const [call, ...others] = script.matchAll(/\btools\.(\w+)\s*\(/g);
  if (!call || others.length > 0) return undefined;
  const name = call[1] as string;
  const input = literalIn(script.slice(call.index + call[0].length));
  if (typeof input === "string") return { name, input: inputOf(name, input) };
  return isJsonObject(input) ? { name, input } : undefined;
}

function argumentsIn(text: string): JsonObject {
  return readJsonObject(text) ?? { arguments: text };
}

function inputOf(name: string, text: string): JsonObject {
  return name === "apply_patch" ? { patch: text } : { input: text };
}
