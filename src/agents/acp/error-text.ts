import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import { objectOf, textOf } from "../json-lines.ts";

/** An error of JSON-RPC as a sentence. Its message may say only that there was one, and its details why. */
export function errorText({ message, code, data }: JsonObject): string {
  const said = innerText(textOf(message)) ?? `error ${JSON.stringify(code ?? null)}`;
  const details = textOf(objectOf(data).details);
  const text = details === null || said.includes(details) ? said : `${said}: ${details}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Gemini CLI hands on the answer of the provider as it came, as JSON. */
function innerText(message: string | null): string | null {
  const inner = message?.startsWith("{") ? readJsonObject(message) : undefined;
  return textOf(objectOf(inner?.error).message) ?? message;
}
