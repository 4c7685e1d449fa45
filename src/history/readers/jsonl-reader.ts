import { lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { basename } from "node:path";
import { readJsonObject } from "../../domain/json.ts";
import { type Line, readLines } from "./line-reader.ts";
import { openFile } from "./open-file.ts";
import type { FoundSource, HistoryReader, StoredRecord } from "./reader.ts";

const NAME = /\.jsonl(?:\.zst)?$/u;
const PACKED = ".zst";
/** Far deeper than any agent nests its files. */
const MOST_DEPTH = 12;
/** A line that begins with its type: one that nobody wants need not be parsed. */
const TYPE_FIRST = /^\{\s*"type"\s*:\s*"([^"\\]+)"/u;

/** Files with a record of JSON in each line, plain or compressed. */
export const jsonlReader: HistoryReader = {
  find: (root) => findFiles(root, NAME),
  open: (path) => openFile(path, readRecords),
  hasLines: () => true,
};

/** Links are not followed: what they point to belongs to somebody else, or comes up itself. */
export function* findFiles(root: string, name: RegExp): Generator<FoundSource> {
  const stats = statSync(root, { throwIfNoEntry: false });
  if (stats?.isFile()) yield foundAt(root, stats);
  if (stats?.isDirectory()) yield* filesIn(root, name, 0);
}

function* filesIn(folder: string, name: RegExp, depth: number): Generator<FoundSource> {
  for (const entry of entriesOf(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && depth < MOST_DEPTH) yield* filesIn(path, name, depth + 1);
    if (!entry.isFile() || !name.test(entry.name)) continue;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile()) yield foundAt(path, stats);
  }
}

function foundAt(path: string, { size, mtimeMs }: Stats): FoundSource {
  const source = path.endsWith(PACKED) ? path.slice(0, -PACKED.length) : path;
  return { source, path, sizeBytes: size, mtimeMs: Math.floor(mtimeMs) };
}

/** In the order of their names: of a file that is there both plain and packed, the plain one comes first. */
function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

async function* readRecords(fd: number, path: string, from: number): AsyncGenerator<readonly StoredRecord[]> {
  for await (const lines of readLines(fd, path, from)) {
    yield lines.filter(({ text }) => text === null || text.trim() !== "").map(recordOf);
  }
}

function recordOf({ text, offset, bytes }: Line): StoredRecord {
  const type = text === null ? undefined : TYPE_FIRST.exec(text)?.[1];
  return { offset, bytes, type, read: () => (text === null ? undefined : readJsonObject(text)) };
}

/** The path below a root; its name where the root is the file itself. */
export function below(root: string, path: string): string {
  return path === root ? basename(path) : path.slice(root.length).replace(/^\/+/u, "");
}
