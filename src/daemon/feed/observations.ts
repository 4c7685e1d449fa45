import type { Context } from "../../record/context.ts";

/** As often as what was observed of a session is written at most: that much of it may be lost. */
const TICK_MS = 2000;

type ObservationStore = Pick<Context["store"], "observe">;
type Observation = Parameters<ObservationStore["observe"]>[0][number];

/** Writes what was observed of sessions: all that comes in one turn of the event loop in one batch. */
export class Observations {
  readonly #store: ObservationStore;
  #batch: Observation[] = [];
  #written: Promise<void> | undefined;

  constructor(store: ObservationStore) {
    this.#store = store;
  }

  /** The time until the next tick, which is one for all sessions, so that they share a batch. */
  get msToTick(): number {
    return TICK_MS - (performance.now() % TICK_MS);
  }

  /** Resolves when it is written; rejects with all others of its batch. */
  async note(sessionId: string, observed: Observation["observed"]): Promise<void> {
    this.#batch.push({ sessionId, observed });
    this.#written ??= this.#writeSoon();
    await this.#written;
  }

  async #writeSoon(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const batch = this.#batch;
    this.#batch = [];
    this.#written = undefined;
    await this.#store.observe(batch);
  }
}
