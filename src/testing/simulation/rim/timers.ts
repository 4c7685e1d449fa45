interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Timers on a monotonic clock. */
export class Timers {
  #waiting: Timer[] = [];

  /** Returns what cancels it. */
  set(at: number, run: () => void): () => void {
    const timer = { at, run };
    this.#waiting.push(timer);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== timer);
    };
  }

  /** False where nothing was due. */
  fire(now: number): boolean {
    const due = this.#waiting.filter(({ at }) => at <= now);
    this.#waiting = this.#waiting.filter(({ at }) => at > now);
    for (const { run } of due) run();
    return due.length > 0;
  }

  dueAt(): number | null {
    return this.#waiting.length === 0 ? null : Math.min(...this.#waiting.map(({ at }) => at));
  }
}
