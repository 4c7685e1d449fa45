import { readJsonObject } from "../../../domain/json.ts";
import type { Parsed } from "../../parsed.ts";
import { parseFields } from "../lines.ts";

/** One line of the transcript: entries and usage. Lines that a fork copied belong to its origin. */
export function parseTranscript(text: string): Parsed {
  const line = readJsonObject(text);
  if (line === undefined || line.inherited === true) return {};
  return line.type === "result" ? { ...parseFields(line), isTurnRead: true } : parseFields(line);
}
