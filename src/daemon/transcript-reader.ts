import { closeSync, type FSWatcher, fstatSync, openSync, readSync, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { LiveSession } from "./live-session.ts";
import { PipeLines } from "./pipe-transcript.ts";

const CHUNK = 256 * 1024;
/** In case the system does not tell of a change, and until the folder exists. */
const FALLBACK_MS = 2000;

/** Follows the file that an agent writes its transcript to: each line is parsed once, whoever comes back. */
export class TranscriptReader {
  readonly #session: LiveSession;
  readonly #path: string | null;
  readonly #lines = new PipeLines(0);
  #read = 0;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #hasBeenSeen = false;
  #isStopped = false;

  constructor(session: LiveSession) {
    this.#session = session;
    this.#path = session.carrying.agent.observe.transcript ? session.carrying.transcript : null;
  }

  /** `none` where this agent has no file of its own. */
  get status(): "none" | "not_yet" | "there" | "lost" {
    if (this.#path === null) return "none";
    if (statSync(this.#path, { throwIfNoEntry: false })) return "there";
    return this.#hasBeenSeen ? "lost" : "not_yet";
  }

  get path(): string | null {
    return this.#path;
  }

  begin(hasBeenSeen: boolean): void {
    if (this.#path === null || this.#isStopped) return;
    this.#hasBeenSeen = hasBeenSeen;
    this.#watch();
    void this.readRest();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  /** Everything that is in the file now. */
  async readRest(): Promise<void> {
    if (this.#path === null) return;
    const path = this.#path;
    this.#reading = this.#reading
      .then(async () => this.#readOn(path))
      .catch((error: unknown) =>
        this.#session.services.log.warn(
          { session: this.#session.id, err: error },
          "could not read the transcript",
        ),
      );
    await this.#reading;
  }

  #watch(): void {
    const path = this.#path as string;
    try {
      this.#watcher = watch(dirname(path), (_, name) => {
        if (name === null || name === basename(path)) void this.readRest();
      });
      this.#watcher.on("error", () => this.#watchLater());
    } catch {
      this.#watchLater();
    }
  }

  #watchLater(): void {
    this.#watcher?.close();
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#watch();
      void this.readRest();
    }, FALLBACK_MS);
  }

  async #readOn(path: string): Promise<void> {
    let fd: number;
    try {
      fd = openSync(path, "r");
    } catch (error) {
      // Not yet, or no more: that says nothing about the session.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      throw error;
    }
    try {
      this.#hasBeenSeen = true;
      const bytes = Buffer.allocUnsafe(CHUNK);
      while (this.#read < fstatSync(fd).size) {
        const count = readSync(fd, bytes, 0, CHUNK, this.#read);
        if (count === 0) return;
        this.#read += count;
        await this.#take(bytes.subarray(0, count));
      }
    } finally {
      closeSync(fd);
    }
  }

  async #take(bytes: Buffer): Promise<void> {
    const parse = this.#session.carrying.agent.observe.transcript;
    // A resumed conversation goes on in the same file.
    const of = `${this.#session.id}-${basename(this.#path as string)}`;
    for (const { text, offset } of this.#lines.push(bytes))
      await this.#session.findings.take(parse?.(text) ?? {}, { key: `transcript-${offset}`, of });
  }
}
