import { closeSync, type FSWatcher, fstatSync, readSync, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openForeign, UnfitFileError } from "../../machine/foreign-file.ts";
import { Backlog } from "./backlog.ts";
import { type Piece, PipeLines } from "./line-splitter.ts";

const CHUNK = 256 * 1024;
/** Far beyond any conversation. What comes after it is not read; reading it would never end for a file of holes. */
const MOST_BYTES = 1024 ** 3;
/** In case the system does not tell of a change, and until the folder exists. */
const FALLBACK_MS = 2000;

export interface TailReader {
  /** One line at a time, in order. */
  line(piece: Piece): Promise<void>;
  /** Everything that was there has been read, for the first time. */
  caughtUp?(): Promise<void>;
  failed(error: unknown): void;
}

/** Reads a file that another program adds lines to: each once, as they come. */
export class FileTail {
  readonly path: string;
  readonly #reader: TailReader;
  readonly #mostBytes: number;
  readonly #lines = new PipeLines(0);
  readonly #backlog = new Backlog<Piece>();
  #read = 0;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isCaughtUp = false;
  hasBeenSeen = false;

  constructor(path: string, reader: TailReader, mostBytes = MOST_BYTES) {
    this.path = path;
    this.#reader = reader;
    this.#mostBytes = mostBytes;
  }

  get isThere(): boolean {
    const isThere = statSync(this.path, { throwIfNoEntry: false })?.isFile() === true;
    this.hasBeenSeen ||= isThere;
    return isThere;
  }

  begin(): void {
    if (this.#isStopped || this.#watcher) return;
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
    this.#reading = this.#reading
      .then(async () => this.#readOn())
      .catch((error: unknown) => {
        this.#reader.failed(error);
        this.#again();
      });
    await this.#reading;
  }

  /** What could not be taken, as on a full disk, is there the next time. */
  #again(): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.readRest(), FALLBACK_MS);
  }

  #watch(): void {
    try {
      this.#watcher = watch(dirname(this.path), (_, name) => {
        if (name === null || name === basename(this.path)) void this.readRest();
      });
      this.#watcher.on("error", () => this.#watchLater());
    } catch {
      this.#watchLater();
    }
  }

  #watchLater(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.begin(), FALLBACK_MS);
  }

  async #readOn(): Promise<void> {
    const fd = this.#open();
    if (fd === undefined) return;
    try {
      this.hasBeenSeen = true;
      const bytes = Buffer.allocUnsafe(CHUNK);
      for (;;) {
        await this.#backlog.keep(async (piece) => this.#reader.line(piece));
        if (this.#isStopped || this.#read >= Math.min(fstatSync(fd).size, this.#mostBytes)) break;
        const count = readSync(fd, bytes, 0, CHUNK, this.#read);
        if (count === 0) break;
        this.#read += count;
        this.#backlog.add(this.#lines.push(bytes.subarray(0, count)));
        // A long file, or a hole in one, must not keep everybody else waiting.
        await nextTurn();
      }
    } finally {
      closeSync(fd);
    }
    if (this.#isCaughtUp) return;
    this.#isCaughtUp = true;
    await this.#reader.caughtUp?.();
  }

  /** Not yet, or no more: that says nothing about who writes it. */
  #open(): number | undefined {
    try {
      return openForeign(this.path);
    } catch (error) {
      if (error instanceof UnfitFileError || (error as NodeJS.ErrnoException).code === "ENOENT")
        return undefined;
      throw error;
    }
  }
}
