import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "better-sqlite3";
import { RollcallError } from "../../domain/errors.ts";
import { partialPath, removePartials } from "../../machine/partial-file.ts";
import type { BackupReport, VerifyReport } from "../maintenance.ts";
import { connectReadOnly } from "./connection.ts";
import { countAll } from "./count-all.ts";
import { translate } from "./failure.ts";
import { isOurs, MIGRATIONS, versionOf } from "./migrate.ts";
import { verifyDatabase } from "./verify.ts";

/** Copies the database while others write, checks the copy, and only then gives it its name. */
export async function backupTo(db: Database, path: string): Promise<BackupReport> {
  if (existsSync(path)) {
    throw new RollcallError("bad_input", `${path} exists already; a backup never writes over a file.`, {
      hint: "Choose another name.",
    });
  }
  removePartials(dirname(path));
  const partial = partialPath(path);
  try {
    // Made by us, empty, so that nobody else can read it at any moment.
    closeSync(openSync(partial, "wx", 0o600));
    db.prepare("VACUUM INTO ?").run(partial);
    const report = await checkBackup(partial);
    flush(partial);
    renameSync(partial, path);
    flush(dirname(path));
    return { path, bytes: statSync(path).size, sessions: report.sessions, events: report.events };
  } catch (error) {
    throw translate(error, path);
  } finally {
    rmSync(partial, { force: true });
    rmSync(`${partial}-journal`, { force: true });
  }
}

/** Proves that a file is a sound store of ours; refuses it otherwise. */
export async function checkBackup(path: string): Promise<VerifyReport> {
  if (!existsSync(path)) {
    throw new RollcallError("not_found", `There is no backup at ${path}.`, {
      hint: "See `rollcall backup --list`.",
    });
  }
  const db = connectReadOnly(path);
  try {
    if (!isOurs(db) || versionOf(db) > MIGRATIONS.length) {
      throw new RollcallError("backup_failed", `${path} is not a backup that this Rollcall can read.`);
    }
    countAll(db);
    const report = await verifyDatabase(db);
    const [problem] = report.problems;
    if (!problem) return report;
    throw new RollcallError("backup_failed", `${path} is not sound (${problem.problem}); it was not used.`, {
      facts: { problems: report.problems.length },
    });
  } catch (error) {
    throw translate(error, path);
  } finally {
    db.close();
  }
}

export function flush(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
