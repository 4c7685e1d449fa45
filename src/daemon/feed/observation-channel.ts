import type { Sample } from "../../domain/sample.ts";
import type { LiveFacts } from "../../domain/session/session.ts";

/** A fresh observation of a session; durable nowhere yet, and perhaps never. */
export interface LiveObservation extends Partial<Omit<LiveFacts, "resources">> {
  readonly sessionId: string;
  readonly sample?: Sample;
}

export interface WatchOptions {
  /** All sessions where none are named. */
  readonly sessionIds?: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Passes observations on to whoever watches. It never waits for a watcher: one that is slow gets the newest of each
 * session, and what came in between is dropped for it. No watcher holds more than one observation of a session.
 */
export class ObservationChannel {
  readonly #watchers = new Set<Watcher>();

  publish(observation: LiveObservation): void {
    for (const watcher of this.#watchers) watcher.offer(observation);
  }

  /** Begins at once, and ends when the signal says so, or when its reader does. */
  watch({ sessionIds, signal }: WatchOptions): AsyncIterable<LiveObservation> {
    const watcher = new Watcher(sessionIds && new Set(sessionIds), signal);
    if (!signal.aborted) this.#watchers.add(watcher);
    signal.addEventListener("abort", () => this.#watchers.delete(watcher), { once: true });
    return this.#drain(watcher);
  }

  /** How many watch. */
  get size(): number {
    return this.#watchers.size;
  }

  async *#drain(watcher: Watcher): AsyncGenerator<LiveObservation> {
    try {
      yield* watcher.drain();
    } finally {
      this.#watchers.delete(watcher);
    }
  }
}

class Watcher {
  readonly #sessionIds: ReadonlySet<string> | undefined;
  readonly #signal: AbortSignal;
  readonly #waiting = new Map<string, LiveObservation>();
  #wake: () => void = () => {};

  constructor(sessionIds: ReadonlySet<string> | undefined, signal: AbortSignal) {
    this.#sessionIds = sessionIds;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  offer(observation: LiveObservation): void {
    const { sessionId } = observation;
    if (this.#sessionIds && !this.#sessionIds.has(sessionId)) return;
    this.#waiting.set(sessionId, { ...this.#waiting.get(sessionId), ...observation });
    this.#wake();
  }

  async *drain(): AsyncGenerator<LiveObservation> {
    while (!this.#signal.aborted) {
      const [next] = this.#waiting.values();
      if (next) {
        this.#waiting.delete(next.sessionId);
        yield next;
      } else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
