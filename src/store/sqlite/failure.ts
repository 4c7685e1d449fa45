import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { type ErrorCode, RollcallError } from "../../domain/errors.ts";

interface Failure {
  readonly code: ErrorCode;
  readonly sentence: (path: string) => string;
  readonly hint: string;
}

const RESTORE =
  "Nothing was changed. See `rollcall verify`, and `rollcall restore FILE` to go back to a backup.";

/** Keyed by the beginning of SQLite's error code; the first match counts. */
const FAILURES: readonly (readonly [prefix: string, failure: Failure])[] = [
  [
    "SQLITE_FULL",
    {
      code: "store_full",
      sentence: (path) => `The disk that holds ${path} is full; nothing was written.`,
      hint: "Make room and try again: what was recorded before is safe.",
    },
  ],
  [
    "SQLITE_READONLY",
    {
      code: "store_readonly",
      sentence: (path) => `${path} cannot be written: the file, its folder or its disk is read-only.`,
      hint: "Make it writable, or choose another folder with ROLLCALL_HOME.",
    },
  ],
  [
    "SQLITE_NOTADB",
    {
      code: "store_not_a_database",
      sentence: (path) => `${path} is not a database; it was left alone.`,
      hint: RESTORE,
    },
  ],
  [
    "SQLITE_CORRUPT",
    { code: "store_corrupt", sentence: (path) => `${path} is damaged; it was left alone.`, hint: RESTORE },
  ],
  [
    "SQLITE_BUSY",
    {
      code: "store_locked",
      sentence: (path) => `${path} is locked by another program.`,
      hint: "Try again when it is done; `fuser` on the file tells which program it is.",
    },
  ],
  ["SQLITE_LOCKED", { code: "store_locked", sentence: (path) => `${path} is locked.`, hint: "Try again." }],
  [
    "SQLITE_CANTOPEN",
    {
      code: "store_unreadable",
      sentence: (path) => `${path} cannot be opened.`,
      hint: "Check that its folder exists and belongs to you, or choose another with ROLLCALL_HOME.",
    },
  ],
  [
    "SQLITE_IOERR",
    {
      code: "store_failed",
      sentence: (path) => `Reading or writing ${path} failed.`,
      hint: "Check the disk; what was acknowledged before is kept.",
    },
  ],
  // A statement of ours that the engine does not understand: the tables are not what they were.
  [
    "SQLITE_ERROR",
    { code: "store_corrupt", sentence: (path) => `${path} is damaged; it was left alone.`, hint: RESTORE },
  ],
  [
    "SQLITE_",
    {
      code: "store_failed",
      sentence: (path) => `The database engine failed on ${path}.`,
      hint: "Try again; what was acknowledged before is kept.",
    },
  ],
];

/** Translates an error of SQLite or the file system. Our own errors pass through. */
export function translate(error: unknown, path: string): Error {
  if (error instanceof RollcallError) return error;
  const code = codeOf(error);
  const failure =
    byDisk(code, path) ?? FAILURES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? byErrno(code, error);
  if (!failure) return error instanceof Error ? error : new Error(String(error));
  return new RollcallError(failure.code, failure.sentence(path), {
    hint: failure.hint,
    facts: { path },
    cause: error,
  });
}

/** After one of these the connection is not to be trusted; a new one is opened for the next call. */
export function isConnectionLost(error: unknown): boolean {
  // One that was opened on a read-only file stays read-only when the file is writable again.
  return ["SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN"].some((prefix) =>
    codeOf(error).startsWith(prefix),
  );
}

/** After one of these the kernel has forgotten what it failed to write, although it still shows it. */
export function isSyncLost(error: unknown): boolean {
  return codeOf(error).endsWith("FSYNC");
}

/** The engine says only that it could not open or write; the disk says why. */
function byDisk(code: string, path: string): Failure | undefined {
  if (!code.startsWith("SQLITE_CANTOPEN") && !code.startsWith("SQLITE_IOERR")) return undefined;
  const folder = dirname(path);
  if (!existsSync(folder)) return undefined;
  try {
    const { bavail, ffree, files } = statfsSync(folder);
    if (bavail === 0 || (files > 0 && ffree === 0)) return byErrno("ENOSPC", undefined);
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return codeOf(error) === "EROFS" ? byErrno("EROFS", undefined) : undefined;
  }
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

function byErrno(code: string, error: unknown): Failure | undefined {
  const find = (prefix: string) => FAILURES.find(([name]) => name === prefix)?.[1];
  if (code === "ENOSPC" || code === "EDQUOT") return find("SQLITE_FULL");
  if (code === "EIO") return find("SQLITE_IOERR");
  const cannotMake = code === "EACCES" && (error as { syscall?: unknown }).syscall === "open";
  if (code === "EROFS" || cannotMake) return find("SQLITE_READONLY");
  if (["EACCES", "EPERM", "ENOENT", "ENOTDIR", "EISDIR", "EEXIST"].includes(code))
    return find("SQLITE_CANTOPEN");
  return undefined;
}
