import { RollcallError } from "../../domain/errors.ts";
import { monotonicMs } from "../../machine/monotonic.ts";
import type { Store } from "../../store/store.ts";
import {
  type FileContent,
  FileTooLargeError,
  recordFileBytes,
  removePartialsOf,
  writeRecordFile,
} from "./record-file.ts";
import { whyNoFile } from "./record-folder.ts";

/** Up to this size a change is answered only when the file shows it. */
export const PROMPT_BYTES = 1_000_000;
/** A large file may take a twentieth of the time. */
const PACE = 20;
/** How long a file rests after a write where it is kept at a pace. */
const REST_MS = 1000;

/** At once; those that come behind them are repaired the next time. */
const MOST_REPAIRED = 100;

interface Repair {
  readonly mostBytes: number;
  readonly isDaemonAlive: boolean;
}

interface Kept {
  bytes: number;
  tookMs: number;
  timer?: NodeJS.Timeout | undefined;
  /** At a pace: nothing is written before it is over. */
  rest?: NodeJS.Timeout | undefined;
  /** Something was committed since the last write began. */
  isDue?: boolean;
  running?: Promise<void> | undefined;
  next?: Promise<void> | undefined;
}

export interface FileKeeperOptions {
  readonly store: Store;
  readonly find: (sessionId: string) => Promise<FileContent | undefined>;
  readonly warn: (sentence: string) => void;
  /** For who writes events one by one as they come, as the daemon does: at most one write a second for each file. */
  readonly isPaced?: boolean;
}

/** Keeps record files up with the store: small ones at once, large ones at their pace. */
export class FileKeeper {
  readonly #options: FileKeeperOptions;
  readonly #files = new Map<string, Kept>();
  readonly #warned = new Set<string>();
  #repairing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: FileKeeperOptions) {
    this.#options = options;
  }

  /** Whether a workspace can hold record files at all: known from the start, it spares a warning for each change. */
  canKeep(workspace: string | null): boolean {
    if (workspace === null) return false;
    const why = whyNoFile(workspace);
    if (why !== undefined) this.#warnOnce(workspace, why);
    return why === undefined;
  }

  /** After a commit. Returns when the file shows it, or at once where a large one follows later. */
  async follow(id: string): Promise<void> {
    const file = this.#kept(id);
    if (this.#options.isPaced) return this.#followAtPace(id, file);
    if (file.bytes < PROMPT_BYTES) return this.#write(id, file);
    file.timer ??= setTimeout(
      () => void this.#write(id, file),
      Math.max(1000 - file.tookMs, PACE * file.tookMs),
    );
  }

  /** After a commit that nobody waits to see in the file: many of them share one write. */
  followLater(id: string): void {
    const file = this.#kept(id);
    if (this.#options.isPaced) void this.#followAtPace(id, file);
    else file.timer ??= setTimeout(() => void this.#write(id, file), Math.max(REST_MS, PACE * file.tookMs));
  }

  /** Now, however large it is. */
  async write(id: string): Promise<void> {
    await this.#write(id, this.#kept(id));
  }

  /** Nothing more is to come for a session: writes what is due of a small file, and lets a large one follow. */
  async settle(id: string): Promise<void> {
    const file = this.#files.get(id);
    if (file?.isDue && file.bytes < PROMPT_BYTES) await this.#write(id, file);
  }

  /** Writes what is still due. */
  async flush(): Promise<void> {
    for (const [id, file] of this.#files)
      if (file.isDue || (file.timer ?? file.running)) await this.#write(id, file);
  }

  /** The first change is written at once; all that come while the file is written and rests share one write after it. */
  async #followAtPace(id: string, file: Kept): Promise<void> {
    const isBusy = (file.rest ?? file.running ?? file.next) !== undefined;
    file.isDue = true;
    if (isBusy) return;
    const written = this.#write(id, file);
    if (file.bytes < PROMPT_BYTES) await written;
  }

  #beginRest(id: string, file: Kept): void {
    if (!this.#options.isPaced) return;
    clearTimeout(file.rest);
    file.rest = setTimeout(
      () => {
        file.rest = undefined;
        if (file.isDue) void this.#write(id, file);
        else this.#forgetIfIdle(id, file);
      },
      Math.max(REST_MS, PACE * file.tookMs),
    ).unref();
  }

  /**
   * Files that another process left behind its commits, by a crash between the two. Whoever left one behind was warned
   * already. Writes no more bytes than it may, and leaves alone what a living daemon keeps.
   */
  async repair(machine: string, { mostBytes, isDaemonAlive }: Repair): Promise<void> {
    const only = isDaemonAlive ? ({ isCarried: false } as const) : undefined;
    const lagging = await this.#options.store.laggingFiles(machine, MOST_REPAIRED, only);
    let left = mostBytes;
    for (const id of lagging) {
      if (left <= 0 || this.#isClosed) return;
      left -= await this.#repairOne(id, left);
    }
  }

  /** The same for who has other things to do meanwhile. */
  repairBeside(machine: string, how: Repair): void {
    this.#repairing = this.repair(machine, how).catch(() => {});
  }

  /** Writes what is still due; nothing is repaired from now on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#repairing;
    await this.flush();
  }

  /** The bytes that it took. What is larger than allowed is left to the daemon, or to the next change. */
  async #repairOne(id: string, mostBytes: number): Promise<number> {
    try {
      const content = await this.#options.find(id);
      const workspace = content?.record.workspacePath ?? null;
      if (!content || workspace === null) return 0;
      removePartialsOf(workspace);
      if (recordFileBytes(content.record) > mostBytes) return 0;
      return await writeRecordFile(this.#options.store, content, mostBytes);
    } catch (error) {
      return error instanceof FileTooLargeError ? mostBytes : 0;
    }
  }

  #kept(id: string): Kept {
    const file = this.#files.get(id) ?? { bytes: 0, tookMs: 0 };
    this.#files.set(id, file);
    return file;
  }

  /** One write at a time for each file; whoever comes meanwhile shares the one after it. */
  #write(id: string, file: Kept): Promise<void> {
    clearTimeout(file.timer);
    file.timer = undefined;
    file.next ??= (file.running ?? Promise.resolve()).then(() => {
      file.next = undefined;
      file.running = this.#writeNow(id, file).finally(() => {
        file.running = undefined;
        this.#beginRest(id, file);
        this.#forgetIfIdle(id, file);
      });
      return file.running;
    });
    return file.next;
  }

  /** Only large files have a pace to keep; a process may see any number of small ones. */
  #forgetIfIdle(id: string, file: Kept): void {
    if (file.bytes < PROMPT_BYTES && (file.next ?? file.rest) === undefined) this.#files.delete(id);
  }

  /** A record file is a convenience: where it cannot be kept, one warning is all that comes of it. */
  async #writeNow(id: string, file: Kept): Promise<void> {
    let place = id;
    file.isDue = false;
    try {
      const content = await this.#options.find(id);
      if (!content) return;
      place = content.record.workspacePath ?? id;
      const started = monotonicMs();
      file.bytes = await writeRecordFile(this.#options.store, content);
      file.tookMs = monotonicMs() - started;
    } catch (error) {
      this.#warnOnce(place, reasonOf(error, place));
    }
  }

  /** For each place once, however many sessions and changes it concerns. */
  #warnOnce(place: string, why: string): void {
    if (this.#warned.has(place)) return;
    this.#warned.add(place);
    this.#options.warn(`${why} The record itself is safe in the store.`);
  }
}

function reasonOf(error: unknown, place: string): string {
  if (error instanceof RollcallError) return error.message;
  // Without the path that the system names: it leads through a folder that is held open.
  const [what] = (error as Error).message.split(", ");
  return `No record file can be kept in ${place}: ${what}.`;
}
