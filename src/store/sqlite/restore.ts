import { chmodSync, copyFileSync, existsSync, linkSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { RollcallError } from "../../domain/errors.ts";
import type { BackupReport } from "../store.ts";
import { backupTo, checkBackup, flush } from "./backup.ts";
import { connect, connectReadOnly } from "./connection.ts";

export interface RestoreReport {
  readonly sessions: number;
  readonly events: number;
  /** Where what was there before is kept; null where there was nothing. */
  readonly before: string | null;
}

/**
 * Puts a checked backup in the place of the store. What was there is kept beside it: as a backup where it can be
 * read, as it is where it cannot. Other programs may have the store open meanwhile.
 */
export async function restoreDatabase(path: string, from: string, stamp: string): Promise<RestoreReport> {
  const { sessions, events } = await checkBackup(from);
  const kept = existsSync(path) ? await keepPresent(path, stamp) : null;
  if (kept?.readable) await overwrite(path, from);
  else copyIn(path, from, stamp);
  return { sessions, events, before: kept?.path ?? null };
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
  const source = connectReadOnly(from);
  try {
    await source.backup(path, { progress: () => 0x7fffffff });
  } finally {
    source.close();
  }
}

function copyIn(path: string, from: string, stamp: string): void {
  const partial = `${path}.partial-${stamp}`;
  copyFileSync(from, partial);
  chmodSync(partial, 0o600);
  flush(partial);
  const aside = `${path}.damaged-${stamp}`;
  // The name is never free, or whoever opens the store in between would make an empty one there.
  if (existsSync(path)) linkSync(path, aside);
  for (const end of ["-wal", "-shm"]) if (existsSync(path + end)) renameSync(path + end, aside + end);
  renameSync(partial, path);
  flush(dirname(path));
}
