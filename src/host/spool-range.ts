import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SpooledBytes } from "./holder-files.ts";

/**
 * What follows an offset of the output on disk, up to another; `low` is above it where older bytes are gone. Works
 * without a living holder.
 */
export async function readSpoolRange(dir: string, from: number, upTo = Infinity): Promise<SpooledBytes> {
  for (let tries = 1; ; tries++) {
    try {
      return await read(dir, from, upTo);
    } catch (error) {
      // A living holder may even drop all that were there.
      if (!isGone(error) || tries === MOST_TRIES) throw error;
    }
  }
}

const MOST_TRIES = 100;
const SEGMENT = /^out-(\d{16})$/;

async function read(dir: string, from: number, upTo: number): Promise<SpooledBytes> {
  const names = (await readdir(dir)).filter((name) => SEGMENT.test(name)).sort();
  const starts = names.map((name) => Number(name.slice("out-".length)));
  let low = Math.max(from, starts[0] ?? from);
  let parts: Buffer[] = [];
  for (const [i, name] of names.entries()) {
    const [start = 0, end] = [starts[i], starts[i + 1]];
    if ((end ?? Infinity) <= low || start >= upTo) continue;
    try {
      parts.push(await readPart(join(dir, name), Math.max(0, low - start), upTo - start));
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

async function readPart(path: string, from: number, upTo: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.max(0, Math.min(size, upTo) - from));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
