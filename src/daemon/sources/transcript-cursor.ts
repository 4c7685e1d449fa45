import type { Json } from "../../domain/json.ts";
import type { ReadCursor } from "../../domain/read-cursor.ts";
import type { Context } from "../../record/context.ts";
import { FILE_IDENTITY } from "../tails/file-tail.ts";

interface Ports {
  readonly id: string;
  readonly context: Pick<Context, "store">;
}

/**
 * How far a transcript was read, kept in the store. A cursor stands before the line that is being read: everything
 * before it has been dealt with, its signals included, so that a reader that is killed loses nothing.
 */
export class TranscriptCursor {
  readonly #ports: Ports;
  readonly #path: string;
  readonly #place: typeof FILE_IDENTITY;
  #identity: ReadCursor["file"] | undefined;
  #readTo = 0;
  #keptTo = 0;

  constructor(ports: Ports, path: string, place = FILE_IDENTITY) {
    this.#ports = ports;
    this.#path = path;
    this.#place = place;
  }

  /** The offset to begin at, and the memory kept with it; the beginning where the file is another one. */
  async restore(): Promise<{ readonly from: number; readonly memory: Json }> {
    const cursor = await this.#ports.context.store.findCursor(this.#ports.id, this.#path);
    if (!cursor?.file || !this.#place.isSame(this.#path, cursor.file)) {
      this.#identity = undefined;
      this.#readTo = this.#keptTo = 0;
      return { from: 0, memory: null };
    }
    this.#identity = cursor.file;
    this.#readTo = this.#keptTo = cursor.byteOffset;
    return { from: cursor.byteOffset, memory: cursor.memory };
  }

  /** The cursor to commit with what the line says that is read now. */
  before(memory: Json): readonly ReadCursor[] {
    const cursor = this.#at(memory);
    return cursor === undefined ? [] : [cursor];
  }

  /** A line has been dealt with. */
  passed(offset: number): void {
    this.#readTo = offset;
  }

  /** Commits where the reader stands, where nothing else is to be committed. */
  async keep(memory: Json): Promise<void> {
    const cursor = this.#readTo === this.#keptTo ? undefined : this.#at(memory);
    if (cursor === undefined) return;
    await this.#ports.context.store.change(this.#ports.id, (row) =>
      row ? { events: [], cursors: [cursor] } : [],
    );
    this.#keptTo = this.#readTo;
  }

  #at(memory: Json): ReadCursor | undefined {
    if (this.#readTo === 0) return undefined;
    this.#identity ??= this.#place.identify(this.#path, this.#readTo) ?? null;
    if (this.#identity === null) return undefined;
    // Without its time: an import looks at it once more, for the end of its last turn.
    const file = { ...this.#identity, sizeBytes: this.#readTo, mtimeMs: 0 };
    return { source: this.#path, byteOffset: this.#readTo, file, memory };
  }
}
