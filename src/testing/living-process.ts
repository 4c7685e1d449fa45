import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { markerOf } from "../machine/proc.ts";

export interface LivingProcess extends AsyncDisposable {
  readonly pid: number;
  /** Returns when the process is gone and reaped. */
  kill(): Promise<void>;
}

/** A real process that does nothing until it is killed. */
export function livingProcess({ env = process.env } = {}): LivingProcess {
  const script = "setInterval(() => {}, 1e6)";
  const child = spawn(process.execPath, ["-e", script], { stdio: "ignore", env });
  const exited = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return { pid: child.pid as number, kill, [Symbol.asyncDispose]: kill };
}

/** The same with the marker of a launch, once the system shows it. */
export async function markedProcess(marker: string): Promise<LivingProcess> {
  const living = livingProcess({ env: { ...process.env, ROLLCALL_SESSION: marker } });
  while (markerOf(living.pid) !== marker) await nextTurn();
  return living;
}
