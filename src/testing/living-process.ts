import { spawn } from "node:child_process";
import { once } from "node:events";

export interface LivingProcess extends AsyncDisposable {
  readonly pid: number;
  /** Returns when the process is gone and reaped. */
  kill(): Promise<void>;
}

/** A real process that does nothing until it is killed. */
export function livingProcess({ env = {} }: { readonly env?: NodeJS.ProcessEnv } = {}): LivingProcess {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], {
    stdio: "ignore",
    env: { ...process.env, ...env },
  });
  const exited = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return { pid: child.pid as number, kill, [Symbol.asyncDispose]: kill };
}
