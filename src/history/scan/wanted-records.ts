import { closeSync } from "node:fs";
import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import { openForeign } from "../../machine/foreign-file.ts";
import type { Source } from "../sources.ts";
import { wantedLines } from "./wanted-lines.ts";

/** A record with the offset behind it; undefined for one that is broken. */
export interface WantedRecord {
  readonly record: JsonObject | undefined;
  readonly offset: number;
}

/** The records of a history that may say something of usage, in batches. */
export function wantedRecords(source: Source): AsyncGenerator<readonly WantedRecord[]> {
  const { marks } = source.history.usage;
  return marks && source.reader.hasLines(source.path) ? fromLines(source, marks) : fromWhole(source);
}

async function* fromLines(
  { path }: Source,
  marks: readonly string[],
): AsyncGenerator<readonly WantedRecord[]> {
  const fd = openForeign(path);
  try {
    for await (const lines of wantedLines(fd, path, marks))
      yield lines.map(({ text, offset }) => ({ record: readJsonObject(text), offset }));
  } finally {
    closeSync(fd);
  }
}

/** All of them: a file that is one object is parsed at once, and a database has no lines. */
async function* fromWhole({ path, reader }: Source): AsyncGenerator<readonly WantedRecord[]> {
  using opened = reader.open(path);
  if (!opened) return;
  for await (const records of opened.records(0))
    yield records.map(({ read, offset }) => ({ record: read(), offset }));
}
