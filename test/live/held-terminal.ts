import { closeSync, constants, openSync, readFileSync } from "node:fs";
import type { Shown } from "../cli/rollcall.ts";

/** A holder that is woken needs 100 ms to prove an end while someone else has the terminal open. */
const STOP_AGAIN_MS = 5;

/** Keeps the end of a session from being proven, until it is disposed of: its holder is stopped again as often as it is woken. */
export function holdTerminal(session: Shown): Disposable {
  const { pid } = session.process as { pid: number };
  const fd = openSync(`/proc/${pid}/fd/0`, constants.O_RDWR | constants.O_NOCTTY);
  const holder = parentOf(pid);
  process.kill(holder, "SIGSTOP");
  const timer = setInterval(() => process.kill(holder, "SIGSTOP"), STOP_AGAIN_MS);
  let isHeld = true;
  return {
    [Symbol.dispose]: () => {
      if (!isHeld) return;
      isHeld = false;
      clearInterval(timer);
      process.kill(holder, "SIGCONT");
      closeSync(fd);
    },
  };
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
