import { closeSync, type FSWatcher, openSync, watch, writeSync } from "node:fs";

/** In case a writer died between its commit and its ring. */
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
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#start();
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
    this.#watcher = watch(this.#path, () => this.#tell());
    this.#watcher.on("error", () => this.#watcher?.close());
    this.#timer = setInterval(() => this.#tell(), FALLBACK_MS);
  }

  #stop(): void {
    this.#watcher?.close();
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
