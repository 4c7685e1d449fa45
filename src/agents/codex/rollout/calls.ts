import { isJsonObject, type JsonObject, readJsonObject } from "../../../domain/json.ts";
import { textOf } from "../../json-lines.ts";
import type { Call } from "../memory.ts";
import { literalIn } from "./literal.ts";

/** The tool for scripts, in which newer models call the others. */
const SCRIPT_TOOL = "exec";

/** The call in a line of the rollout. */
export function parseCall(payload: JsonObject): Call | undefined {
  const { type, call_id: id, name } = payload;
  if (typeof id !== "string" || typeof name !== "string") return undefined;
  if (type === "function_call") return { id, name, input: argumentsIn(textOf(payload.arguments) ?? "") };
  if (type !== "custom_tool_call") return undefined;
  const text = textOf(payload.input) ?? "";
  if (name !== SCRIPT_TOOL) return { id, name, input: inputOf(name, text) };
  return { id, ...(callInScript(text) ?? { name, input: { script: text } }) };
}

/** The one call of a script, where it is made of literals: then its input is known in full. */
function callInScript(script: string): Omit<Call, "id"> | undefined {
  const [call, ...others] = script.matchAll(/\btools\.(\w+)\s*\(/g);
  if (!call || others.length > 0) return undefined;
  const name = call[1] as string;
  const input = literalIn(script.slice(call.index + call[0].length));
  if (typeof input === "string") return { name, input: inputOf(name, input) };
  return isJsonObject(input) ? { name, input } : undefined;
}

const HEADER_END = "\nOutput:\n";

/** Whether the text that came back says that the call failed: by the exit code above the output, or in its place. */
export function hasFailed(result: string): boolean {
  const end = result.indexOf(HEADER_END);
  const header = end === -1 ? result : result.slice(0, end);
  return /^Process exited with code (?!0$)-?\d+$/m.test(header) || /^\w+ failed: /.test(header);
}

function argumentsIn(text: string): JsonObject {
  return readJsonObject(text) ?? { arguments: text };
}

function inputOf(name: string, text: string): JsonObject {
  return name === "apply_patch" ? { patch: text } : { input: text };
}
