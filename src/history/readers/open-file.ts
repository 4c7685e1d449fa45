import { closeSync } from "node:fs";
import type { FileIdentity } from "../../domain/read-cursor.ts";
import { identifyOpen, isSameOpen } from "../../machine/file-identity.ts";
import { findForeign } from "../../machine/foreign-file.ts";
import type { OpenSource, StoredRecord } from "./reader.ts";

/** Reads the records of an open file behind an offset. */
type ReadRecords = (fd: number, path: string, from: number) => AsyncIterable<readonly StoredRecord[]>;

/** Whether a file goes on from what was read of it. */
type GoesOn = (fd: number, known: FileIdentity) => boolean;

/** One history in a file of its own; undefined where the file is gone, or is no regular one. */
export function openFile(
  path: string,
  read: ReadRecords,
  goesOn: GoesOn = isSameOpen,
): OpenSource | undefined {
  const fd = findForeign(path);
  return fd === undefined ? undefined : new OpenFile(fd, (from) => read(fd, path, from), goesOn);
}

class OpenFile implements OpenSource {
  readonly #fd: number;
  readonly #goesOn: GoesOn;
  readonly records: OpenSource["records"];

  constructor(fd: number, records: OpenSource["records"], goesOn: GoesOn) {
    this.#fd = fd;
    this.#goesOn = goesOn;
    this.records = records;
  }

  identify(readTo: number): FileIdentity {
    return identifyOpen(this.#fd, readTo);
  }

  isSame(known: FileIdentity): boolean {
    return this.#goesOn(this.#fd, known);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}
