import { RollcallError } from "../domain/errors.ts";
import type { Store } from "../store/store.ts";
import { type FileContent, removePartials, whyNoFile, writeRecordFile } from "./record-file.ts";

/** Up to this size a change is answered only when the file shows it. */
const PROMPT_BYTES = 1_000_000;
/** A large file may take a twentieth of the time. */
const PACE = 20;

interface Kept {
  bytes: number;
  tookMs: number;
  timer?: NodeJS.Timeout | undefined;
  running?: Promise<void> | undefined;
  next?: Promise<void> | undefined;
}

export interface FileKeeperOptions {
  readonly store: Store;
  readonly find: (sessionId: string) => Promise<FileContent | undefined>;
  readonly warn: (sentence: string) => void;
}

/** Keeps record files up with the store: small ones at once, large ones at their pace. */
export class FileKeeper {
  readonly #options: FileKeeperOptions;
  readonly #files = new Map<string, Kept>();
  readonly #warned = new Set<string>();
  /** Whoever left a file behind was warned already. */
  #isRepairing = false;

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
    if (file.bytes < PROMPT_BYTES) return this.#write(id, file);
    file.timer ??= setTimeout(
      () => void this.#write(id, file),
      Math.max(1000 - file.tookMs, PACE * file.tookMs),
    );
  }

  /** Now, however large it is. */
  async write(id: string): Promise<void> {
    await this.#write(id, this.#kept(id));
  }

  /** Writes what is still due. */
  async flush(): Promise<void> {
    for (const [id, file] of this.#files) if (file.timer ?? file.running) await this.#write(id, file);
  }

  /** Files that another process left behind its commits, by a crash between the two. */
  async repair(machine: string): Promise<void> {
    this.#isRepairing = true;
    for (const id of await this.#options.store.laggingFiles(machine, 100)) await this.follow(id);
    this.#isRepairing = false;
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
        this.#forgetIfIdle(id, file);
      });
      return file.running;
    });
    return file.next;
  }

  /** Only large files have a pace to keep; a process may see any number of small ones. */
  #forgetIfIdle(id: string, file: Kept): void {
    if (file.bytes < PROMPT_BYTES && file.next === undefined) this.#files.delete(id);
  }

  /** A record file is a convenience: where it cannot be kept, one warning is all that comes of it. */
  async #writeNow(id: string, file: Kept): Promise<void> {
    let place = id;
    try {
      const content = await this.#options.find(id);
      if (!content) return;
      place = content.record.workspacePath ?? id;
      if (this.#isRepairing) removePartials(place, id);
      const started = performance.now();
      file.bytes = await writeRecordFile(this.#options.store, content);
      file.tookMs = performance.now() - started;
    } catch (error) {
      if (!this.#isRepairing) this.#warnOnce(place, reasonOf(error, place));
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
  return `No record file can be kept in ${place}: ${(error as Error).message}.`;
}
