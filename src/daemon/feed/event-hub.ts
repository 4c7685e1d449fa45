import type { Logger } from "pino";
import type { FeedEvent } from "../../domain/session/event.ts";
import type { FeedOptions } from "../../record/history.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type LiveObservation, ObservationChannel, type WatchOptions } from "./observation-channel.ts";

type Listener = (event: FeedEvent) => void;

/** History that is read in may be millions of entries, which nobody waits for. */
const FILTER = {
  except: { origins: ["imported"], kinds: ["entry_added"] },
} as const satisfies FeedOptions["filter"];

/**
 * Hands every committed event to whoever waits for it, whichever process wrote it, but for entries of imported
 * sessions. Nobody polls. Observations go by a channel of their own, which may drop them.
 */
export class EventHub {
  readonly #observations = new ObservationChannel();
  readonly #all = new Set<Listener>();
  readonly #bySession = new Map<string, Set<Listener>>();
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  async begin(rollcall: Rollcall, log: Logger): Promise<void> {
    const after = await rollcall.feedEnd();
    this.#running = this.#run(rollcall, after, log);
  }

  listen(listener: Listener, sessionIds?: readonly string[]): Disposable {
    if (!sessionIds) this.#all.add(listener);
    for (const id of sessionIds ?? []) {
      const listeners = this.#bySession.get(id) ?? new Set();
      this.#bySession.set(id, listeners.add(listener));
    }
    return { [Symbol.dispose]: () => this.#forget(listener, sessionIds) };
  }

  /** Tells whoever watches; it is not durable, and a slow watcher may never hear of it. */
  observe(observation: LiveObservation): void {
    this.#observations.publish(observation);
  }

  /** Observations from now on, until the hub ends or the signal says so. */
  watch({ signal, ...options }: Partial<WatchOptions> = {}): AsyncIterable<LiveObservation> {
    const signals = [this.#stop.signal, ...(signal ? [signal] : [])];
    return this.#observations.watch({ ...options, signal: AbortSignal.any(signals) });
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #forget(listener: Listener, sessionIds: readonly string[] | undefined): void {
    this.#all.delete(listener);
    for (const id of sessionIds ?? []) {
      const listeners = this.#bySession.get(id);
      listeners?.delete(listener);
      if (listeners?.size === 0) this.#bySession.delete(id);
    }
  }

  async #run(rollcall: Rollcall, after: string, log: Logger): Promise<void> {
    let cursor = after;
    while (!this.#stop.signal.aborted) {
      try {
        const { signal } = this.#stop;
        for await (const event of rollcall.feed({ after: cursor, follow: true, signal, filter: FILTER })) {
          cursor = event.cursor;
          for (const listener of [...this.#all, ...(this.#bySession.get(event.sessionId) ?? [])])
            listener(event);
        }
      } catch (error) {
        // A full or locked disk passes; who waits must not wait for ever because of it.
        log.error({ err: error }, "the feed could not be read");
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  }
}
