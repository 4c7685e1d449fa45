import { setTimeout as sleep } from "node:timers/promises";

/** A look may go through all processes in the daemon's own thread: a file that is written without end must not fill it. */
const REST_FACTOR = 4;
const LONGEST_REST_MS = 1000;

/** Looks at files that change, one after the other, and once for all changes that came before the look. */
export class ChangedPaths {
  readonly #looks = new Map<string, () => Promise<void>>();
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;

  /** `look` must not reject. */
  add(path: string, look: () => Promise<void>): void {
    if (this.#stop.signal.aborted) return;
    this.#looks.set(path, look);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async settled(): Promise<void> {
    await this.#working;
  }

  stop(): void {
    this.#stop.abort();
    this.#looks.clear();
  }

  async #work(): Promise<void> {
    for (let [next] = this.#looks; next !== undefined; [next] = this.#looks) {
      const [path, look] = next;
      this.#looks.delete(path);
      const began = performance.now();
      await look();
      const restMs = Math.min(LONGEST_REST_MS, REST_FACTOR * (performance.now() - began));
      // A look that takes no time needs no rest.
      if (restMs < 1) continue;
      await sleep(restMs, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
    }
  }
}
