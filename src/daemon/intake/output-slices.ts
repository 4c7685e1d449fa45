/** How long output is worked on before whatever else has come meanwhile gets its turn. */
const SLICE_MS = 5;

/**
 * Lets in output of all sessions in slices of time, one piece of each after the other. A caller of the daemon, and the
 * words of a holder, wait for one slice at most, however many sessions flood.
 */
export class OutputSlices {
  readonly #waiting: (() => void)[] = [];
  #leftMs = SLICE_MS;
  #isResting = false;

  /** Resolves when a piece may be worked on. */
  async admit(): Promise<void> {
    if (this.#leftMs > 0 && this.#waiting.length === 0) return;
    const admitted = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#rest();
    await admitted;
  }

  /** The caller of `admit` reports how long its work took. */
  spend(ms: number): void {
    this.#leftMs -= ms;
    if (this.#leftMs > 0) this.#waiting.shift()?.();
    else this.#rest();
  }

  /** The slice begins anew behind everything that waits for the loop. */
  #rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    setImmediate(() => {
      this.#isResting = false;
      this.#leftMs = SLICE_MS;
      this.#waiting.shift()?.();
    });
  }
}
