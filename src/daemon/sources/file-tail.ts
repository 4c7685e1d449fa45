import { closeSync, fstatSync, readSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { FolderWatch } from "../../machine/folder-watch.ts";
import { openForeign, UnfitFileError } from "../../machine/foreign-file.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { Backlog } from "./backlog.ts";
import { type Piece, PipeLines } from "./line-splitter.ts";

const CHUNK = 256 * 1024;
/** Far beyond any conversation. What comes after it is not read; reading it would never end for a file of holes. */
const MOST_BYTES = 1024 ** 3;
/** In case the system does not tell of a change, and until the folder exists. */
const FALLBACK_MS = 2000;

export interface TailReader {
  /** Where to begin; the beginning where it is left out. Asked for once, when there is a file. */
  from?(): Promise<number>;
  /** One line at a time, in order. */
  line(piece: Piece): Promise<void>;
  /** Everything that was there has been read, for the first time. Called again where it fails. */
  caughtUp?(): Promise<void>;
  failed(error: unknown): void;
}

/** Reads a file that another program adds lines to: each once, as they come. */
export class FileTail {
  readonly path: string;
  readonly #reader: TailReader;
  readonly #mostBytes: number;
  #lines: PipeLines | undefined;
  readonly #backlog = new Backlog<Piece>();
  #read = 0;
  readonly #watch: FolderWatch;
  readonly #queue = new SerialQueue();
  #timer: NodeJS.Timeout | undefined;
  #hasBegun = false;
  #isStopped = false;
  #isCaughtUp = false;
  hasBeenSeen = false;

  constructor(path: string, reader: TailReader, mostBytes = MOST_BYTES) {
    this.path = path;
    this.#reader = reader;
    this.#mostBytes = mostBytes;
    this.#watch = new FolderWatch(dirname(path), {
      retryMs: FALLBACK_MS,
      changed: (name) => {
        if (name === null || name === basename(path)) void this.catchUp();
      },
    });
  }

  get isThere(): boolean {
    const isThere = statSync(this.path, { throwIfNoEntry: false })?.isFile() === true;
    this.hasBeenSeen ||= isThere;
    return isThere;
  }

  begin(): void {
    if (this.#isStopped || this.#hasBegun) return;
    this.#hasBegun = true;
    this.#watch.begin();
    void this.catchUp();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#watch.stop();
  }

  /** Reads everything that is in the file now. */
  async catchUp(): Promise<void> {
    await this.#queue
      .run(async () => this.#readOn())
      .catch((error: unknown) => {
        this.#reader.failed(error);
        this.#again();
      });
  }

  /** Tries again later: a line that could not be taken in, as on a full disk, is still there. */
  #again(): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.catchUp(), FALLBACK_MS);
  }

  async #readOn(): Promise<void> {
    const fd = this.#open();
    if (fd === undefined) return;
    try {
      this.hasBeenSeen = true;
      const lines = await this.#start();
      const bytes = Buffer.allocUnsafe(CHUNK);
      for (;;) {
        await this.#backlog.keep(async (piece) => this.#reader.line(piece));
        if (this.#isStopped || this.#read >= Math.min(fstatSync(fd).size, this.#mostBytes)) break;
        const count = readSync(fd, bytes, 0, CHUNK, this.#read);
        if (count === 0) break;
        this.#read += count;
        this.#backlog.add(lines.push(bytes.subarray(0, count)));
        // A long file, or a hole in one, must not keep everybody else waiting.
        await nextTurn();
      }
    } finally {
      closeSync(fd);
    }
    if (this.#isCaughtUp || this.#isStopped) return;
    await this.#reader.caughtUp?.();
    this.#isCaughtUp = true;
  }

  async #start(): Promise<PipeLines> {
    if (this.#lines) return this.#lines;
    this.#read = (await this.#reader.from?.()) ?? 0;
    this.#lines = new PipeLines(this.#read);
    return this.#lines;
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
