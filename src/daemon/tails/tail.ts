import type { FileIdentity } from "../../domain/read-cursor.ts";
import type { Piece } from "../sources/line-splitter.ts";

export interface TailReader {
  /** The offset to begin at; 0 where it is left out. Asked for once for each file that is found at the path. */
  from?(): Promise<number>;
  /** One line at a time, in order. */
  line(piece: Piece): Promise<void>;
  /** Everything that was in that file has been read, for the first time. Called again where it fails. */
  caughtUp?(): Promise<void>;
  failed(error: unknown): void;
}

/** Reads what another program adds to a conversation on disk: each line or record once, as they come. */
export interface Tail {
  readonly path: string;
  /** Moves with every change. */
  readonly stamp: string;
  /** Tells for a cursor what it is that was read so far, and whether it still is. */
  readonly identity: TailIdentity;
  begin(): void;
  stop(): void;
  /** Reads everything that is there now. */
  catchUp(): Promise<void>;
}

export interface TailIdentity {
  identify(path: string, readTo: number): FileIdentity | undefined;
  isSame(path: string, known: FileIdentity): boolean;
}
