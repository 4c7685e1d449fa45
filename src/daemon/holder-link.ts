import { connectHolder, type HolderConnection, type HolderHello } from "../host/holder.ts";
import type { HolderMessage, HolderStatus } from "../host/holder-message.ts";

/** A holder answers in a moment; nobody waits for ever for one that is stopped. */
const ANSWER_MS = 2000;

/** The daemon's own connection to one holder: it reads everything, and can ask for the status. */
export class HolderLink {
  readonly #connection: HolderConnection;
  readonly #asked: ((status: HolderStatus | undefined) => void)[] = [];
  #isOpen = true;

  private constructor(connection: HolderConnection) {
    this.#connection = connection;
  }

  static async open(folder: string, hello: Omit<HolderHello, "role">): Promise<HolderLink> {
    return new HolderLink(await connectHolder(folder, { role: "control", ...hello }));
  }

  /** Hands over every message in order, one after the other; resolves when the holder has left. */
  async follow(take: (message: HolderMessage) => Promise<void> | void): Promise<void> {
    try {
      for await (const message of this.#connection) {
        if (message.type === "status") this.#asked.shift()?.(message);
        await take(message);
      }
    } finally {
      this.#isOpen = false;
      for (const resolve of this.#asked.splice(0)) resolve(undefined);
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Undefined when the holder leaves before it answers, or someone has stopped it. */
  async status(): Promise<HolderStatus | undefined> {
    if (!this.#isOpen) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ANSWER_MS, undefined);
      this.#asked.push((status) => {
        clearTimeout(timer);
        resolve(status);
      });
      this.#connection.askStatus();
    });
  }

  get connection(): HolderConnection {
    return this.#connection;
  }

  async close(): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }
}
