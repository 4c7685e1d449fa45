import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A file of another boot, container or computer counts as abandoned when nobody has written to it for so long. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** Pid and start time of the writer, where those numbers count, and a number that is never used twice. */
const NAME = /\.partial-(\d+)-(\d+)-([0-9a-f]{16})-[0-9a-f]{6}(?:-journal|-wal|-shm)?$/;

/** The place where processes are not known by number to us, such as a system without /proc. */
const NOWHERE = "0".repeat(16);

let writer: string | undefined;

/** A new name beside a file: its content is written there first, and renamed when it is whole. */
export function partialPath(path: string): string {
  writer ??= `${process.pid}-${pidSpace() === NOWHERE ? 0 : startTimeOf(process.pid)}-${pidSpace()}`;
  return `${path}.partial-${writer}-${Math.random().toString(16).slice(2, 8).padEnd(6, "0")}`;
}

/** Removes what killed writers left in a folder. Files of living writers and of other programs stay. */
export function removePartials(folder: string): void {
  for (const path of findPartials(folder)) {
    try {
      rmSync(path, { force: true });
    } catch {
      // The folder may be read-only; what the caller came for does not depend on it.
    }
  }
}

/** Partial files in a folder whose writer is gone. */
export function findPartials(folder: string): string[] {
  return namesIn(folder).flatMap((name) => {
    const [, pid, startTime, space] = NAME.exec(name) ?? [];
    if (pid === undefined) return [];
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isFile() || found.uid !== process.geteuid?.()) return [];
    const isKnown = space === pidSpace() && space !== NOWHERE;
    const isGone = isKnown ? isOver(Number(pid), startTime) : Date.now() - found.mtimeMs > ABANDONED_MS;
    return isGone ? [path] : [];
  });
}

/** The folder may be one that can be written but not listed. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Pids and start times are compared within one boot and one pid namespace only. */
function pidSpace(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8);
    const namespace = Number(/\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0]);
    return `${boot}${namespace.toString(16).padStart(8, "0").slice(-8)}`;
  } catch {
    return NOWHERE;
  }
}

/** A process that cannot be looked at for want of memory or descriptors is not over. */
function isOver(pid: number, startTime: string | undefined): boolean {
  try {
    return startTimeOf(pid) !== startTime;
  } catch (error) {
    return ["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

/** In clock ticks since boot; undefined for a process that waits to be reaped. */
function startTimeOf(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A process whose first thread has left shows as a zombie while its others run.
  return fields[0] === "Z" && Number(fields[17]) < 2 ? undefined : fields[19];
}
