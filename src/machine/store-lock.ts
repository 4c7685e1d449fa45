import { readFileSync, statSync } from "node:fs";

/** The processes that hold a lock for writing on the store, as the kernel lists them. None where it does not say. */
export function storeLockers(path: string): number[] {
  const files = [path, `${path}-shm`].flatMap((name) => statSync(name, { throwIfNoEntry: false })?.ino ?? []);
  return locks().flatMap((line) => {
    const [, kind, , access, pid, place = ""] = line.split(/\s+/);
    const isHeld = kind === "POSIX" && access === "WRITE";
    return isHeld && files.includes(Number(place.split(":")[2])) ? [Number(pid)] : [];
  });
}

/** `1: POSIX  ADVISORY  WRITE 4711 08:01:1234 120 120`; who waits for a lock has an arrow behind the number. */
function locks(): string[] {
  try {
    return readFileSync("/proc/locks", "utf8").trim().split("\n");
  } catch {
    return [];
  }
}
