import { closeSync, openSync, readSync, statSync } from "node:fs";

/** The processes that hold a lock for writing on the store, as the kernel lists them. None where it does not say. */
export function storeLockers(path: string): number[] {
  const files = [path, `${path}-shm`].flatMap((name) => statSync(name, { throwIfNoEntry: false })?.ino ?? []);
  return locks().flatMap((line) => {
    const [, kind, , access, pid, place = ""] = line.split(/\s+/);
    const isHeld = kind === "POSIX" && access === "WRITE";
    return isHeld && files.includes(Number(place.split(":")[2])) ? [Number(pid)] : [];
  });
}

const PAGE_BYTES = 4096;

/**
 * `1: POSIX  ADVISORY  WRITE 4711 08:01:1234 120 120`; who waits for a lock has an arrow behind the number. The kernel hands out a
 * page at a time, and a lock that goes in between makes it skip another one: each page is read from the middle of the one before.
 * The part of a line that a page then begins with is no lock.
 */
function locks(): string[] {
  const lines: string[] = [];
  const page = Buffer.alloc(PAGE_BYTES);
  try {
    const fd = openSync("/proc/locks", "r");
    try {
      for (let at = 0, bytes = -1; bytes !== 0; at += Math.ceil(bytes / 2)) {
        bytes = readSync(fd, page, 0, PAGE_BYTES, at);
        lines.push(...page.toString("latin1", 0, bytes).split("\n"));
      }
    } finally {
      closeSync(fd);
    }
  } catch {
    // Where the kernel tells no locks, none is known.
  }
  return lines;
}
