/** Keeps everything that it is called with, in order, and wakes whoever waits for more. */
export class Recorder<T> {
  readonly all: T[] = [];
  readonly #waiting = new Set<() => void>();

  readonly add = (item: T): void => {
    this.all.push(item);
    for (const wake of [...this.#waiting]) wake();
  };

  /** Resolves with the first so many, as soon as they have come. */
  async first(count: number): Promise<readonly T[]> {
    await this.#until(() => this.all.length >= count);
    return this.all.slice(0, count);
  }

  /** Resolves with all up to the first of this kind, as soon as it has come. */
  async through(isLast: (item: T) => boolean): Promise<readonly T[]> {
    await this.#until(() => this.all.some(isLast));
    return this.all.slice(0, this.all.findIndex(isLast) + 1);
  }

  async #until(isThere: () => boolean): Promise<void> {
    if (isThere()) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        if (!isThere()) return;
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
    });
  }
}
