import { readdirSync, readFileSync } from "node:fs";
import { RollcallError } from "../domain/errors.ts";
import type { ProcessIdentity } from "../domain/session/session.ts";

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
  return readProcess(pid)?.startTime;
}

/** A living process as /proc shows it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTime: string;
}

export function readProcess(pid: number): ProcessEntry | undefined {
  const fields = fieldsOf(pid);
  if (fields === undefined) return undefined;
  // A process whose first thread has left shows as a zombie while its others run.
  const isGone = fields[0] === "X" || (fields[0] === "Z" && Number(fields[17]) < 2);
  if (isGone || fields[19] === undefined) return undefined;
  const [parent, group, session] = fields.slice(1, 4).map(Number) as [number, number, number];
  return { pid, parent, group, session, startTime: fields[19] };
}

/** All living processes, in one pass over /proc. */
export function processTable(): Map<number, ProcessEntry> {
  const table = new Map<number, ProcessEntry>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const entry = Number.isInteger(pid) ? readProcess(pid) : undefined;
    if (entry) table.set(pid, entry);
  }
  return table;
}

/** Reads a file of a process whose first thread may have left: then only its other threads have it. */
export function readOfProcess(pid: number, read: (folder: string) => string): string {
  const first = orEmpty(() => read(`/proc/${pid}`));
  if (first !== "") return first;
  for (const thread of threadsOf(pid)) {
    const text = orEmpty(() => read(`/proc/${pid}/task/${thread}`));
    if (text !== "") return text;
  }
  return "";
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).filter((thread) => Number(thread) !== pid);
  } catch {
    return [];
  }
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

/** The fields of its `stat`, from its state on. */
function fieldsOf(pid: number): readonly string[] | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  // The command in parentheses may hold spaces and parentheses of its own: fields count from the last one.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The terminal that a process runs in, as `ps` names it; undefined for one without, or one that is gone. */
export function terminalOf(process: ProcessIdentity): string | undefined {
  if (!isProcessAlive(process)) return undefined;
  const fields = fieldsOf(process.pid);
  const number = Number(fields?.[4] ?? 0);
  const [major, minor] = [(number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xfff00)];
  if (major >= PTS_MAJOR && major < PTS_MAJOR + 8) return `pts/${(major - PTS_MAJOR) * 256 + minor}`;
  return major === TTY_MAJOR && minor < 64 ? `tty${minor}` : undefined;
}

/** Linux gives pseudo-terminals eight major numbers from this one on. */
const PTS_MAJOR = 136;
const TTY_MAJOR = 4;

/** Whether it is of this user, by who started it; also where root could read and signal those of others. */
export function isOwnProcess(pid: number): boolean {
  const owner = /^Uid:\t(\d+)/m.exec(readOrUndefined(`/proc/${pid}/status`) ?? "")?.[1];
  return owner !== undefined && Number(owner) === process.geteuid?.();
}

/** Errors that say something about us, and nothing about the process: nobody is dead because we cannot look. */
const CANNOT_LOOK = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (CANNOT_LOOK.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return undefined;
  }
}
