import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { LookAnswer, LookReport, LookRequest } from "./request.ts";

/** Every batch is committed long before; a worker that is ended in one leaves nothing of it. */
const LEAVING_MS = 500;
/** An import needs far less, whatever the histories are. */
const MOST_HEAP_MB = 512;

/** Imports in a thread of its own, so that hooks, waits and sessions are served meanwhile. */
export class ImportWorker {
  readonly #program: string;
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #worker: Worker | undefined;
  #running: Promise<unknown> | undefined;

  constructor(program: string) {
    this.#program = program;
  }

  /** Looks once; rejects with what went wrong. One at a time. */
  async look(request: LookRequest): Promise<LookReport> {
    this.#worker ??= this.#start();
    const looking = answerOf(this.#worker);
    this.#running = looking.catch(() => {});
    this.#worker.postMessage(request);
    const answer = await looking;
    if ("error" in answer) throw new Error(answer.error);
    return answer.report;
  }

  /** A batch that it is about to commit is committed or not, as a whole. */
  async end(): Promise<void> {
    Atomics.store(this.#stop, 0, 1);
    await Promise.race([this.#running, sleep(LEAVING_MS, undefined, { ref: false })]);
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#program, {
      workerData: this.#stop.buffer,
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
    });
    worker.unref();
    // Out of memory, or a defect: the next look begins with another one.
    const forget = () => {
      if (this.#worker === worker) this.#worker = undefined;
    };
    worker.once("error", forget);
    worker.once("exit", forget);
    return worker;
  }
}

async function answerOf(worker: Worker): Promise<LookAnswer> {
  const heard = new AbortController();
  const { signal } = heard;
  try {
    const left = once(worker, "exit", { signal }).then(() => {
      throw new Error("The worker of the import has left.");
    });
    // Fails where the worker fails.
    const [answer] = (await Promise.race([once(worker, "message", { signal }), left])) as [LookAnswer];
    return answer;
  } finally {
    heard.abort();
  }
}
