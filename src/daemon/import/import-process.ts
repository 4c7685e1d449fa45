import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { LookAnswer, LookReport, LookRequest } from "./request.ts";

/** Every batch is committed long before; an importer that is killed in one leaves nothing of it. */
const LEAVING_MS = 500;
/** An import needs far less, whatever the histories are. */
const MOST_HEAP_MB = 512;

/**
 * Imports in a process of its own, so that hooks, waits and sessions are served meanwhile, and so that whatever goes
 * wrong there (no memory, a crash of the engine) ends the importer alone.
 */
export class ImportProcess {
  readonly #program: string;
  #child: ChildProcess | undefined;
  #running: Promise<unknown> | undefined;

  constructor(program: string) {
    this.#program = program;
  }

  /** Looks once; rejects with what went wrong. One at a time. */
  async look(request: LookRequest): Promise<LookReport> {
    this.#child ??= this.#start();
    const looking = answerOf(this.#child, this.#program);
    this.#running = looking.catch(() => {});
    // A child that cannot be written to is about to tell its exit.
    this.#child.send(request, () => {});
    const answer = await looking;
    if ("error" in answer) throw new Error(answer.error);
    return answer.report;
  }

  /** A batch that it is about to commit is committed or not, as a whole. */
  async end(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    // One that could not be started has nothing to leave.
    const left = once(child, "exit").catch(() => {});
    // It stops at its next batch, and leaves, once nobody is connected to it.
    if (child.connected) child.disconnect();
    this.#child = undefined;
    await Promise.race([this.#running, sleep(LEAVING_MS, undefined, { ref: false })]);
    child.kill("SIGKILL");
    await left;
  }

  #start(): ChildProcess {
    const child = fork(this.#program, [], {
      // The young generation of a process that mostly rests is kept small, as the daemon's is.
      execArgv: [`--max-old-space-size=${MOST_HEAP_MB}`, "--max-semi-space-size=2"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.unref();
    child.channel?.unref();
    const forget = () => {
      if (this.#child === child) this.#child = undefined;
    };
    child.once("error", forget);
    child.once("exit", forget);
    return child;
  }
}

async function answerOf(child: ChildProcess, program: string): Promise<LookAnswer> {
  const heard = new AbortController();
  const { signal } = heard;
  try {
    const left = once(child, "exit", { signal }).then(([code, exitSignal]) => {
      throw new Error(`The importer (${program}) has left: ${exitSignal ?? `exit ${code}`}.`);
    });
    const [answer] = (await Promise.race([once(child, "message", { signal }), left])) as [LookAnswer];
    return answer;
  } finally {
    heard.abort();
  }
}
