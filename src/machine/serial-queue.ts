/** Runs one piece of work at a time, in the order of asking. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** A failure reaches the caller alone; the work behind it runs all the same. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** Resolves when all that was asked for so far has run. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
