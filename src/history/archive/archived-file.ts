import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
} from "node:fs";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { isJsonObject, readJsonObject } from "../../domain/json.ts";
import type { FileIdentity } from "../../domain/read-cursor.ts";
import { identifyOpen, isSameOpen } from "../../machine/file-identity.ts";
import { openForeign, readForeignText, UnfitFileError } from "../../machine/foreign-file.ts";
import { randomBytes } from "../../machine/random.ts";
import { replaceFile } from "../../machine/replace-file.ts";

/** Stands beside the copy of a file, and says what the copy holds: what is behind its end is no part of it. */
export interface ArchiveNote {
  /** The path of the original. */
  readonly path: string;
  /** The file as it was then; its size is that of the copy, unpacked. */
  readonly file: FileIdentity;
  /** The name of the copy, and how many bytes of it count. */
  readonly packed: string;
  readonly packedBytes: number;
  /** How many times something was added. */
  readonly pieces: number;
}

const MOST_NOTE_BYTES = 64 * 1024;
const GIB = 1024 ** 3;
/** As much of a transcript is read, and far more than any agent keeps beside one; a sparse file may be of any size. */
const MOST_BYTES = GIB;
/** Small pieces are packed badly: after so many the file is copied anew. */
const MOST_PIECES = 64;
/** The time of a file that changed less than so long ago may be that of its next change, too. */
const YOUNG_MS = 1000;

/**
 * Copies a file, or what was added to it since the last time, into a folder of its own kind. Returns how many bytes of it were
 * read. One that was emptied keeps its copy; one that was replaced has a new one.
 */
export async function archiveFile(folder: string, path: string): Promise<number> {
  const notePath = join(folder, `${nameOf(path)}.json`);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile() || isUnchanged(notePath, stats.mtimeMs)) return 0;
  const fd = openForeign(path);
  try {
    const { size } = fstatSync(fd);
    if (size > MOST_BYTES) throw new UnfitFileError(`${path} is larger than ${MOST_BYTES / GIB} GiB.`);
    const known = readNote(notePath);
    const isMore = known !== undefined && isSameOpen(fd, known.file) && isWhole(folder, known);
    if (size === 0 || (isMore && size === known.file.sizeBytes)) return settle(notePath, stats.mtimeMs);
    const before = isMore && known.pieces < MOST_PIECES ? known : undefined;
    const packed = await pack(folder, fd, { before, size, name: nameOf(path) });
    const note: ArchiveNote = {
      path,
      ...{ file: { ...identifyOpen(fd, size), sizeBytes: size }, packed },
      packedBytes: statSync(join(folder, packed)).size,
      pieces: (before?.pieces ?? 0) + 1,
    };
    replaceFile(notePath, JSON.stringify(note), 0o600);
    if (known && known.packed !== packed) rmSync(join(folder, known.packed), { force: true });
    settle(notePath, stats.mtimeMs);
    return size - (before?.file.sizeBytes ?? 0);
  } finally {
    closeSync(fd);
  }
}

/** The files that a folder has copies of. */
export function notesIn(folder: string): ArchiveNote[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const note = readNote(join(folder, name));
      return note && isWhole(folder, note) ? [note] : [];
    });
}

interface Piece {
  readonly before: ArchiveNote | undefined;
  readonly size: number;
  readonly name: string;
}

/** Adds a piece to the copy, or begins another one. A copy may consist of any number of packed pieces. */
async function pack(folder: string, fd: number, { before, size, name }: Piece): Promise<string> {
  const packed = before?.packed ?? `${name}-${randomBytes(4).toString("hex")}.gz`;
  const path = join(folder, packed);
  if (before) truncateSync(path, before.packedBytes);
  await pipeline(
    createReadStream("", { fd, autoClose: false, start: before?.file.sizeBytes ?? 0, end: size - 1 }),
    createGzip(),
    createWriteStream(path, { flags: before ? "a" : "wx", mode: 0o600, flush: true }),
  );
  return packed;
}

/** The note gets the time of the file, or none yet: as long as they agree, the file need not be opened. */
function settle(notePath: string, mtimeMs: number): 0 {
  const seconds = Date.now() - mtimeMs > YOUNG_MS ? mtimeMs / 1000 : 0;
  if (existsSync(notePath)) utimesSync(notePath, seconds, seconds);
  return 0;
}

function isUnchanged(notePath: string, mtimeMs: number): boolean {
  const note = statSync(notePath, { throwIfNoEntry: false });
  return note !== undefined && Math.abs(note.mtimeMs - mtimeMs) < 1;
}

function isWhole(folder: string, { packed, packedBytes }: ArchiveNote): boolean {
  return (statSync(join(folder, packed), { throwIfNoEntry: false })?.size ?? -1) >= packedBytes;
}

function readNote(path: string): ArchiveNote | undefined {
  try {
    const note = readJsonObject(readForeignText(path, MOST_NOTE_BYTES));
    const isNote =
      typeof note?.path === "string" &&
      typeof note.packed === "string" &&
      note.packed === basename(note.packed) &&
      typeof note.packedBytes === "number" &&
      typeof note.pieces === "number" &&
      isJsonObject(note.file);
    return isNote ? (note as unknown as ArchiveNote) : undefined;
  } catch {
    return undefined;
  }
}

/** Two files of one session may have the same name. */
function nameOf(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 16);
}
