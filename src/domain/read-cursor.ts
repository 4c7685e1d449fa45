import type { Json } from "./json.ts";

/** How far a source of a session was read: committed with what was read, so that a reader goes on from here. */
export interface ReadCursor {
  /** The path of a file, or another name; one cursor for each in its session. */
  readonly source: string;
  /** The bytes before it are in the record. */
  readonly byteOffset: number;
  /** Null for a source that is no file. */
  readonly file: FileIdentity | null;
  /** The parser's memory of the bytes before; null where it remembers nothing. */
  readonly memory: Json;
}

/** A file told apart from a later one at the same path, and from itself written anew. */
export interface FileIdentity {
  /** In digits, like the inode: some file systems number beyond what a number can hold. */
  readonly device: string;
  readonly inode: string;
  /** When the cursor was taken; a file that is shorter now was cut or replaced. */
  readonly sizeBytes: number;
  /** When it was last written, at that time; a file with the same size and time has not changed. */
  readonly mtimeMs: number;
  /** The hash of so many first bytes, which a file that only grows still begins with. */
  readonly headBytes: number;
  readonly headHash: string;
}
