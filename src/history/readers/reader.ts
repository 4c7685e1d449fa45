import type { JsonObject } from "../../domain/json.ts";
import type { FileIdentity } from "../../domain/read-cursor.ts";

/** Reads histories that are stored in one way, whatever agent wrote them. Nothing there is ever written. */
export interface HistoryReader {
  /** Everything below a root that may be a history, found by looking at folders alone. */
  find(root: string): Iterable<FoundSource>;
  /** Undefined where it is gone, or no regular file any more. Throws where it cannot be read. */
  open(path: string): OpenSource | undefined;
  /** Whether a file has a record in each line, so that those nobody wants need not be parsed. */
  hasLines(path: string): boolean;
}

/** One history, such as a file. */
export interface FoundSource {
  /** Names it in cursors, also once it is packed: the path of the file, with its name behind it for one of many. */
  readonly source: string;
  /** The present path of the file. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

export interface OpenSource extends Disposable {
  /** Its identity now, with so much of it read. */
  identify(readTo: number): FileIdentity;
  /** Whether it is the one that was read before, and has only grown since. */
  isSame(known: FileIdentity): boolean;
  /** Whole records behind an offset, in order and in batches; one that is not written to its end waits. */
  records(from: number): AsyncIterable<readonly StoredRecord[]>;
}

export interface StoredRecord {
  /** Behind the record: where to go on. */
  readonly offset: number;
  readonly bytes: number;
  /** Its type, where it shows without parsing all of it. */
  readonly type: string | undefined;
  /** Undefined for one that is no object of JSON, or longer than anything an agent writes. */
  read(): JsonObject | undefined;
}
