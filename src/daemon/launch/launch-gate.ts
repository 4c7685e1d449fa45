import { RollcallError } from "../../domain/errors.ts";

/** The launches in progress. While it is closed none begins: whoever ends all sessions is not overtaken by a new one. */
export class LaunchGate {
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  async run<T>(launch: () => Promise<T>): Promise<T> {
    if (this.#isClosed)
      throw new RollcallError("daemon_not_running", "The daemon is just stopping.", {
        hint: "Try again in a moment.",
      });
    const running = launch();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Resolves when every launch that had begun is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
  }

  open(): void {
    this.#isClosed = false;
  }
}
