import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../domain/session/session.ts";
import { bootId, isOwnProcess, isProcessAlive, readOfProcess, startTimeOf } from "./process.ts";

/** A process that carries the marker of a launch of one state folder in its environment. */
export interface MarkedProcess extends ProcessIdentity {
  readonly marker: string;
  readonly command: string;
}

/** All living ones of this user, in one pass over /proc. Those of other state folders are not among them. */
export function markedProcesses(home: string): MarkedProcess[] {
  const boot = bootId();
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    const startTime = startTimeOf(pid);
    const marker = markerOf(pid, home);
    if (startTime === undefined || marker === undefined) return [];
    return [{ pid, startTime, bootId: boot, marker, command: commandOf(pid) }];
  });
}

/** Whether it is the very process that was found, and still carries the marker. */
export function isStillMarked(found: MarkedProcess, home: string): boolean {
  return isProcessAlive(found) && markerOf(found.pid, home) === found.marker;
}

function markerOf(pid: number, home: string): string | undefined {
  const environ = readOwn(pid, "environ").split("\0");
  const read = (name: string) =>
    environ.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
  const marker = read("ROLLCALL_SESSION");
  const itsHome = read("ROLLCALL_HOME");
  if (marker === undefined || itsHome === undefined || !/^[0-9a-f]{32}$/.test(marker)) return undefined;
  return realPath(itsHome) === realPath(home) ? marker : undefined;
}

export function commandOf(pid: number): string {
  return readOwn(pid, "cmdline").replaceAll("\0", " ").trim();
}

/** Empty for processes of other users, also where root could read them. */
function readOwn(pid: number, file: string): string {
  if (!isOwnProcess(pid)) return "";
  return readOfProcess(pid, (folder) => readFileSync(join(folder, file), "utf8"));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
