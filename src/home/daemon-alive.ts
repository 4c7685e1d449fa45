import { readForeignText } from "../machine/foreign-file.ts";
import { startTimeOf } from "../machine/process.ts";
import { daemonPidPath } from "./layout.ts";

const MOST_BYTES = 1024;

/** Whether a daemon of this state folder lives, by its pid. A pid that someone else has got meanwhile counts, too. */
export function isDaemonAlive(home: string): boolean {
  try {
    return startTimeOf(Number(readForeignText(daemonPidPath(home), MOST_BYTES))) !== undefined;
  } catch {
    return false;
  }
}
