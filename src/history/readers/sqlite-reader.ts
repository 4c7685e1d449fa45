import { type Stats, statSync } from "node:fs";
import type { History, HistoryDatabase } from "../../agents/history.ts";
import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import { openAgentDatabase } from "../../record/foreign/foreign-database.ts";
import {
  type CountedName,
  type CountedRecord,
  type CountedRecords,
  CountedSource,
} from "./counted-source.ts";
import { databasesIn, idIn, SEPARATOR } from "./databases.ts";
import { LONGEST_LINE } from "./line-reader.ts";
import type { FoundSource, HistoryReader } from "./reader.ts";
import { openTreeSource, treeSourcesIn } from "./tree-reader.ts";

/** As the longest line of a file. */
const LONGEST_RECORD = LONGEST_LINE;
/** More than any agent keeps in one database or one conversation. */
const MOST_ROWS = 1_000_000;
/** Two writes within a tick of the clock of the file system have the same time. */
const SETTLED_MS = 1000;

type AgentDatabase = NonNullable<ReturnType<typeof openAgentDatabase>>;

interface SessionRow {
  readonly id: string;
  readonly records: number;
  readonly changed: number | null;
}

/**
 * Histories in a database of SQLite: a source is the path of the database with the id of a session behind it. Those that
 * are only in the tree of files before it go by the same names. Of one that is in several databases the newest form counts.
 */
export function sqliteReader({ database: spec }: History, busyMs?: number): HistoryReader {
  if (spec === undefined) throw new Error("A history in a database says where its records are.");
  const databases = new Databases(spec.tables, busyMs);
  return {
    *find(root) {
      const newest = new Map<string, FoundSource>();
      for (const path of databasesIn(root, spec.files))
        for (const found of sourcesIn(path, spec, databases)) {
          const id = idIn(found.source);
          const other = newest.get(id);
          if (id === "") yield found;
          else if (!other || found.mtimeMs > other.mtimeMs) newest.set(id, found);
        }
      yield* newest.values();
      if (spec.tree) yield* treeSourcesIn(root, spec.tree, (id) => newest.has(id), SEPARATOR);
    },
    open(path) {
      if (spec.tree && path.endsWith(".json")) return openTreeSource(path, spec.tree, spec.isWhole);
      const at = path.lastIndexOf(SEPARATOR);
      const database = databases.open(at < 0 ? path : path.slice(0, at));
      const row = databases.listed.get(path) ?? { id: idIn(path), records: 0, changed: 0 };
      return database && new CountedSource(new DatabaseRecords(database, spec, row));
    },
    hasLines: () => false,
  };
}

/** The sessions of databases that did not change since: who looks again and again opens them once. */
const lists = new Map<string, { readonly stamp: string; readonly rows: readonly SessionRow[] }>();

/** Copies are made once: with this reader they go. */
class Databases {
  /** By their paths, as they were found: to count one again would cost as much as to count all. */
  readonly listed = new Map<string, SessionRow>();
  readonly #tables: readonly string[];
  readonly #busyMs: number | undefined;
  readonly #copies = new Map<string, AgentDatabase>();

  constructor(tables: readonly string[], busyMs: number | undefined) {
    this.#tables = tables;
    this.#busyMs = busyMs;
  }

  open(path: string): AgentDatabase | undefined {
    const known = this.#copies.get(path);
    if (known) return known;
    const database = openAgentDatabase(path, this.#tables, this.#busyMs);
    if (!database?.isCopy) return database;
    const kept = { ...database, [Symbol.dispose]: () => {} };
    this.#copies.set(path, kept);
    return kept;
  }
}

/** One that cannot be read is a source itself, so that who reads it is told why. */
function* sourcesIn(path: string, spec: HistoryDatabase, databases: Databases): Generator<FoundSource> {
  const rows = knownSessionsIn(path, spec, databases);
  if (rows === undefined) yield { source: path, path, ...sizeOf(path) };
  for (const row of rows ?? []) {
    const { id, records, changed } = row;
    const source = `${path}${SEPARATOR}${id}`;
    databases.listed.set(source, row);
    yield { source, path: source, sizeBytes: records, mtimeMs: changed ?? 0 };
  }
}

function knownSessionsIn(
  path: string,
  spec: HistoryDatabase,
  databases: Databases,
): readonly SessionRow[] | undefined {
  const stamp = stampOf(path);
  const known = lists.get(path);
  if (known && known.stamp === stamp) return known.rows;
  const rows = sessionsIn(path, spec, databases);
  if (rows && stamp !== undefined) lists.set(path, { stamp, rows });
  else lists.delete(path);
  return rows;
}

/** The same as long as nothing is written; undefined where that would not show yet. */
function stampOf(path: string): string | undefined {
  const files = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false }));
  if (files.some((file) => file && Date.now() - file.mtimeMs < SETTLED_MS)) return undefined;
  return files.map((file) => (file ? `${file.ino} ${file.size} ${file.mtimeMs}` : "none")).join(", ");
}

function sessionsIn(
  path: string,
  { sessions }: HistoryDatabase,
  databases: Databases,
): readonly SessionRow[] | undefined {
  try {
    using database = databases.open(path);
    return (database?.all(`${sessions} LIMIT ${MOST_ROWS}`, {}) ?? []) as readonly SessionRow[];
  } catch {
    return undefined;
  }
}

function sizeOf(path: string): Pick<FoundSource, "sizeBytes" | "mtimeMs"> {
  const { size = 0, mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return { sizeBytes: size, mtimeMs: Math.floor(mtimeMs) };
}

/** The records of one session, each a statement: a long transaction would keep the agent from tidying its database up. */
class DatabaseRecords implements CountedRecords {
  readonly #database: AgentDatabase;
  readonly #spec: HistoryDatabase;
  readonly #row: SessionRow;

  constructor(database: AgentDatabase, spec: HistoryDatabase, row: SessionRow) {
    this.#database = database;
    this.#spec = spec;
    this.#row = row;
  }

  names(): readonly CountedName[] {
    const statement = `${this.#spec.records} LIMIT ${MOST_ROWS}`;
    const names = this.#database.all(statement, { id: this.#row.id }) as readonly CountedName[];
    // Where tables are other ones by now, this throws, also when nothing is new.
    if (names[0]) this.record(names[0]);
    return names;
  }

  record({ kind, id }: CountedName): CountedRecord {
    const rows = this.#database.all(this.#spec.record, { kind, id, longest: LONGEST_RECORD });
    const text = (rows as readonly { readonly record: string | null }[])[0]?.record ?? null;
    return {
      bytes: text === null ? 0 : Buffer.byteLength(text),
      read: () => (text === null ? undefined : readJsonObject(text)),
    };
  }

  place(): ReturnType<CountedRecords["place"]> {
    const stats: Stats | undefined = statSync(this.#database.path, { throwIfNoEntry: false });
    return {
      ...{ device: String(stats?.dev ?? 0), inode: String(stats?.ino ?? 0) },
      ...{ sizeBytes: this.#row.records, mtimeMs: this.#row.changed ?? 0 },
    };
  }

  isWhole(record: JsonObject | undefined): boolean {
    return record === undefined || this.#spec.isWhole(record);
  }

  [Symbol.dispose](): void {
    this.#database[Symbol.dispose]();
  }
}
