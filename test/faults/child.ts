import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly uid?: number;
  /** Another copy of the programs, for who may not read this one. */
  readonly workers?: string;
  readonly node?: string;
}

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One of the programs in `workers/`, a real process. What it said before it died is never lost. */
export class Child implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly ended: Promise<Ended>;
  stderr = "";
  readonly #process: ChildProcess;
  #onLine: () => void = () => undefined;

  constructor(worker: string, args: readonly string[], options: ChildOptions) {
    const { env, uid, workers = join(import.meta.dirname, "workers"), node = process.execPath } = options;
    const identity = uid === undefined ? {} : { uid, gid: uid };
    this.#process = spawn(node, [join(workers, worker), ...args], { env, cwd: env.HOME, ...identity });
    this.#process.stderr?.on("data", (chunk) => {
      this.stderr += chunk;
    });
    this.#process.stdin?.on("error", () => undefined);
    if (this.#process.stdout)
      createInterface({ input: this.#process.stdout }).on("line", (line) => {
        this.lines.push(line);
        this.#onLine();
      });
    this.ended = once(this.#process, "close").then(([code, signal]) => ({ code, signal }));
    void this.ended.then(() => this.#onLine());
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  get isAlive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  send(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** Waits until it has said so many lines; throws when it dies before, or takes too long. */
  async said(count: number, withinMs = 30_000): Promise<void> {
    const limit = AbortSignal.timeout(withinMs);
    while (this.lines.length < count) {
      if (!this.isAlive) throw new Error(`Worker died (${this.#describeEnd()}): ${this.stderr}`);
      if (limit.aborted) throw new Error(`Worker said nothing for ${withinMs} ms. ${this.stderr}`);
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#onLine = resolve;
        }),
        sleep(withinMs, undefined, { signal: limit }).catch(() => undefined),
      ]);
    }
  }

  async kill(): Promise<Ended> {
    this.#process.kill("SIGKILL");
    return this.ended;
  }

  /** Returns when the kernel has it stopped. */
  async stop(): Promise<void> {
    this.#process.kill("SIGSTOP");
    while (!/^State:\s+[Tt]/m.test(readFileSync(`/proc/${this.pid}/status`, "utf8"))) await sleep(1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #describeEnd(): string {
    return `exit ${this.#process.exitCode}, signal ${this.#process.signalCode}`;
  }
}
