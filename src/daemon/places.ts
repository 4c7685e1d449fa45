import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { RollcallError } from "../domain/errors.ts";
import { hookPlaces } from "../home/hook-script.ts";
import { daemonPidPath, runFolder } from "../home/layout.ts";
import { checkStateFolder } from "../home/state-folder.ts";

/** The paths of the daemon of a state folder; most files there live only as long as its sessions. */
export interface Places {
  readonly home: string;
  readonly run: string;
  readonly lock: string;
  readonly pid: string;
  readonly socket: string;
  readonly sessions: string;
  readonly hooks: string;
  readonly hookScript: string;
  readonly recordings: string;
  readonly log: string;
}

export function placesOf(home: string): Places {
  const run = runFolder(home);
  const { script, spool } = hookPlaces(home);
  return {
    home,
    run,
    lock: join(run, "daemon.lock"),
    pid: daemonPidPath(home),
    socket: join(run, "daemon.sock"),
    sessions: join(run, "sessions"),
    hooks: spool,
    hookScript: script,
    recordings: join(home, "recordings"),
    log: join(home, "daemon.log"),
  };
}

/** Folders of this user alone. One that is a link or another's could be read or swapped by someone else. */
export function makePlaces(places: Places): void {
  checkStateFolder(places.home);
  for (const folder of [places.home, places.run, places.sessions, places.hooks, places.recordings]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    const isOurs = found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
    if (!isOurs && folder !== places.home)
      throw new RollcallError("store_wrong_owner", `${folder} is not a folder of yours.`, {
        hint: "Move it away, or choose another state folder with ROLLCALL_HOME.",
      });
    if ((found.mode & 0o077) !== 0 && folder !== places.home) chmodSync(folder, 0o700);
  }
}
