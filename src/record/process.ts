import { readFileSync } from "node:fs";
import { RollcallError } from "../domain/errors.ts";
import type { ProcessIdentity } from "../domain/session.ts";

/** The identity of a process that runs now: its pid alone may belong to another one tomorrow. */
export function identifyProcess(pid: number): ProcessIdentity {
  const startTime = startTimeOf(pid);
  if (startTime !== undefined) return { pid, startTime, bootId: bootId() };
  throw new RollcallError("bad_input", `There is no process ${pid} that Rollcall can see.`, {
    hint: "Give the pid of a running process, or leave --pid out.",
  });
}

export function isProcessAlive(process: ProcessIdentity): boolean {
  return process.bootId === bootId() && startTimeOf(process.pid) === process.startTime;
}

export function bootId(): string {
  return readOrUndefined("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
}

/** In clock ticks since boot; undefined for a process that is gone or waits to be reaped. */
export function startTimeOf(pid: number): string | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command in parentheses may hold spaces and parentheses of its own: fields count from the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const isGone = fields[0] === "Z" || fields[0] === "X";
  return isGone ? undefined : fields[19];
}

/** Whether it is of this user, by who started it; also where root could read and signal those of others. */
export function isOwnProcess(pid: number): boolean {
  const owner = /^Uid:\t(\d+)/m.exec(readOrUndefined(`/proc/${pid}/status`) ?? "")?.[1];
  return owner !== undefined && Number(owner) === process.geteuid?.();
}

/** What says something about us, and nothing about the process: nobody is dead because we cannot look. */
const CANNOT_LOOK = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (CANNOT_LOOK.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return undefined;
  }
}
