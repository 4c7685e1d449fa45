import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

/**
 * The output on disk that follows an offset, up to another. Works without a living holder. All files are opened at once:
 * in a flood, whoever lets others have their turn in between never catches up. They are read piece by piece, for a full
 * spool is 16 MB.
 */
export function openSpoolRange(dir: string, from: number, upTo = Infinity): SpoolRange {
  for (let tries = 1; ; tries++) {
    try {
      return new SpoolRange(openParts(dir, from, upTo), from);
    } catch (error) {
      // A living holder may even drop all that were there.
      if (!isGone(error) || tries === MOST_TRIES) throw error;
    }
  }
}

const MOST_TRIES = 100;
const SEGMENT = /^out-(\d{16})$/;
const PIECE_BYTES = 64 * 1024;

interface Part {
  readonly file: number;
  /** The offset in the output of its first byte. */
  readonly start: number;
  readonly low: number;
  readonly high: number;
}

export class SpoolRange implements Disposable {
  readonly #parts: readonly Part[];
  /** Above the offset that was asked for where older bytes are gone. */
  readonly low: number;
  readonly high: number;

  constructor(parts: readonly Part[], from: number) {
    this.#parts = parts;
    this.low = parts[0]?.low ?? from;
    this.high = parts.at(-1)?.high ?? from;
  }

  /** The bytes from an offset on; each piece stands in the room of the one before it. */
  *pieces(from: number = this.low): Generator<Buffer, void, void> {
    const room = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, Math.max(0, this.high - from)));
    for (const { file, start, low, high } of this.#parts)
      for (let at = Math.max(low, from); at < high; ) {
        const count = readSync(file, room, 0, Math.min(room.length, high - at), at - start);
        if (count === 0) break;
        yield room.subarray(0, count);
        at += count;
      }
  }

  [Symbol.dispose](): void {
    for (const { file } of this.#parts) closeSync(file);
  }
}

function openParts(dir: string, from: number, upTo: number): Part[] {
  const names = readdirSync(dir).filter((name) => SEGMENT.test(name));
  names.sort();
  const starts = names.map((name) => Number(name.slice("out-".length)));
  let parts: Part[] = [];
  try {
    for (const [index, name] of names.entries()) {
      const [start = 0, end = Infinity] = [starts[index], starts[index + 1]];
      if (end <= from || start >= upTo) continue;
      try {
        parts.push(openPart(join(dir, name), { start, from, upTo }));
      } catch (error) {
        // A living holder may drop its oldest segments meanwhile.
        if (!isGone(error) || end === Infinity) throw error;
        close(parts);
        parts = [];
      }
    }
    return parts;
  } catch (error) {
    close(parts);
    throw error;
  }
}

function openPart(path: string, { start, from, upTo }: { start: number; from: number; upTo: number }): Part {
  const file = openSync(path, "r");
  const low = Math.max(start, from);
  return { file, start, low, high: Math.max(low, Math.min(start + fstatSync(file).size, upTo)) };
}

function close(parts: readonly Part[]): void {
  for (const { file } of parts) closeSync(file);
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
