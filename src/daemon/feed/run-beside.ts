import { spawn } from "node:child_process";

export interface BesideOptions {
  readonly input: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs a program of the user's in a group of its own, which is killed when it takes too long. Returns what went wrong. */
export async function runBeside(
  [program, ...args]: readonly [string, ...string[]],
  { input, env, timeoutMs, signal }: BesideOptions,
): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const child = spawn(program, args, {
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    env: { ...env },
    detached: true,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(child.pid);
  }, timeoutMs);
  const abort = () => killGroup(child.pid);
  signal.addEventListener("abort", abort, { once: true });
  // It need not read what it is given.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  try {
    return await new Promise((resolve) => {
      child.on("error", (error) => resolve(error.message));
      child.on("exit", (code, by) =>
        resolve(
          code === 0 || signal.aborted
            ? undefined
            : isLate
              ? "it took too long"
              : `it ended with ${by ?? code}`,
        ),
      );
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/** The group is ours as long as its leader was not waited for, and that is reported only after its exit. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}
