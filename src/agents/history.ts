import type { JsonObject } from "../domain/json.ts";
import type { Identity, Kind } from "../domain/session/session.ts";
import type { Instant } from "../domain/time.ts";
import type { Memory, Parsed, TurnOver } from "./parsed.ts";

/** How the records of a history are stored. A new kind needs a reader in `src/history/readers/`. */
export const HISTORY_READERS = ["jsonl", "json", "sqlite"] as const;
export type HistoryReaderName = (typeof HISTORY_READERS)[number];

/** The history that an agent keeps on disk by itself. Pure: the folder is read by others, and never written to. */
export interface History<M extends Memory = Memory> {
  readonly reader: HistoryReaderName;
  /** For the reader `sqlite`: where its records are. */
  readonly database?: HistoryDatabase;
  /** No two files have the same name, wherever they lie: one that has is a copy. */
  readonly isNamedOnce?: true;
  /** No copies of the originals are kept: a file does not tell by its place whose it is, or holds many conversations. */
  readonly isNotArchived?: true;
  /** A helper may repeat answers of its session in records of other keys, so that its own begin with an answer. */
  readonly hasAsides?: true;
  /** Folders for this environment. Where two hold the same file, the one in the earlier folder counts. */
  roots(env: Readonly<Record<string, string | undefined>>): readonly string[];
  /** The session of a file, by its path below a root; undefined where the file is no history. */
  placeOf(path: string): HistoryPlace | undefined;
  /** For an agent whose records do not say it: a file beside this history with the folder of its conversation, and nothing else. */
  folderNoteOf?(path: string): string | undefined;
  /** The folder with more files of this history, which a resume may need. */
  companions?(path: string): string | undefined;
  /** Facts of a session that one of its first records states. */
  describe(record: JsonObject): HistoryFacts;
  /** Identifies a record, so that copies of it in other files are found. */
  trace(record: JsonObject): RecordTrace;
  /** Sorts a record by its type and what it has below it: noise is not parsed. */
  sort(record: JsonObject): RecordSort;
  /** Whether the type alone says that a record is noise, so that not even its JSON is parsed. */
  isNoiseType(type: string): boolean;
  /** The meaning of one record. Total, like every parser. */
  parse(record: JsonObject, memory: M): Parsed<M>;
  /** The same in the history of a sub-agent. */
  parseSubagent(record: JsonObject, memory: M): Parsed<M>;
  /** The usage alone, for a scan that keeps nothing else. */
  readonly usage: UsageHistory<M>;
  /** Merged into the memory where copies of another session end and the records of its own begin. */
  readonly afterCopies?: Partial<M>;
  /**
   * Merged into the memory of a history that goes on from a place in another (`base`): what the other one's memory is at
   * this place; undefined where nobody knows.
   */
  afterBase?(memory: M | undefined): Partial<M>;
  /** How the open turn went where the history ends; undefined where nothing says so. */
  turnAtRest?(memory: M): TurnOver | undefined;
}

/** Histories that stand side by side in a database of SQLite, as statements that only read. */
export interface HistoryDatabase {
  /** The names of such databases in a root. */
  readonly files: RegExp;
  /** The tables that the statements read. Nothing is read where one of them is a view, or computes a column. */
  readonly tables: readonly string[];
  /** One row for each history: `id`, `records` (a count that moves with every row) and `changed` (milliseconds). */
  readonly sessions: string;
  /** The records of the history `$id` in order, each with its `kind` and `id`. */
  readonly records: string;
  /** One of these by `$kind` and `$id`, as `record`, JSON; null where it is longer than `$longest` bytes. */
  readonly record: string;
  /** Whether nothing is added to a record any more. The last one waits until then. */
  isWhole(record: JsonObject): boolean;
  /** The files that earlier releases kept in its place. A history that is in a database is read from there. */
  readonly tree?: HistoryTree;
}

/** Histories as a tree of JSON files: one for each session, message and part. */
export interface HistoryTree {
  /** Below a root: a folder for each project, in it a file for each session. */
  readonly sessions: string;
  /** Below a root: a folder for each session, in it a file for each message. */
  readonly messages: string;
  /** Below a root: a folder for each message, in it a file for each part. */
  readonly parts: string;
  /** The name of the database that took the place of the tree: its histories go on from where the tree was read to. */
  readonly database: string;
  /** The records that the database would give. */
  sessionRecord(session: JsonObject): JsonObject;
  messageRecord(message: JsonObject, parts: readonly JsonObject[]): JsonObject;
  /** Milliseconds, by which messages are ordered. */
  createdMs(message: JsonObject): number;
}

export interface UsageHistory<M extends Memory = Memory> {
  /**
   * A line of a record without any of these texts adds nothing to the usage, and need not be parsed. In a database each
   * record is. The search is several times as fast for up to seven bytes that begin with a rare one.
   */
  readonly marks?: readonly string[];
  /** As `parse` and `parseSubagent`, for usage and what the memory needs for it. */
  parse(record: JsonObject, memory: M): Pick<Parsed<M>, "usage" | "memory">;
  parseSubagent(record: JsonObject, memory: M): Pick<Parsed<M>, "usage" | "memory">;
}

export interface HistoryPlace {
  /** The session's own id; null where only a record tells it. */
  readonly nativeId: string | null;
  /** The session that started this one as its helper; null where only a record tells it. */
  readonly parent?: string | null;
  /** Names the file among all, where another one may go on from a place in it. */
  readonly file?: string;
}

/** A place in another history: before the record with this number in the file of this name. */
export type HistoryBase = { readonly file: string; readonly before: number };

export interface HistoryFacts extends Partial<Pick<Identity, "agentVersion" | "gitBranch" | "gitCommit">> {
  readonly nativeId?: string;
  readonly kind?: Kind;
  readonly cwd?: string;
  readonly startedAt?: Instant;
  readonly agentName?: string;
  readonly purpose?: string;
  /** The native id of the session that this one helps. */
  readonly parent?: string;
  /** The native id of the session that this one continues apart from. */
  readonly forkedFrom?: string;
  /** Records numbered below this one are copies. */
  readonly ownOrdinal?: number;
  /** It begins where the conversation stood at this place. */
  readonly base?: HistoryBase;
}

export interface RecordTrace {
  /** The same in every copy of the record, and unique otherwise; absent for a record that is never copied. */
  readonly key?: string;
  /** Other records may have the same key by chance: it tells a copy only of an origin that is known by something else. */
  readonly isWeak?: boolean;
  /** Names the answer of the model that the record is a part of. A helper may repeat it in a record of another key. */
  readonly answer?: string;
  /** Nothing stands before it in its conversation, so that a copy may begin with it. */
  readonly isRoot?: boolean;
  readonly at?: Instant;
  readonly ordinal?: number;
}

/**
 * `known`: it is parsed. `noise`: it has nothing that a record of a session keeps. `unknown`: this release does not know
 * all of it, so that it is kept as it is beside what could be parsed. The type names what is below it too:
 * `event_msg/token_count`.
 */
export interface RecordSort {
  readonly type: string;
  readonly is: "known" | "noise" | "unknown";
}
