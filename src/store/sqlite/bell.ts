import { closeSync, type FSWatcher, openSync, watch, writeSync } from "node:fs";

/** In case a writer died between its commit and its ring, or the system watches no more files. */
const FALLBACK_MS = 5000;

/** Tells every process that uses the store that something was committed: a file that is touched after each commit. */
export class Bell implements Disposable {
  readonly #path: string;
  readonly #listeners = new Set<() => void>();
  #fd: number | undefined;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Never fails: the commit it speaks of is done, and listeners look for themselves after a while. */
  ring(): void {
    try {
      this.#fd ??= openSync(this.#path, "w", 0o600);
      writeSync(this.#fd, "!", 0);
    } catch {
      this.#forget();
    }
    this.#tell();
  }

  listen(listener: () => void): Disposable {
    if (this.#listeners.size === 0) this.#start();
    this.#listeners.add(listener);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) this.#stop();
      },
    };
  }

  [Symbol.dispose](): void {
    this.#listeners.clear();
    this.#stop();
    this.#forget();
  }

  #start(): void {
    closeSync(openSync(this.#path, "a", 0o600));
    this.#watch();
    this.#timer = setInterval(() => {
      this.#watch();
      this.#tell();
    }, FALLBACK_MS);
  }

  /** A fallback where the system watches no more files: commits are told a little later. */
  #watch(): void {
    if (this.#watcher) return;
    try {
      this.#watcher = watch(this.#path, () => this.#tell());
      this.#watcher.on("error", () => this.#unwatch());
    } catch {
      // Tried again with the next look.
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #stop(): void {
    this.#unwatch();
    clearInterval(this.#timer);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #forget(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
