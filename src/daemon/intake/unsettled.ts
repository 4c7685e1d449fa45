import type { Signal } from "../../domain/supervise/signal.ts";

/** Keeps one word back until it has lasted for its time, or until somebody else has something to say. */
export class Unsettled {
  readonly #tell: (signal: Signal) => void;
  #held: Signal | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (signal: Signal) => void) {
    this.#tell = tell;
  }

  hold(signal: Signal, settleMs: number): void {
    this.#held = signal;
    this.#timer = setTimeout(() => {
      const lasted = this.take();
      if (lasted) this.#tell(lasted);
    }, settleMs);
  }

  /** Whether this very word is held: said again by the same source, it confirms nothing. */
  holds({ source, rule, says }: Signal): boolean {
    const held = this.#held;
    return held !== undefined && held.source === source && held.rule === rule && held.says === says;
  }

  /** Releases the signal that is held. */
  take(): Signal | undefined {
    const held = this.#held;
    clearTimeout(this.#timer);
    this.#held = undefined;
    return held;
  }
}
