import { type FSWatcher, watch } from "node:fs";

export interface FolderWatchOptions {
  /** Called with the name of a file that changed; null where the system does not say which, or a change may have been missed. */
  readonly changed: (name: string | null) => void;
  /** How soon to try again while the folder does not exist, or the system watches no more folders. */
  readonly retryMs: number;
  readonly failed?: (error: unknown) => void;
}

/** Watches one folder. One that cannot be watched yet is tried again, and then everything in it counts as changed. */
export class FolderWatch {
  readonly #folder: string;
  readonly #options: FolderWatchOptions;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(folder: string, options: FolderWatchOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  begin(): void {
    if (this.#isStopped || this.#watcher || this.#timer) return;
    this.#watch();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  #watch(): void {
    try {
      this.#watcher = watch(this.#folder, (_, name) => this.#options.changed(name));
      this.#watcher.on("error", (error) => this.#retry(error));
    } catch (error) {
      this.#retry(error);
    }
  }

  #retry(error: unknown): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    if (this.#isStopped) return;
    this.#options.failed?.(error);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#watch();
      this.#options.changed(null);
    }, this.#options.retryMs);
  }
}
