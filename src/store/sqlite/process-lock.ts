import { closeSync, openSync } from "node:fs";
import Database from "better-sqlite3";
import { translate } from "./failure.ts";
import { nativeBinding } from "./native-binding.ts";

/** Several callers at once hold each other off for a moment: without patience nobody might get it. */
const PATIENCE_MS = 250;

/**
 * Takes a lock that belongs to this process alone and that the system takes back with it, however it dies.
 * Undefined where another process has it.
 */
export function takeProcessLock(path: string): Disposable | undefined {
  const db = openFile(path);
  try {
    // Never committed: the transaction is the lock, and nothing is written, also where there is no room.
    db.pragma("journal_mode = MEMORY");
    db.exec("BEGIN EXCLUSIVE");
    return { [Symbol.dispose]: () => db.close() };
  } catch (error) {
    db.close();
    if ((error as { code?: string }).code?.startsWith("SQLITE_BUSY")) return undefined;
    throw translate(error, path);
  }
}

function openFile(path: string): Database.Database {
  try {
    makeFile(path);
    return new Database(path, { timeout: PATIENCE_MS, nativeBinding: nativeBinding() });
  } catch (error) {
    throw translate(error, path);
  }
}

/** For this user alone. One that is there is never opened: closing it again would give back a lock that we have. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
