import { readdirSync, readFileSync } from "node:fs";
import type { ProcessIdentity } from "../domain/session/session.ts";
import { bootId, isOwnProcess, readOfProcess, startTimeOf } from "./process.ts";

/** The pids of all processes that carry a variable of a launch in their environment, by its value. One pass over /proc. */
export function processesByMarker(): Map<string, ProcessIdentity[]> {
  const found = new Map<string, ProcessIdentity[]>();
  const boot = bootId();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const marker = markerOf(pid);
    const startTime = marker === undefined ? undefined : startTimeOf(pid);
    if (marker === undefined || startTime === undefined) continue;
    const list = found.get(marker) ?? [];
    list.push({ pid, startTime, bootId: boot });
    found.set(marker, list);
  }
  return found;
}

const NAME = "ROLLCALL_SESSION=";

/** Undefined for processes of other users and for those without one. */
export function markerOf(pid: number): string | undefined {
  const marker = readMarker(pid);
  return marker !== undefined && isOwnProcess(pid) ? marker : undefined;
}

function readMarker(pid: number): string | undefined {
  const environ = readOfProcess(pid, (folder) => readFileSync(`${folder}/environ`, "latin1"));
  const at = environ.startsWith(NAME) ? 0 : environ.indexOf(`\0${NAME}`) + 1;
  if (at === 0 && !environ.startsWith(NAME)) return undefined;
  const end = environ.indexOf("\0", at);
  return environ.slice(at + NAME.length, end < 0 ? undefined : end);
}

export function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) === "T";
  } catch {
    return false;
  }
}

/** How long a process runs, by a clock that nobody can set. */
export function ageMsOf({ startTime }: ProcessIdentity): number {
  const uptimeMs = Number.parseFloat(readFileSync("/proc/uptime", "latin1")) * 1000;
  const TICK_MS = 10;
  return Math.max(0, uptimeMs - Number(startTime) * TICK_MS);
}
