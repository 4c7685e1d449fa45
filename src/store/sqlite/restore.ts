import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { RollcallError } from "../../domain/errors.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { partialPath, removePartials } from "../../machine/partial-file.ts";
import type { BackupReport } from "../maintenance.ts";
import { backupTo, checkBackup, flush } from "./backup.ts";
import { connect, connectReadOnly, prepareFolder } from "./connection.ts";
import { translate } from "./failure.ts";
import { nativeBinding } from "./native-binding.ts";
import { FeedTable } from "./tables/feed-table.ts";
import { LogTable } from "./tables/log-table.ts";
import { SessionTable } from "./tables/session-table.ts";

export interface RestoreReport {
  readonly sessions: number;
  readonly events: number;
  /** The path at which the store before is kept; null where there was none. */
  readonly before: string | null;
}

/**
 * Puts a checked backup in the place of the store. What was there is kept beside it: as a backup where it can be
 * read, as it is where it cannot. Other programs may have the store open meanwhile. `check` may refuse by what is in it.
 */
export async function restoreDatabase(
  path: string,
  from: string,
  stamp: string,
  check: (findRow: FindRow) => void = () => {},
): Promise<RestoreReport> {
  const { sessions, events } = await checkBackup(from);
  checkRows(from, check);
  removePartials(dirname(path));
  const kept = existsSync(path) ? await keepPresent(path, stamp) : null;
  if (kept?.readable) await overwrite(path, from);
  else copyIn(path, from, stamp);
  return { sessions, events, before: kept?.path ?? null };
}

/** Finds the row of a session in the backup. */
export type FindRow = (sessionId: string) => SessionRow | undefined;

function checkRows(from: string, check: (findRow: FindRow) => void): void {
  const db = connectReadOnly(from);
  try {
    const sessions = new SessionTable(db);
    check((id) => sessions.findRow(id));
  } catch (error) {
    throw translate(error, from);
  } finally {
    db.close();
  }
}

interface Kept {
  readonly path: string;
  readonly readable: boolean;
}

async function keepPresent(path: string, stamp: string): Promise<Kept> {
  const copy = `${path}.before-restore-${stamp}`;
  if (existsSync(copy))
    throw new RollcallError("backup_failed", `${copy} exists already; nothing was restored.`);
  try {
    const db = connect({ path });
    try {
      const report: BackupReport = await backupTo(db, copy);
      return { path: report.path, readable: true };
    } finally {
      db.close();
    }
  } catch (error) {
    if (!(error instanceof RollcallError) || !UNREADABLE.has(error.code)) throw error;
    return { path: `${path}.damaged-${stamp}`, readable: false };
  }
}

const UNREADABLE = new Set(["store_corrupt", "store_not_a_database", "backup_failed", "corrupt"]);

/** In one transaction of the engine's own: whoever has the store open sees the old one, then the new one. */
async function overwrite(path: string, from: string): Promise<void> {
  const partial = partialPath(path);
  try {
    copyFileSync(from, partial);
    chmodSync(partial, 0o600);
    goOnCounting(partial, path);
    const source = connectReadOnly(partial);
    try {
      await source.backup(path, { progress: () => 0x7fffffff });
    } finally {
      source.close();
    }
  } catch (error) {
    throw translate(error, path);
  } finally {
    removeWithJournals(partial);
  }
}

function removeWithJournals(path: string): void {
  for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(path + end, { force: true });
}

/** More than others write until the store is replaced. */
const MARGIN = 1_000_000;

/** A reader that follows the feed or the changes of the old store goes on in the new one: no number is used again. */
function goOnCounting(copy: string, present: string): void {
  const old = connectReadOnly(present);
  const db = new Database(copy, { nativeBinding: nativeBinding() });
  try {
    const [feed, changed] = [old, db]
      .map(countsOf)
      .reduce((a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1])]);
    new FeedTable(db).raiseTo(feed + MARGIN);
    new LogTable(db).renew(changed + MARGIN);
  } finally {
    db.close();
    old.close();
  }
}

function countsOf(db: Database.Database): readonly [feed: number, changed: number] {
  return [Number(new FeedTable(db).end()), new LogTable(db).lastChange()];
}

/** A copy that follows the log of the backup must not go on in this one. */
function renewLog(copy: string): void {
  const db = new Database(copy, { nativeBinding: nativeBinding() });
  try {
    const log = new LogTable(db);
    log.renew(log.lastChange());
  } finally {
    db.close();
  }
}

function copyIn(path: string, from: string, stamp: string): void {
  try {
    prepareFolder({ path });
    const partial = partialPath(path);
    try {
      copyFileSync(from, partial);
      chmodSync(partial, 0o600);
      renewLog(partial);
      flush(partial);
      exchange(path, partial, stamp);
    } finally {
      removeWithJournals(partial);
    }
  } catch (error) {
    throw translate(error, path);
  }
}

function exchange(path: string, partial: string, stamp: string): void {
  const aside = `${path}.damaged-${stamp}`;
  // The name is never free, or whoever opens the store in between would make an empty one there.
  if (existsSync(path)) linkSync(path, aside);
  for (const end of ["-wal", "-shm"]) if (existsSync(path + end)) renameSync(path + end, aside + end);
  renameSync(partial, path);
  flush(dirname(path));
}
