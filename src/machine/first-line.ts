import { closeSync, readSync } from "node:fs";
import { openForeign } from "./foreign-file.ts";

/** Agents put long instructions into the first line of a transcript; beyond this it is none. */
const MOST_BYTES = 1024 * 1024;
const CHUNK = 64 * 1024;

/** The first line of a file, without its end; empty where it is not whole yet, or cannot be read. */
export function firstLineOf(path: string): string {
  try {
    const file = openForeign(path);
    try {
      return readLine(file);
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

function readLine(file: number): string {
  const bytes: Buffer[] = [];
  for (let read = 0; read < MOST_BYTES; ) {
    const chunk = Buffer.alloc(CHUNK);
    const count = readSync(file, chunk, 0, CHUNK, read);
    if (count === 0) return "";
    const end = chunk.subarray(0, count).indexOf("\n");
    bytes.push(chunk.subarray(0, end < 0 ? count : end));
    if (end >= 0) return Buffer.concat(bytes).toString("utf8");
    read += count;
  }
  return "";
}
