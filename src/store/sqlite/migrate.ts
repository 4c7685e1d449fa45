import type { Database } from "better-sqlite3";
import { RollcallError } from "../../domain/errors.ts";
import { record } from "./migrations/0001-record.ts";

/** In order; the place in the list is the version. Entries are never changed, only added. */
export const MIGRATIONS: readonly string[] = [record];

/** "Roll" in ASCII, so that a database of another program is never taken for ours. */
const APPLICATION_ID = 0x526f6c6c;

/** Brings a database to the newest schema, each step whole or not at all. */
export function migrate(db: Database, path: string, migrations: readonly string[] = MIGRATIONS): void {
  if (versionOf(db) === migrations.length && isOurs(db)) return;
  for (;;) {
    db.exec("BEGIN IMMEDIATE");
    try {
      const version = versionOf(db);
      checkOrigin(db, path, version, migrations.length);
      const step = migrations[version];
      if (step !== undefined) {
        db.exec(step);
        db.pragma(`application_id = ${APPLICATION_ID}`);
        db.pragma(`user_version = ${version + 1}`);
      }
      db.exec("COMMIT");
      if (step === undefined) return;
    } catch (error) {
      if (db.inTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }
}

export function versionOf(db: Database): number {
  return db.pragma("user_version", { simple: true }) as number;
}

export function isOurs(db: Database): boolean {
  return db.pragma("application_id", { simple: true }) === APPLICATION_ID;
}

function checkOrigin(db: Database, path: string, version: number, newest: number): void {
  const isEmpty = version === 0 && db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (!isEmpty && !isOurs(db)) {
    throw new RollcallError(
      "store_not_a_database",
      `${path} is the database of another program; it was left alone.`,
      {
        hint: "Move it away, or choose another folder with ROLLCALL_HOME.",
      },
    );
  }
  if (version < 0) {
    throw new RollcallError("store_corrupt", `${path} is damaged; it was left alone.`, {
      hint: "See `rollcall restore FILE` to go back to a backup.",
      facts: { path },
    });
  }
  if (version > newest) {
    throw new RollcallError(
      "store_newer",
      `${path} was written by a newer Rollcall (schema ${version}; this one knows ${newest}).`,
      {
        hint: "Update Rollcall; the data was left alone.",
      },
    );
  }
}
