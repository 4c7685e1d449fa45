import type { Context } from "../../record/context.ts";
import type { LiveObservation } from "./observation-channel.ts";

/** As often as what was observed of a session is written at most: that much of it may be lost. */
const TICK_MS = 2000;

type Observation = Parameters<Context["store"]["observe"]>[0][number];
type Sampled = Parameters<Context["store"]["addSamples"]>[0][number];

export interface ObservationsOptions {
  readonly store: Pick<Context["store"], "observe" | "addSamples">;
  readonly redact: Context["redact"];
  /** Is told at once, before anything is written. */
  readonly publish: (observation: LiveObservation) => void;
}

/** Tells and writes what was observed of sessions: all that comes in one turn of the event loop in one batch. */
export class Observations {
  readonly #options: ObservationsOptions;
  #batch: Observation[] = [];
  #written: Promise<void> | undefined;

  constructor(options: ObservationsOptions) {
    this.#options = options;
  }

  /** The time until the next tick, which is one for all sessions, so that they share a batch. */
  get msToTick(): number {
    return TICK_MS - (performance.now() % TICK_MS);
  }

  /** Resolves when it is written; rejects with all others of its batch. */
  async note(sessionId: string, observed: Observation["observed"]): Promise<void> {
    const clean = this.#options.redact(observed);
    this.#options.publish({ sessionId, ...clean });
    this.#batch.push({ sessionId, observed: clean });
    this.#written ??= this.#writeSoon();
    await this.#written;
  }

  /** One measurement of many sessions. */
  async addSamples(batch: readonly Sampled[]): Promise<void> {
    for (const { sessionId, sample } of batch) this.#options.publish({ sessionId, sample });
    await this.#options.store.addSamples(batch);
  }

  async #writeSoon(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const batch = this.#batch;
    this.#batch = [];
    this.#written = undefined;
    await this.#options.store.observe(batch);
  }
}
