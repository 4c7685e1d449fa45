import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { HistoryDatabase } from "../../agents/history.ts";
import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import { isDatabaseInUse, openAgentDatabase } from "../../record/foreign/foreign-database.ts";

/** More conversations than grow at once, and more databases than an agent has: the daemon answers nobody while it looks. */
const MOST_ROWS = 10_000;
const MOST_DATABASES = 5;
/** A source is the path of the database with this and the id of a session behind it. */
export const SEPARATOR = "#";

/** The daemon serves all sessions from one thread: it looks again later rather than wait for a lock. */
export const LOOK_BUSY_MS = 50;

/** The path of the database in the name of a source. */
export function databaseOf(source: string): string {
  const at = source.lastIndexOf(SEPARATOR);
  return at < 0 ? source : source.slice(0, at);
}

/** The id of the session behind it; empty where the database stands for itself. */
export function idIn(source: string): string {
  const at = source.lastIndexOf(SEPARATOR);
  return at < 0 ? "" : source.slice(at + 1);
}

export interface DatabaseRow {
  readonly database: string;
  readonly row: JsonObject;
}

/**
 * The rows of a statement in each database of a root that its agent has in use. Any other would have to be copied first;
 * one that cannot be read is told of by an import.
 */
export function rowsInUse(
  root: string,
  { files, tables }: HistoryDatabase,
  statement: string,
  values: Readonly<Record<string, string | number>> = {},
): readonly DatabaseRow[] {
  return databasesIn(root, files)
    .slice(0, MOST_DATABASES)
    .filter(isDatabaseInUse)
    .flatMap((path) => rowsIn(path, tables, statement, values));
}

function rowsIn(
  path: string,
  tables: readonly string[],
  statement: string,
  values: Readonly<Record<string, string | number>>,
): readonly DatabaseRow[] {
  try {
    using database = openAgentDatabase(path, tables, LOOK_BUSY_MS);
    const rows = database?.all(`${statement} LIMIT ${MOST_ROWS}`, values) ?? [];
    return (rows as JsonObject[]).filter(isJsonObject).map((row) => ({ database: path, row }));
  } catch {
    return [];
  }
}

export function databasesIn(root: string, names: RegExp): readonly string[] {
  const stats = statSync(root, { throwIfNoEntry: false });
  if (stats?.isFile()) return names.test(basename(root)) ? [root] : [];
  if (!stats?.isDirectory()) return [];
  return readdirSync(root)
    .filter((name) => names.test(name))
    .sort()
    .map((name) => join(root, name));
}
