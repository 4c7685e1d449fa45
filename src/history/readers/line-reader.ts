import { fstatSync, readSync } from "node:fs";
import { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";

/** A line with the offset behind it; `text` is null for one that is longer than anything an agent writes. */
export interface Line {
  readonly text: string | null;
  readonly offset: number;
  readonly bytes: number;
}

/** Read into one buffer again and again: buffers of their own would stay until the next collection of garbage. */
const CHUNK = 256 * 1024;
/** A tool result or a picture fits in; a longer line is passed over, so that memory stays bounded. */
export const LONGEST_LINE = 16 * 1024 * 1024;
export const LINE_END = 0x0a;
/** As of a transcript that is followed: the rest is not read. A sparse or packed file may be of any length. */
const MOST_BYTES = 1024 ** 3;
const COMPRESSED = /\.zst$/u;

/**
 * Reads the whole lines of an open file behind an offset, a chunk at a time; a line without its end is left for later. A
 * compressed file is read from its beginning, and its offsets count what it unpacks to.
 */
export async function* readLines(fd: number, path: string, from: number): AsyncGenerator<readonly Line[]> {
  const isPacked = COMPRESSED.test(path);
  const lines = new Lines(isPacked ? 0 : from);
  for await (const chunk of chunksOf(fd, path, from)) {
    const whole = lines.push(chunk);
    yield isPacked ? whole.filter(({ offset }) => offset > from) : whole;
  }
}

/** The bytes behind an offset, which of a compressed file are all it unpacks to. Each chunk is valid until the next one. */
export function chunksOf(fd: number, path: string, from: number): AsyncIterable<Buffer> | Iterable<Buffer> {
  return COMPRESSED.test(path) ? unpack(fd) : readChunks(fd, from);
}

/**
 * Up to the size at the beginning: a file that grows as fast as it is read is read on the next time. Each chunk is valid
 * until the next one.
 */
function* readChunks(fd: number, from: number): Generator<Buffer> {
  const size = Math.min(fstatSync(fd).size, MOST_BYTES);
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(CHUNK, size - from)));
  for (let position = from; position < size; ) {
    const count = readSync(fd, bytes, 0, Math.min(bytes.length, size - position), position);
    if (count === 0) return;
    position += count;
    yield bytes.subarray(0, count);
  }
}

async function* unpack(fd: number): AsyncGenerator<Buffer> {
  const unpacked = Readable.from(copies(readChunks(fd, 0))).pipe(createZstdDecompress());
  let bytes = 0;
  for await (const chunk of unpacked) {
    bytes += (chunk as Buffer).length;
    if (bytes > MOST_BYTES) return;
    yield chunk as Buffer;
  }
}

/** A stream may still hold a chunk when it asks for the next one. */
function* copies(chunks: Iterable<Buffer>): Generator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

/** Cuts chunks at the ends of lines. */
class Lines {
  #rest: Buffer[] = [];
  #restBytes = 0;
  #offset: number;

  constructor(offset: number) {
    this.#offset = offset;
  }

  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      lines.push(this.#take(chunk.subarray(from, end + 1)));
      from = end + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    return lines;
  }

  #keep(bytes: Buffer): void {
    this.#restBytes += bytes.length;
    if (this.#restBytes > LONGEST_LINE) this.#rest = [];
    else this.#rest.push(Buffer.from(bytes));
  }

  #take(last: Buffer): Line {
    const length = this.#restBytes + last.length;
    const whole = this.#rest.length === 0 ? last : Buffer.concat([...this.#rest, last]);
    this.#rest = [];
    this.#restBytes = 0;
    this.#offset += length;
    const text = length > LONGEST_LINE ? null : whole.toString("utf8");
    return { text, offset: this.#offset, bytes: length };
  }
}
