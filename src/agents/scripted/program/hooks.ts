/** At most this long for one call: a hook that hangs must not hold the agent. */
const PATIENCE_MS = 5000;

type HookEvent = "session_start" | "turn_start" | "turn_end" | "request" | "session_end";

/** Calls the script of the environment, one event after the other, without making the turn wait. */
export class Hooks {
  readonly #script: string | undefined;
  readonly #facts: object;
  #last: Promise<void> = Promise.resolve();

  constructor(script: string | undefined, facts: object) {
    this.#script = script === "" ? undefined : script;
    this.#facts = facts;
  }

  call(event: HookEvent, more: object = {}): void {
    const script = this.#script;
    if (script === undefined) return;
    const payload = JSON.stringify({ ...this.#facts, time: new Date().toISOString(), ...more });
    this.#last = this.#last.then(() => run(script, event, payload));
  }

  /** When all that was called has come back, well or not. */
  async settled(): Promise<void> {
    await this.#last;
  }
}

async function run(script: string, event: string, payload: string): Promise<void> {
  const { spawn } = await import("node:child_process");
  const child = spawn(script, [event], {
    stdio: ["pipe", "ignore", "ignore"],
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  // A script that does not read what it is told is no error of ours.
  child.stdin.on("error", () => {});
  child.stdin.end(payload);
  await new Promise<void>((resolve) => child.once("error", () => resolve()).once("close", () => resolve()));
}
