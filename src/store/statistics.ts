import type { Status } from "../domain/session/state.ts";
import type { ToolUse } from "../domain/tally/tool-use.ts";
import type { Instant } from "../domain/time.ts";
import type { LedgerSum, UsageGroup } from "../domain/usage.ts";

/** Counts and sums over all sessions; none of them is read whole. */
export interface Statistics {
  /** Sums of the ledger over sessions and over what removed sessions had used. */
  usage(query: TotalsQuery): UsageTotal[];
  /** Counts the sessions that were made before the end of a stretch of time and active after its beginning. */
  sessions(query: TotalsQuery): SessionTotals;
  /** Waits for a person, those included that are open, of the sessions that `sessions` counts. */
  waits(window: Window): AgentWait[];
  /** How often these sessions called each tool, and how often that failed. */
  tools(window: Window): ToolUse[];
  size(): StoreSize;
  /** The same bytes by kind of data, without the journal; takes little time, however large the store is. */
  sizes(): readonly StoredSize[];
}

export interface StoreSize {
  readonly bytes: number;
  readonly sessions: number;
  readonly events: number;
}

/** Entries are events. `free`: room that is used again. */
export const STORED_KINDS = ["events", "search", "usage", "samples", "other", "free"] as const;
export type StoredKind = (typeof STORED_KINDS)[number];

export interface StoredSize {
  readonly kind: StoredKind;
  readonly bytes: number;
  readonly isEstimate: boolean;
}

/** Keyed by quarter of an hour in the place of the day: days begin with one in every time zone. */
export type TotalsGroup = Exclude<UsageGroup, "day"> | "quarter";

export interface Window {
  readonly since?: Instant;
  /** Exclusive. */
  readonly until?: Instant;
}

export interface TotalsQuery extends Window {
  readonly by: TotalsGroup | null;
}

/** `ms`: null while it is open. */
export interface AgentWait {
  readonly agent: string;
  readonly since: Instant;
  readonly ms: number | null;
}

export interface UsageTotal {
  readonly group: string | null;
  readonly ledger: LedgerSum;
}

export interface SessionTotals {
  readonly statuses: Readonly<Record<Status, number>>;
  readonly withErrors: number;
  /** Durations of those that have ended, the shortest first. */
  readonly durationsMs: readonly number[];
  readonly groups: readonly SessionGroup[];
}

export interface SessionGroup {
  readonly group: string | null;
  readonly sessions: number;
  readonly turns: number;
  /** Usage that sessions without a ledger declared. */
  readonly declared: LedgerSum;
}
