import { createHash } from "node:crypto";
import type { JsonObject } from "../../domain/json.ts";
import type { FileIdentity } from "../../domain/read-cursor.ts";
import type { OpenSource, StoredRecord } from "./reader.ts";

/** The records of one history, in order. Nothing tells how large they are but reading them. */
export interface CountedRecords extends Disposable {
  /** The names of all records, as they are at first: what is added or taken back later is read the next time. */
  names(): readonly CountedName[];
  record(name: CountedName): CountedRecord;
  /** Its place on disk, how much there is of it, and when it changed last. */
  place(): Pick<FileIdentity, "device" | "inode" | "sizeBytes" | "mtimeMs">;
  /** Whether nothing is added to a record any more. */
  isWhole(record: JsonObject | undefined): boolean;
}

export interface CountedName {
  readonly id: string;
  readonly kind: string;
}

export interface CountedRecord {
  readonly bytes: number;
  read(): JsonObject | undefined;
}

/**
 * One history whose offsets count records. They are named once: to look for them again behind each of them would take ever
 * longer.
 */
export class CountedSource implements OpenSource {
  readonly #from: CountedRecords;
  #known: readonly CountedName[] | undefined;
  /** The hash of so many names. */
  #hashing = createHash("sha256");
  #hashed = 0;

  constructor(from: CountedRecords) {
    this.#from = from;
  }

  identify(readTo: number): FileIdentity {
    return { ...this.#from.place(), headBytes: readTo, headHash: this.#hash(readTo) };
  }

  /** Records that were read may have been taken back since. */
  isSame({ headBytes, headHash }: FileIdentity): boolean {
    return this.#hash(headBytes) === headHash;
  }

  async *records(from: number): AsyncGenerator<readonly StoredRecord[]> {
    for (let index = from; index < this.#names.length; index += 1) {
      const record = this.#from.record(this.#names[index] as CountedName);
      // A record that another one follows is complete.
      if (index === this.#names.length - 1 && !this.#from.isWhole(record.read())) return;
      yield [storedAt(record, index + 1)];
    }
  }

  [Symbol.dispose](): void {
    this.#from[Symbol.dispose]();
  }

  get #names(): readonly CountedName[] {
    this.#known ??= this.#from.names();
    return this.#known;
  }

  /** By their names: what is whole is not written anew but for notes on it. Goes on where it was asked for last. */
  #hash(count: number): string {
    if (count < this.#hashed) {
      this.#hashing = createHash("sha256");
      this.#hashed = 0;
    }
    const most = Math.min(count, this.#names.length);
    for (; this.#hashed < most; this.#hashed += 1)
      this.#hashing.update(`${JSON.stringify(this.#names[this.#hashed]?.id)}\n`);
    return this.#hashing.copy().digest("hex");
  }
}

function storedAt({ bytes, read }: CountedRecord, offset: number): StoredRecord {
  return { offset, bytes, type: undefined, read };
}
