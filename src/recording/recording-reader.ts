import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { eventsIn, type RecordedEvent, segmentNames } from "./recording-segments.ts";

/** Reads a recording while it grows: each event once, whatever is dropped at its beginning meanwhile. */
export class RecordingReader {
  readonly #folder: string;
  #segment = "";
  /** How far into that segment, in bytes. */
  #read = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Pieces that are new since the last time, oldest first. */
  *next(): Iterable<RecordedEvent> {
    const names = segmentNames(this.#folder);
    for (const name of names.slice(Math.max(0, names.indexOf(this.#segment)))) {
      if (name !== this.#segment) this.#read = 0;
      this.#segment = name;
      yield* this.#rest();
    }
  }

  *#rest(): Iterable<RecordedEvent> {
    const text = readFrom(join(this.#folder, this.#segment), this.#read);
    // A line without an end is still being written.
    const whole = text.subarray(0, text.lastIndexOf("\n") + 1);
    this.#read += whole.length;
    for (const line of whole.toString("utf8").split("\n")) yield* eventsIn(line);
  }
}

function readFrom(path: string, from: number): Buffer {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    // The oldest may be dropped while one reads.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - from));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from));
  } finally {
    closeSync(fd);
  }
}
