import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from "node:fs";

/** A fifo or device must not block us, nor a terminal become ours. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const MIB = 1024 * 1024;

/** A file that is no regular one, or that is too large; the message is one sentence. */
export class UnfitFileError extends Error {
  override readonly name = "UnfitFileError";
}

/**
 * Opens a file that another program wrote, or that an agent or a repository could have put there. It never blocks.
 * Throws `UnfitFileError` for anything but a regular file, which is not opened at all.
 */
export function openForeign(path: string, flags = 0): number {
  // Opening alone can have an effect: the writer of a fifo goes on, a device may begin to work.
  const look = flags & constants.O_NOFOLLOW ? lstatSync : statSync;
  if (!look(path).isFile()) throw notRegular(path);
  const fd = openSync(path, FLAGS | flags);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notRegular(path);
}

/** Whether an error of opening says that there is nothing to read: no such file, or none that is read here. */
export function isNothingToRead(error: unknown): boolean {
  return error instanceof UnfitFileError || (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** The same; undefined where there is nothing to read. */
export function findForeign(path: string): number | undefined {
  try {
    return openForeign(path);
  } catch (error) {
    if (isNothingToRead(error)) return undefined;
    throw error;
  }
}

/** The whole file; throws `UnfitFileError` where it is larger, also when it grows while it is read. */
export function readForeign(path: string, mostBytes: number, flags = 0): Buffer {
  const fd = openForeign(path, flags);
  try {
    const { size } = fstatSync(fd);
    if (size > mostBytes) throw tooLarge(path, mostBytes);
    // One byte more than expected shows that it has grown; files of the system say that they are empty.
    let bytes = Buffer.allocUnsafe(Math.max(size, 4096) + 1);
    for (let length = 0; ; ) {
      const count = readSync(fd, bytes, length, bytes.length - length, length);
      if (count === 0) return bytes.subarray(0, length);
      length += count;
      if (length > mostBytes) throw tooLarge(path, mostBytes);
      if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * length, mostBytes + 1));
    }
  } finally {
    closeSync(fd);
  }
}

export function readForeignText(path: string, mostBytes: number, flags = 0): string {
  return readForeign(path, mostBytes, flags).toString("utf8");
}

function notRegular(path: string): UnfitFileError {
  return new UnfitFileError(`${path} is not a regular file.`);
}

function tooLarge(path: string, mostBytes: number): UnfitFileError {
  return new UnfitFileError(`${path} is larger than ${mostBytes / MIB} MiB.`);
}
