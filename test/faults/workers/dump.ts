import { createHash } from "node:crypto";
import Database from "better-sqlite3";

/** What a database holds, table by table and column by column, without touching its file. */
export interface Dump {
  /** A hash for each column; `table.column`. */
  readonly columns: Readonly<Record<string, string>>;
}

/** Reads a copy in memory. Says undefined where the engine cannot read all of it. */
export function dump(file: Buffer): Dump | undefined {
  const copy = Buffer.from(file);
  // An image in memory has no journal: these two bytes say that none is needed.
  copy[18] = 1;
  copy[19] = 1;
  try {
    using db = open(copy);
    return { columns: Object.fromEntries([...columnsOf(db)]) };
  } catch {
    return undefined;
  }
}

function open(image: Buffer): Database.Database & Disposable {
  const db = new Database(image, { readonly: true });
  return Object.assign(db, { [Symbol.dispose]: () => void db.close() });
}

function* columnsOf(db: Database.Database): Iterable<[string, string]> {
  yield ["header.user_version", String(db.pragma("user_version", { simple: true }))];
  yield ["header.application_id", String(db.pragma("application_id", { simple: true }))];
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'search' UNION SELECT 'sqlite_schema'",
    )
    .pluck()
    .all() as string[];
  for (const table of tables) {
    const rows = db.prepare(`SELECT * FROM "${table}"`).safeIntegers().raw().all() as unknown[][];
    const names = db
      .prepare(`SELECT * FROM "${table}"`)
      .columns()
      .map(({ name }) => name);
    for (const [index, name] of names.entries())
      yield [`${table}.${name}`, hash(rows.map((row) => row[index]))];
  }
}

function hash(values: readonly unknown[]): string {
  const sum = createHash("sha256");
  for (const value of values) {
    sum.update(`${typeof value}:`);
    sum.update(Buffer.isBuffer(value) ? value : String(value));
    sum.update("\0");
  }
  return sum.digest("hex");
}
