import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Every process that a run starts carries this variable, however deep it is started. */
export const RUN_MARK = "ROLLCALL_TEST_RUN";

export interface Leak {
  readonly what: string;
}

/** Processes that carry the mark of a run that is over, and sockets in its temp folder. */
export function findLeaks(mark: string, tempFolder: string): Leak[] {
  return [...leftProcesses(mark), ...leftSockets(tempFolder)];
}

function leftProcesses(mark: string): Leak[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    const isMarked = readOrEmpty(`/proc/${pid}/environ`).includes(`${RUN_MARK}=${mark}\0`);
    const isZombie = / Z /.test(readOrEmpty(`/proc/${pid}/stat`).replace(/\(.*\)/s, ""));
    if (!isMarked || isZombie) return [];
    return [{ what: `process ${pid}: ${readOrEmpty(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim()}` }];
  });
}

function leftSockets(folder: string): Leak[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isSocket())
    .map((entry) => ({ what: `socket ${join(entry.parentPath, entry.name)}` }));
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
