import { createHash } from "node:crypto";
import { closeSync, fstatSync, readSync } from "node:fs";
import type { FileIdentity } from "../domain/read-cursor.ts";
import { openForeign } from "./foreign-file.ts";

/** Enough to tell one transcript from another; the first line of each has an id or a time in it. */
const HEAD_BYTES = 4096;

/** The identity of a file that is read up to here; undefined where it is gone. */
export function identifyFile(path: string, readTo: number): FileIdentity | undefined {
  return withFile(path, (fd) => {
    const file = identifyOpen(fd, readTo);
    return { ...file, sizeBytes: readTo };
  });
}

/** The identity of an open file, of which so many bytes are read. */
export function identifyOpen(fd: number, readTo: number): FileIdentity {
  const { dev, ino, size, mtimeMs } = fstatSync(fd, { bigint: true });
  const headBytes = Math.min(HEAD_BYTES, readTo);
  const place = {
    device: String(dev),
    inode: String(ino),
    sizeBytes: Number(size),
    mtimeMs: Number(mtimeMs),
  };
  return { ...place, headBytes, headHash: hashOfHead(fd, headBytes) };
}

/** Whether the file at this path is the one that was read before, and has only grown since. */
export function isSameFile(path: string, known: FileIdentity): boolean {
  return withFile(path, (fd) => isSameOpen(fd, known)) === true;
}

/** The same for an open file. */
export function isSameOpen(fd: number, known: FileIdentity): boolean {
  const { dev, ino, size } = fstatSync(fd, { bigint: true });
  if (String(dev) !== known.device || String(ino) !== known.inode) return false;
  return size >= BigInt(known.sizeBytes) && hashOfHead(fd, known.headBytes) === known.headHash;
}

function withFile<T>(path: string, work: (fd: number) => T): T | undefined {
  try {
    const fd = openForeign(path);
    try {
      return work(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function hashOfHead(fd: number, count: number): string {
  const bytes = Buffer.alloc(count);
  const read = count === 0 ? 0 : readSync(fd, bytes, 0, count, 0);
  return createHash("sha256").update(bytes.subarray(0, read)).digest("hex");
}
