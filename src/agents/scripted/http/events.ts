import { readJsonObject } from "../../../domain/json.ts";
import { parseInstant } from "../../../domain/time.ts";
import { textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { ServerEvent, StreamResume } from "../../sources.ts";
import { parseFields } from "../lines.ts";
import { lineSignal } from "../signals.ts";
import type { HttpMemory } from "./memory.ts";

/** One event: its data is a line as on the stream of the program on pipes. */
export function parseEvent({ data }: ServerEvent): Parsed<HttpMemory> {
  const line = readJsonObject(data);
  if (line === undefined) return {};
  const fields = parseFields(line);
  if (fields.child !== undefined) return { child: fields.child };
  const signal = lineSignal("protocol", line);
  const at = parseInstant(textOf(line.time) ?? "");
  return { ...fields, ...(signal === undefined ? {} : { signal }), ...(at === undefined ? {} : { at }) };
}

/** The first connection begins with all that the server has kept. */
export const resume: StreamResume<HttpMemory> = {
  lastId: (memory) => String(lastIdOf(memory)),
  remember: (id) => ({ lastId: id }),
};

export function lastIdOf({ lastId }: HttpMemory): number {
  return /^\d{1,15}$/.test(String(lastId)) ? Number(lastId) : 0;
}
