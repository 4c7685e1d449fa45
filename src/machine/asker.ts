import { readFileSync } from "node:fs";
import type { Asker } from "../domain/session/event.ts";

/** Describes a process for people who read the events later. Undefined for one that is gone. */
export function askerOf(pid: number, sessionId: string | null): Asker | undefined {
  try {
    const uid = Number(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
    return { uid, pid, terminal: terminalOf(pid), sessionId };
  } catch {
    return undefined;
  }
}

/** The controlling terminal, by the numbers of its device: as `ps` shows it. */
function terminalOf(pid: number): string | null {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const device = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[4]);
  const [major, minor] = [(device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00)];
  if (major >= FIRST_PTS && major <= LAST_PTS) return `pts/${(major - FIRST_PTS) * 256 + minor}`;
  return major === CONSOLE ? `tty${minor}` : null;
}

const CONSOLE = 4;
const FIRST_PTS = 136;
const LAST_PTS = 143;
