import { type JsonObject, readJsonObject } from "../../../domain/json.ts";
import type { NewEntry } from "../../../domain/transcript/entry.ts";
import { objectOf, textFields, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { GeminiMemory } from "../memory.ts";
import { workingSignal } from "../signals.ts";

/** One event of `--output-format stream-json`. What was said and done is in the file of the conversation, in full. */
export function parseStream(text: string, _memory: GeminiMemory): Parsed<GeminiMemory> {
  const line = readJsonObject(text);
  switch (line?.type) {
    case "init":
      return {
        signal: workingSignal({ source: "stream", rule: "stream_init" }),
        identity: textFields({ nativeId: line.session_id }),
      };
    case "message":
      return line.role === "user" ? parsePrompt(line) : {};
    case "result":
      return parseResult(line);
    default:
      return {};
  }
}

/** The text that it was given, and confirms. */
function parsePrompt({ content }: JsonObject): Parsed<GeminiMemory> {
  const text = (textOf(content) ?? "").trim();
  if (text === "") return {};
  return {
    entries: [{ role: "user", kind: "text", text, tool: null }],
    taken: [text],
    turn: { isBegun: true },
  };
}

function parseResult({ status, error }: JsonObject): Parsed<GeminiMemory> {
  const evidence = { source: "stream", rule: "stream_result" } as const;
  if (status === "success") return { signal: { ...evidence, excerpt: null, says: "ready", turn: "good" } };
  const why = textOf(objectOf(error).message);
  const entry: NewEntry = { role: "system", kind: "notice", text: why, tool: null };
  return {
    signal: { ...evidence, excerpt: why, says: "ready", turn: "failed" },
    ...(why === null ? {} : { entries: [entry] }),
  };
}
