import { readJsonObject } from "../../../domain/json.ts";
import type { Parsed } from "../../parsed.ts";
import { parseFields } from "../lines.ts";
import { lineSignal } from "../signals.ts";

/** One line of standard output: the state, its entries and their usage. */
export function parseStream(text: string): Parsed {
  const line = readJsonObject(text);
  if (line === undefined) return {};
  const signal = lineSignal("stream", line);
  return signal === undefined ? parseFields(line) : { signal, ...parseFields(line) };
}
