import { lstatSync, readdirSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import type { HistoryDatabase, HistoryTree } from "../../agents/history.ts";
import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import { isNothingToRead, readForeignText } from "../../machine/foreign-file.ts";
import {
  type CountedName,
  type CountedRecord,
  type CountedRecords,
  CountedSource,
} from "./counted-source.ts";
import type { FoundSource, OpenSource } from "./reader.ts";

/** A result of a tool or a picture fits in; a larger file, or a message with more in its parts, counts as broken. */
const MOST_BYTES = 16 * 1024 * 1024;
const SESSION = "session";
const FILE = /\.json$/u;

/** The histories of a tree, under the names that they have in the database which took its place. */
export function* treeSourcesIn(
  root: string,
  tree: HistoryTree,
  isElsewhere: (id: string) => boolean,
  separator: string,
): Generator<FoundSource> {
  for (const project of foldersIn(join(root, tree.sessions)))
    for (const { id, path } of filesIn(project)) {
      if (isElsewhere(id)) continue;
      const { sizeBytes, mtimeMs } = extentOf(path, join(root, tree.messages, id));
      yield { source: `${join(root, tree.database)}${separator}${id}`, path, sizeBytes, mtimeMs };
    }
}

/** The history of a session by the path of its file; undefined where that is gone. */
export function openTreeSource(
  path: string,
  tree: HistoryTree,
  isWhole: HistoryDatabase["isWhole"],
): OpenSource | undefined {
  return statsOf(path) && new CountedSource(new TreeRecords(path, tree, isWhole));
}

class TreeRecords implements CountedRecords {
  readonly #path: string;
  readonly #root: string;
  readonly #messages: string;
  readonly #tree: HistoryTree;
  readonly #isWhole: HistoryDatabase["isWhole"];

  constructor(path: string, tree: HistoryTree, isWhole: HistoryDatabase["isWhole"]) {
    this.#path = path;
    this.#tree = tree;
    this.#isWhole = isWhole;
    // A session's file lies in the folder of its project.
    this.#root = path.slice(0, path.lastIndexOf(`/${tree.sessions}/`));
    this.#messages = join(this.#root, tree.messages, idOf(path));
  }

  names(): readonly CountedName[] {
    return [{ kind: SESSION, id: idOf(this.#path) }, ...this.#ordered()];
  }

  record({ kind, id }: CountedName): CountedRecord {
    const isSession = kind === SESSION;
    const file = readFile(isSession ? this.#path : join(this.#messages, `${id}.json`));
    const parts = isSession ? [] : this.#partsOf(id);
    const record =
      file && parts && (isSession ? this.#tree.sessionRecord(file) : this.#tree.messageRecord(file, parts));
    return { bytes: record === undefined ? 0 : JSON.stringify(record).length, read: () => record };
  }

  place(): ReturnType<CountedRecords["place"]> {
    const stats = statsOf(this.#path);
    const { sizeBytes, mtimeMs } = extentOf(this.#path, this.#messages);
    return { device: String(stats?.dev ?? 0), inode: String(stats?.ino ?? 0), sizeBytes, mtimeMs };
  }

  /** One that cannot be parsed may just be written. */
  isWhole(record: JsonObject | undefined): boolean {
    return record !== undefined && this.#isWhole(record);
  }

  [Symbol.dispose](): void {}

  /** As the database orders them. One that cannot be parsed stands behind all others until it can. */
  #ordered(): readonly CountedName[] {
    return filesIn(this.#messages)
      .map(({ id, path }) => {
        const message = readFile(path);
        return {
          kind: "message",
          id,
          at: message ? this.#tree.createdMs(message) : Number.POSITIVE_INFINITY,
        };
      })
      .sort((a, b) => (a.at === b.at ? 0 : a.at - b.at));
  }

  /** Undefined where they are too large together. */
  #partsOf(message: string): readonly JsonObject[] | undefined {
    const files = filesIn(join(this.#root, this.#tree.parts, message));
    const bytes = files.reduce((sum, { path }) => sum + (statsOf(path)?.size ?? 0), 0);
    if (bytes > MOST_BYTES) return undefined;
    return files.flatMap(({ path }) => {
      const part = readFile(path);
      return part ? [part] : [];
    });
  }
}

/** How many files there are, and when the newest of them was written. Parts are written before their message is whole. */
function extentOf(session: string, messages: string): Pick<FoundSource, "sizeBytes" | "mtimeMs"> {
  const times = [session, messages, ...filesIn(messages).map(({ path }) => path)].map(
    (path) => statsOf(path)?.mtimeMs ?? 0,
  );
  return { sizeBytes: times.length, mtimeMs: Math.floor(latestOf(times)) };
}

/** As arguments of one call, more than a hundred thousand would be too many for the engine. */
export function latestOf(times: readonly number[]): number {
  return times.reduce((latest, time) => Math.max(latest, time), 0);
}

/** Links are not followed: what they point to belongs to somebody else. */
function foldersIn(folder: string): readonly string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

/** In the order of their names, which is that of their ids. */
function filesIn(folder: string): readonly { readonly id: string; readonly path: string }[] {
  return entriesIn(folder)
    .filter((entry) => entry.isFile() && FILE.test(entry.name))
    .map(({ name }) => ({ id: idOf(name), path: join(folder, name) }));
}

function entriesIn(folder: string) {
  if (!statsOf(folder)?.isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function idOf(path: string): string {
  return basename(path).replace(FILE, "");
}

function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function readFile(path: string): JsonObject | undefined {
  try {
    return readJsonObject(readForeignText(path, MOST_BYTES));
  } catch (error) {
    if (isNothingToRead(error)) return undefined;
    throw error;
  }
}
