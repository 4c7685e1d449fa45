import { closeSync, fstatSync, readSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FileIdentity } from "../../domain/read-cursor.ts";
import { identifyFile, identifyOpen, isSameFile, isSameOpen } from "../../machine/file-identity.ts";
import { FolderWatch } from "../../machine/folder-watch.ts";
import { findForeign } from "../../machine/foreign-file.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { Backlog } from "../sources/backlog.ts";
import { type Piece, PipeLines } from "../sources/line-splitter.ts";
import type { Tail, TailIdentity, TailReader } from "./tail.ts";

const CHUNK = 256 * 1024;
/** Far beyond any conversation. What comes after it is not read; reading it would never end for a file of holes. */
const MOST_BYTES = 1024 ** 3;
/** In case the system does not tell of a change, and until the folder exists. */
const FALLBACK_MS = 2000;

export const FILE_IDENTITY: TailIdentity = { identify: identifyFile, isSame: isSameFile };

/** Reads a file that another program adds lines to: each once, as they come. One that was replaced is read anew. */
export class FileTail implements Tail {
  readonly path: string;
  readonly identity: TailIdentity = FILE_IDENTITY;
  readonly #reader: TailReader;
  readonly #mostBytes: number;
  #lines: PipeLines | undefined;
  readonly #backlog = new Backlog<Piece>();
  #read = 0;
  /** The file that was read last, as far as it was read. */
  #file: FileIdentity | undefined;
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

  get stamp(): string {
    const found = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeNs}`;
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
    const fd = findForeign(this.path);
    // Not yet, or no more: that says nothing about who writes it.
    if (fd === undefined) return;
    try {
      this.hasBeenSeen = true;
      const lines = await this.#start(fd);
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
      if (this.#lines) this.#file = { ...identifyOpen(fd, this.#read), sizeBytes: this.#read };
      closeSync(fd);
    }
    if (this.#isCaughtUp || this.#isStopped) return;
    await this.#reader.caughtUp?.();
    this.#isCaughtUp = true;
  }

  async #start(fd: number): Promise<PipeLines> {
    if (this.#lines && this.#file && isSameOpen(fd, this.#file)) return this.#lines;
    // Lines of the file before that could not be taken in yet.
    await this.#backlog.keep(async (piece) => this.#reader.line(piece));
    this.#lines = undefined;
    this.#isCaughtUp = false;
    this.#read = (await this.#reader.from?.()) ?? 0;
    this.#lines = new PipeLines(this.#read);
    return this.#lines;
  }
}
