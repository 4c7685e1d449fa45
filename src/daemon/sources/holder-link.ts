import { connectHolder, type HolderConnection, type HolderHello } from "../../host/holder.ts";
import type { HolderMessage, HolderStatus } from "../../host/holder-message.ts";
import type { OutputSlices } from "../intake/output-slices.ts";

/** A holder answers in a moment; nobody waits for ever for one that is stopped. */
const ANSWER_MS = 2000;

type Take = (message: HolderMessage) => Promise<void> | void;

/** The daemon's own connection to one holder: it reads everything, and can ask for the status. */
export class HolderLink {
  readonly #connection: HolderConnection;
  readonly #slices: OutputSlices;
  readonly #asked: ((status: HolderStatus | undefined) => void)[] = [];
  #isOpen = true;

  private constructor(connection: HolderConnection, slices: OutputSlices) {
    this.#connection = connection;
    this.#slices = slices;
  }

  static async open(
    folder: string,
    hello: Omit<HolderHello, "role">,
    slices: OutputSlices,
  ): Promise<HolderLink> {
    return new HolderLink(await connectHolder(folder, { role: "control", ...hello }), slices);
  }

  /** Hands over every message in order, one after the other; resolves when the holder has left. */
  async follow(take: Take): Promise<void> {
    try {
      for await (const message of this.#connection) {
        if (message.type === "status") this.#asked.shift()?.(message);
        if (message.type === "output") await this.#takeOutput(message, take);
        else await take(message);
      }
    } finally {
      this.#isOpen = false;
      for (const resolve of this.#asked.splice(0)) resolve(undefined);
    }
  }

  async #takeOutput(message: HolderMessage, take: Take): Promise<void> {
    await this.#slices.admit();
    const begun = performance.now();
    let taken: ReturnType<Take>;
    try {
      taken = take(message);
    } finally {
      // Waiting for the store is not work.
      this.#slices.spend(performance.now() - begun);
    }
    await taken;
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
