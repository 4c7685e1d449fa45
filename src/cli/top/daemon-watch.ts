import { type FSWatcher, watch } from "node:fs";
import type { Client } from "../../client/client.ts";
import { ensureDaemon } from "../../client/start-daemon.ts";
import { runFolder } from "../../home/layout.ts";
import { daemonOptions, findDaemon } from "../live.ts";

const SOON_MS = 200;

/** Knows whether the daemon runs by holding a connection to it. Asks it nothing, and starts it only for a call. */
export class DaemonWatch implements Disposable {
  readonly #home: string;
  readonly #changed: () => void;
  #client: Client | undefined;
  #watcher: FSWatcher | undefined;
  #looking: Promise<void> | undefined;
  #isAsked = false;
  #soon: NodeJS.Timeout | undefined;

  constructor(home: string, changed: () => void) {
    this.#home = home;
    this.#changed = changed;
  }

  get isRunning(): boolean {
    return this.#client !== undefined;
  }

  /** Cheap where it is known to run: to be called whenever something happened. */
  async look(): Promise<void> {
    if (this.#client) return;
    this.#isAsked = true;
    this.#looking ??= this.#lookWhileAsked().finally(() => (this.#looking = undefined));
    await this.#looking;
  }

  async client(): Promise<Client> {
    await this.look();
    return this.#client ?? this.#take(await ensureDaemon(daemonOptions(this.#home)));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#soon);
    this.#watcher?.close();
    this.#client?.[Symbol.dispose]();
  }

  /** Looks once more for changes that came during a look. */
  async #lookWhileAsked(): Promise<void> {
    while (this.#isAsked && !this.#client) {
      this.#isAsked = false;
      await this.#connect();
    }
  }

  async #connect(): Promise<void> {
    this.#watchSocket();
    try {
      const client = await findDaemon(this.#home);
      if (client) this.#take(client);
    } catch {
      // One of another version, or one that is just leaving: none to talk to. A call says what is wrong.
    }
  }

  #take(client: Client): Client {
    this.#client = client;
    void client.closed.then(() => {
      this.#client = undefined;
      this.#changed();
    });
    this.#changed();
    return client;
  }

  /** The socket is there a moment before anyone listens. */
  #lookNowAndSoon(): void {
    void this.look();
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => void this.look(), SOON_MS);
  }

  /** A daemon that starts makes its socket. Before the first one ever there is no folder to watch. */
  #watchSocket(): void {
    if (this.#watcher) return;
    try {
      this.#watcher = watch(runFolder(this.#home), (_, name) => {
        if (name === "daemon.sock") this.#lookNowAndSoon();
      });
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      // The next event of the store is the next time to look.
    }
  }
}
