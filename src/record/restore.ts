import { type RestoreReport, restoreDatabase } from "../store/sqlite/restore.ts";
import { storePath } from "./config.ts";

/** Puts a backup in the place of the store of a state folder. */
export async function restoreBackup(home: string, from: string, now: number): Promise<RestoreReport> {
  const stamp = new Date(now).toISOString().replace(/[-:.]/g, "");
  return restoreDatabase(storePath(home), from, stamp);
}
