import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import type { SpooledBytes } from "./holder-files.ts";

/**
 * What follows an offset of the output on disk, up to another; `low` is above it where older bytes are gone. Works
 * without a living holder. All at once: in a flood, whoever lets others have their turn in between never catches up.
 */
export function readSpoolRange(dir: string, from: number, upTo = Infinity): SpooledBytes {
  for (let tries = 1; ; tries++) {
    try {
      return read(dir, from, upTo);
    } catch (error) {
      // A living holder may even drop all that were there.
      if (!isGone(error) || tries === MOST_TRIES) throw error;
    }
  }
}

const MOST_TRIES = 100;
const SEGMENT = /^out-(\d{16})$/;

function read(dir: string, from: number, upTo: number): SpooledBytes {
  const names = readdirSync(dir).filter((name) => SEGMENT.test(name));
  names.sort();
  const starts = names.map((name) => Number(name.slice("out-".length)));
  let low = Math.max(from, starts[0] ?? from);
  let parts: Buffer[] = [];
  for (const [i, name] of names.entries()) {
    const [start = 0, end] = [starts[i], starts[i + 1]];
    if ((end ?? Infinity) <= low || start >= upTo) continue;
    try {
      parts.push(readPart(join(dir, name), Math.max(0, low - start), upTo - start));
    } catch (error) {
      // A living holder may drop its oldest segments meanwhile.
      if (!isGone(error) || end === undefined) throw error;
      [low, parts] = [end, []];
    }
  }
  return { low, bytes: Buffer.concat(parts) };
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function readPart(path: string, from: number, upTo: number): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(Math.max(0, Math.min(fstatSync(file).size, upTo) - from));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
  } finally {
    closeSync(file);
  }
}
