import type { Logger } from "pino";
import { toInstant } from "../../domain/time.ts";
import type { Context } from "../../record/context.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Samples older than this are made into one for each step. */
const STEPS = [
  { olderMs: DAY_MS, stepMs: MINUTE_MS },
  { olderMs: 30 * DAY_MS, stepMs: HOUR_MS },
] as const;

/** Thins samples once an hour, in the background; the first time soon after the start. */
export class SampleRetention implements Disposable {
  readonly #context: Pick<Context, "store" | "now">;
  readonly #log: Logger;
  #timer: NodeJS.Timeout;

  constructor(context: Pick<Context, "store" | "now">, log: Logger) {
    this.#context = context;
    this.#log = log;
    this.#timer = this.#thinIn(MINUTE_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #thinIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = this.#thinIn(HOUR_MS);
      void thinSteps(this.#context).catch((err: unknown) =>
        this.#log.warn({ err }, "samples were not thinned"),
      );
    }, ms).unref();
  }
}

/** Brings all samples to the step of their age; says how many fewer there are. */
export async function thinSteps({ store, now }: Pick<Context, "store" | "now">): Promise<number> {
  let gone = 0;
  for (const { olderMs, stepMs } of STEPS)
    gone += await store.thinSamples(toInstant(now() - olderMs), stepMs);
  return gone;
}
