import type { UsageEntry } from "../domain/usage.ts";
import type { StoredSession } from "./store.ts";

/**
 * The store as a log that a copy elsewhere can follow: events by their place in the feed, rows and requests by the
 * number of their last write. Whoever copies keeps both places on the other side, and goes on from there.
 */
export interface LogReader {
  /** Makes the log's id at the first call. */
  log(): Promise<Log>;
  /** Says which machine writes this log. Where another machine's id stands in it, a new log begins. Idempotent. */
  claim(machineId: string): Promise<Log>;
  /**
   * Sessions as they are now whose last durable write came after this number, in the order of those writes. Numbers
   * only rise, also over removals, which the feed tells of. An observation is no durable write: a power cut may take it.
   */
  changedSessions(after: number, limit: number): Promise<ChangedSession[]>;
  /** The same for the requests of the ledger; both count with the same numbers. */
  changedRequests(after: number, limit: number): Promise<ChangedRequest[]>;
}

export interface Log {
  /** Random; a new one after each restore, so that a copy never goes on in another history. */
  readonly logId: string;
  /** Null until a machine claimed it. */
  readonly machineId: string | null;
  /** The number of the last write. */
  readonly changed: number;
}

export interface ChangedSession {
  readonly changed: number;
  readonly sessionId: string;
  /** Null where the record is damaged. */
  readonly stored: StoredSession | null;
}

export interface ChangedRequest {
  readonly changed: number;
  readonly sessionId: string;
  readonly request: UsageEntry;
}
