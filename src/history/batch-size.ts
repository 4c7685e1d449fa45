/** A write holds up all others, its fsync included. Far below 50 ms, so that a slow moment stays below that too. */
const AIM_MS = 20;
const FIRST = 256 * 1024;
/** A floor: where the disk alone takes so long, smaller writes would only be more writes. */
const LEAST = 128 * 1024;
const MOST = 1024 * 1024;
/** The cost of an event beside its text. */
const EVENT_BYTES = 1024;

/** How much goes into one write: as much as the last ones show that fits into a short time. */
export class BatchSize {
  #most = FIRST;
  #bytes = 0;

  /** Adds text that was read, or events that were made of it. */
  add({ bytes = 0, events = 0 }: { readonly bytes?: number; readonly events?: number }): void {
    this.#bytes += bytes + events * EVENT_BYTES;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#most;
  }

  /** The batch was written, and held up others for so long. */
  written(ms: number): void {
    const isFull = this.isFull;
    this.#bytes = 0;
    // A smaller one shows nothing of a full one, unless it took too long.
    if (!isFull && ms <= AIM_MS) return;
    const factor = Math.min(1.25, Math.max(0.5, AIM_MS / Math.max(ms, 1)));
    this.#most = Math.round(Math.min(MOST, Math.max(LEAST, this.#most * factor)));
  }
}
