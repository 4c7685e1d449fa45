import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { RollcallError } from "../domain/errors.ts";

/** Files that others could have Rollcall act on if they wrote them: commands, records, events, input. */
const PLACES = [
  "config.json",
  "machine-id",
  "rollcall.db",
  "rollcall.db-wal",
  "rollcall.db-shm",
  "backups",
  "recordings",
  "run",
  "run/hook.sh",
  "run/hooks",
  "run/sessions",
] as const;

const BY_OTHERS = 0o022;
const THROUGH_BY_OTHERS = 0o011;

/**
 * Refuses a state folder that another user can write or has written to: what is read there is acted on as this user.
 * Throws `store_exposed` or `store_wrong_owner`; a folder that does not exist yet is fine.
 */
export function checkStateFolder(home: string): void {
  const folder = statSync(home, { throwIfNoEntry: false });
  if (!folder) return;
  checkOwner(home, folder);
  if ((folder.mode & BY_OTHERS) !== 0) throw exposed(home);
  const isReachable = (folder.mode & THROUGH_BY_OTHERS) !== 0;
  for (const path of PLACES.map((name) => join(home, name))) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) continue;
    checkOwner(path, found);
    if (isReachable && (found.mode & BY_OTHERS) !== 0) throw exposed(path);
  }
}

function checkOwner(path: string, { uid }: Stats): void {
  const own = process.getuid?.();
  if (own === undefined || uid === own) return;
  throw new RollcallError(
    "store_wrong_owner",
    `${path} belongs to another user (uid ${uid}, you are ${own}).`,
    {
      hint: "Run Rollcall as its owner, or choose another folder with ROLLCALL_HOME.",
    },
  );
}

function exposed(path: string): RollcallError {
  return new RollcallError("store_exposed", `Other users can write to ${path}.`, {
    hint: "Look at what is in it, and close it with `rollcall doctor --fix`.",
    facts: { path },
  });
}
