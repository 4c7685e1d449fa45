/** Things to be kept one after the other. What could not be kept waits for the next time, and all behind it too. */
export class Backlog<T> {
  #items: T[] = [];
  #keeping: Promise<void> = Promise.resolve();

  add(items: readonly T[]): void {
    this.#items = this.#items.concat(items);
  }

  /** Rejects with what kept it from being empty. */
  async keep(keepOne: (item: T) => Promise<void>): Promise<void> {
    const kept = this.#keeping.then(async () => this.#keepAll(keepOne));
    this.#keeping = kept.catch(() => {});
    await kept;
  }

  async #keepAll(keepOne: (item: T) => Promise<void>): Promise<void> {
    let done = 0;
    try {
      for (; done < this.#items.length; done++) await keepOne(this.#items[done] as T);
    } finally {
      this.#items = this.#items.slice(done);
    }
  }
}
