import { fstatSync } from "node:fs";
import { isJsonObject, type Json, type JsonObject, readJsonObject } from "../../domain/json.ts";
import type { FileIdentity } from "../../domain/read-cursor.ts";
import { isSameOpen } from "../../machine/file-identity.ts";
import { readForeignText } from "../../machine/foreign-file.ts";
import { findFiles, jsonlReader } from "./jsonl-reader.ts";
import { openFile } from "./open-file.ts";
import type { FoundSource, HistoryReader, StoredRecord } from "./reader.ts";

/** A conversation of years fits in; a larger file is passed over, so that memory stays bounded. */
const MOST_BYTES = 64 * 1024 * 1024;
const WHOLE = /\.json$/u;

/**
 * Files with a record of JSON in each line, and older ones with a whole conversation in one object. An older file goes by
 * the name that the newer one has beside it, which holds all of it: of both only the newer one is read.
 */
export const jsonReader: HistoryReader = {
  *find(root) {
    const found = new Map<string, FoundSource>();
    for (const file of findFiles(root, /\.jsonl?$/u)) {
      const source = file.path.replace(WHOLE, ".jsonl");
      if (!found.has(source) || !WHOLE.test(file.path)) found.set(source, { ...file, source });
    }
    yield* found.values();
  },
  open: (path) => (WHOLE.test(path) ? openFile(path, readWhole, isUnchanged) : jsonlReader.open(path)),
  hasLines: (path) => !WHOLE.test(path),
};

/** One object with its messages in a list. It is written anew with each message. */
async function* readWhole(fd: number, path: string, from: number): AsyncGenerator<readonly StoredRecord[]> {
  const { size } = fstatSync(fd);
  if (from >= size) return;
  const content = readJsonObject(readForeignText(path, MOST_BYTES));
  if (content === undefined) return;
  const { messages, ...head } = content;
  const records = [head, ...(Array.isArray(messages) ? messages : [])];
  // Their numbers stand for their places: each is longer than a byte, and the last ends with the file.
  const numbered = records.map((record, index) =>
    recordOf(record, index === records.length - 1 ? size : index + 1),
  );
  yield numbered.filter(({ offset }) => offset > from);
}

/** Places in one that has grown are other ones. */
function isUnchanged(fd: number, known: FileIdentity): boolean {
  return fstatSync(fd).size === known.sizeBytes && isSameOpen(fd, known);
}

function recordOf(record: Json, offset: number): StoredRecord {
  const value: JsonObject | undefined = isJsonObject(record) ? record : undefined;
  const type = typeof value?.type === "string" ? value.type : undefined;
  return { offset, bytes: JSON.stringify(record).length, type, read: () => value };
}
