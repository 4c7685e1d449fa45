import { createHash } from "node:crypto";
import { closeSync, fstatSync, readSync } from "node:fs";
import type { FileIdentity } from "../domain/read-cursor.ts";
import { openForeign } from "./foreign-file.ts";

/** Enough to tell one transcript from another; the first line of each has an id or a time in it. */
const HEAD_BYTES = 4096;

/** The identity of a file that is read up to here; undefined where it is gone. */
export function identifyFile(path: string, readTo: number): FileIdentity | undefined {
  return withFile(path, (fd) => {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    const headBytes = Math.min(HEAD_BYTES, readTo);
    const headHash = hashOfHead(fd, headBytes);
    return { device: String(dev), inode: String(ino), sizeBytes: readTo, headBytes, headHash };
  });
}

/** Whether the file at this path is the one that was read before, and has only grown since. */
export function isSameFile(path: string, known: FileIdentity): boolean {
  const isSame = withFile(path, (fd) => {
    const { dev, ino, size } = fstatSync(fd, { bigint: true });
    if (String(dev) !== known.device || String(ino) !== known.inode) return false;
    return size >= BigInt(known.sizeBytes) && hashOfHead(fd, known.headBytes) === known.headHash;
  });
  return isSame === true;
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
