import { closeSync, constants, copyFileSync, existsSync, fstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { openForeign, UnfitFileError } from "../../../machine/foreign-file.ts";
import { nativeBinding } from "../native-binding.ts";

/** A database of somebody else, which is only read. */
export interface ForeignDatabase extends Disposable {
  readonly path: string;
  /** It is as it was when it was opened, and may be used for as long as that is right. */
  readonly isCopy: boolean;
  /** All rows of a statement, read at once; none where it cannot be read. */
  all(statement: string, values: Readonly<Record<string, string | number>>): readonly unknown[];
}

/** How long a reader waits for whoever has locked the database. */
const BUSY_MS = 5000;
const GIB = 1024 ** 3;
/** Years of conversations fit in. A larger one would fill the disk where it is copied. */
const MOST_BYTES = 8 * GIB;

/**
 * Undefined where there is none. A reader of SQLite makes the files for its log where they are not: a database without
 * them is in nobody's hands, and is read from a copy. Only plain tables are read: a view or a computed column could keep
 * a statement busy for ever, and nothing can interrupt one.
 */
export function openForeignDatabase(
  path: string,
  tables: readonly string[],
  busyMs = BUSY_MS,
): ForeignDatabase | undefined {
  if (!existsSync(path)) return undefined;
  checkFiles(path);
  const hasLog = hasLogBeside(path);
  const database = hasLog
    ? new Database(path, { readonly: true, fileMustExist: true, nativeBinding: nativeBinding() })
    : openCopy(path);
  try {
    database.pragma(`busy_timeout = ${busyMs}`);
    database.pragma("trusted_schema = OFF");
    checkTables(database, path, tables);
  } catch (error) {
    database.close();
    throw error;
  }
  const prepared = new Map<string, Database.Statement>();
  const prepare = (statement: string) => {
    const known = prepared.get(statement) ?? database.prepare(statement);
    prepared.set(statement, known);
    return known;
  };
  return {
    path,
    isCopy: !hasLog,
    all: (statement, values) => prepare(statement).all(values),
    [Symbol.dispose]: () => void database.close(),
  };
}

/** The engine opens files without asking their kind, and a fifo would hold it up for ever. */
function checkFiles(path: string): void {
  let bytes = 0;
  for (const end of ["", "-wal", "-shm", "-journal"]) {
    if (!existsSync(`${path}${end}`)) continue;
    const fd = openForeign(`${path}${end}`);
    bytes += fstatSync(fd).size;
    closeSync(fd);
  }
  if (bytes > MOST_BYTES) throw new UnfitFileError(`${path} is larger than ${MOST_BYTES / GIB} GiB.`);
}

function checkTables(database: Database.Database, path: string, tables: readonly string[]): void {
  const kind = database.prepare(
    "SELECT 1 FROM sqlite_master WHERE lower(name) = $name AND rootpage > 0 AND type = 'table'",
  );
  const computed = database.prepare("SELECT 1 FROM pragma_table_xinfo($name) WHERE hidden <> 0");
  for (const name of tables)
    if (!kind.get({ name }) || computed.get({ name }))
      throw new UnfitFileError(`${path} has no plain table ${name}.`);
}

/** Whether the log and its index lie beside a database, so that it can be read where it is. */
export function hasLogBeside(path: string): boolean {
  return existsSync(`${path}-wal`) && existsSync(`${path}-shm`);
}

/** The copy is ours: its log is put into it, and its name is gone at once. */
function openCopy(path: string): Database.Database {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-history-"));
  try {
    const copy = join(folder, basename(path));
    for (const end of ["", "-wal"])
      if (existsSync(`${path}${end}`))
        copyFileSync(`${path}${end}`, `${copy}${end}`, constants.COPYFILE_FICLONE);
    return openOwn(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function openOwn(copy: string): Database.Database {
  const database = new Database(copy, { nativeBinding: nativeBinding() });
  try {
    database.pragma("journal_mode = DELETE");
    database.pragma("query_only = ON");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
