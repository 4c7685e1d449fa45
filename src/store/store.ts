import type { SpentBudget } from "../domain/limits/decide-budget.ts";
import type { Limit, Spending } from "../domain/limits/limit.ts";
import type { ReadCursor } from "../domain/read-cursor.ts";
import type { Mark } from "../domain/search/excerpt.ts";
import type { Decision, FeedEvent, NewEvent, SessionEvent } from "../domain/session/event.ts";
import type { FindNamesake } from "../domain/session/name.ts";
import type { Outcome } from "../domain/session/outcome.ts";
import type { AgentType, Channel, Kind, LiveFacts, Origin, SessionRow } from "../domain/session/session.ts";
import type { State, Status } from "../domain/session/state.ts";
import type { Instant } from "../domain/time.ts";
import type { Entry, EntryKind, EntryRole } from "../domain/transcript/entry.ts";
import type { KeptUnknownRecord } from "../domain/transcript/unknown-record.ts";
import type { LedgerSum, UsageEntry } from "../domain/usage.ts";
import type { LogReader } from "./log.ts";
import type { Maintenance } from "./maintenance.ts";
import type { Observations } from "./observations.ts";
import type { Statistics } from "./statistics.ts";

/**
 * The durable record of all sessions. Many processes may use one store at once.
 * Every promise of a write resolves only when what it wrote survives a power cut; nothing unacknowledged is shown.
 * Failures are coded errors (`store_*`, `seq_conflict`); after one, the store works again once its cause is gone.
 */
export interface Store extends LogReader, Observations, Maintenance, AsyncDisposable {
  /**
   * The one way to write to a session. Reads it, asks `decide`, and commits events, requests and read cursors of its
   * decision together, in one transaction that no other writer can enter. Events whose id is known already are left
   * out. A request with a known key replaces the earlier one; one that another session owns is left out. Where the sums
   * of the ledger change, `usage_changed` is appended with the usage of the session as this change leaves it, and the budgets of the session and of those above
   * it are decided: what they announce, and the end of every session that one of them stands above, is part of the same
   * commit. A cursor replaces the earlier one of its
   * source; alone it moves neither `seq` nor version. `decide` must be pure and may run more than once; what it throws
   * refuses the change and is passed on. Changes asked for at the same time share one commit.
   */
  change(sessionId: string, decide: Decide, options?: ChangeOptions): Promise<Change>;

  find(sessionId: string): Promise<StoredSession | undefined>;
  /** The row alone, for who decides something by it; the most asked for, and the cheapest. */
  findRow(sessionId: string): Promise<SessionRow | undefined>;
  /** Newest activity first, then by id. Filters apply before the limit; a limit of 0 means all. */
  list(query: ListQuery): Promise<Page<StoredSession>>;
  /** Sessions that end in these characters, or that have this name: live ones that we carry first, then the newest. */
  findByReference(reference: { readonly suffix?: string; readonly name?: string }): Promise<Referenced[]>;
  newest(): Promise<string | undefined>;
  /** Whether a live session is recorded whose process Rollcall carries on this machine; cheap, whatever else is there. */
  hasCarriedLive(machine: string): Promise<boolean>;
  /** The session itself and everything below it, with what each used, on one page. */
  family(sessionId: string): Promise<Page<StoredSession>>;
  /** The sums that budgets are measured by: of the session and everything below it, removed sessions included. */
  spending(sessionId: string): Promise<Spending>;

  /** How far a source of the session was read; undefined where it has to be read from the beginning. */
  findCursor(sessionId: string, source: string): Promise<ReadCursor | undefined>;

  /** How far the sources of all sessions were read. */
  cursors(): Promise<SourceCursor[]>;

  /** The event with this id, of whatever session; undefined where there is none. */
  findEvent(id: string): Promise<SessionEvent | undefined>;
  /** In order of `seq`, a page at a time. */
  events(sessionId: string, query?: RangeQuery): Promise<SessionEvent[]>;
  /** The same of entries. Those that were taken back are left out unless they are asked for. */
  entries(sessionId: string, query?: EntryQuery): Promise<Entry[]>;
  /** Records of its transcripts that no release knew which read them, in the order in which they were read, a page at a time. */
  unknownRecords(
    sessionId: string,
    query?: { readonly after?: number; readonly limit?: number },
  ): Promise<KeptUnknownRecord[]>;
  /**
   * Everything that passes the filter, in the order it was committed, after a cursor (undefined: from the beginning). The
   * cursor of the page stands behind what the filter left out, too, so that nobody reads that again.
   */
  feed(after: string | undefined, limit: number, filter?: FeedFilter): Promise<FeedPage>;
  /** The cursor behind which nothing was committed yet. */
  feedEnd(): Promise<string>;
  /** Calls back soon after anyone commits, in whichever process; may ring once for many commits, or for none. */
  listen(ring: () => void): Disposable;

  /**
   * Words must all occur, `"a phrase"` in order, `word*` as a beginning, `-word` nowhere. Best matches first, by BM25;
   * of equal ones the last recorded first. Pages go on behind the last hit: entries added since the first page are left
   * out, and a hit that is gone leaves no gap.
   */
  search(query: SearchQuery): Promise<Page<SearchHit>>;

  usageOf(
    sessionId: string,
    query?: { readonly after?: string; readonly limit?: number },
  ): Promise<UsageEntry[]>;
  statistics(): Statistics;

  logDelegation(delegation: Delegation): Promise<void>;
  delegations(since?: Instant): AsyncIterable<Delegation>;
  /** The latest of a task. */
  findDelegation(taskId: string): Promise<Delegation | undefined>;

  /**
   * Removes sessions with all that belongs to them; a tombstone stays. Returns the removed: unknown ids and those
   * that `only` turns away, asked about the row as it is at that moment, are not among them; damaged ones are kept.
   * They are gone in one commit; what they leave is taken out in steps, between which others can write. `nothing`: an
   * import takes them in again, so that neither a tombstone nor what they used stays.
   */
  remove(
    sessionIds: readonly string[],
    at: Instant,
    only?: (row: SessionRow) => boolean,
    leaves?: "tombstone" | "nothing",
  ): Promise<string[]>;
  isTombstone(
    key: { readonly sessionId: string } | { readonly agentType: AgentType; readonly nativeId: string },
  ): Promise<boolean>;

  close(): Promise<void>;
}

/** Events alone, or with requests for the ledger and read cursors. */
export type Decide = (row: SessionRow | undefined, known: Known) => readonly NewEvent[] | Decision;

/** Facts beside the row, read in the same transaction. */
export interface Known {
  /** The sums of the ledger, without what this change adds. */
  readonly ledger: LedgerSum;
  /** How far each source was read, looked up by its path or name. */
  readonly cursors: { get(source: string): ReadCursor | undefined };
  readonly findNamesake: FindNamesake;
  /**
   * A budget that leaves the session no room: one of these limits, by what it and all below it have used, or one of a
   * session above this parent. Undefined where there is room.
   */
  readonly findSpentBudget: (parentId: string | null, limits: readonly Limit[]) => SpentBudget | undefined;
}

export interface ChangeOptions {
  /** Refuses with `seq_conflict` unless the session stands at exactly this `seq` (0: does not exist). */
  readonly expectedSeq?: number;
}

export interface Change extends StoredSession {
  /** The events appended now, with their place; events that were known already are left out. */
  readonly events: readonly SessionEvent[];
  /** The ledger has other sums than before. */
  readonly isUsageNew: boolean;
}

/** A read cursor with its session, without the memory of its parser. */
export interface SourceCursor extends Omit<ReadCursor, "memory"> {
  readonly sessionId: string;
}

export interface StoredSession {
  /** Raised by each change of what a record file shows, the usage included. */
  readonly version: number;
  readonly row: SessionRow;
  readonly ledger: LedgerSum;
  readonly observed: LiveFacts;
  readonly hasChildren: boolean;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
  /** Ids of records that could not be read; they are left out of `items`. */
  readonly corrupt?: readonly string[];
}

/** Events that match `only`, without those that match `except`. */
export interface FeedFilter {
  readonly only?: FeedMatch;
  readonly except?: FeedMatch;
}

/** Selects events of these kinds, in sessions of these origins. A removal (`deleted`) has no origin, and is never left out by one. */
export interface FeedMatch {
  readonly kinds?: readonly FeedEvent["body"]["kind"][];
  readonly origins?: readonly Origin[];
}

export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** To go on from; there may be more even where the page is empty. */
  readonly cursor: string;
  /** Nothing was committed behind the cursor when it was read. */
  readonly isEnd: boolean;
}

export interface ListQuery {
  readonly states?: readonly State[];
  readonly statuses?: readonly Status[];
  readonly detached?: boolean;
  readonly kind?: Kind;
  readonly channel?: Channel;
  /** Matches the agent's name or its type. */
  readonly agent?: string;
  readonly taskId?: string;
  readonly parentId?: string;
  readonly nativeId?: string;
  readonly machine?: string;
  readonly origins?: readonly Origin[];
  readonly activeSince?: Instant;
  readonly activeUntil?: Instant;
  readonly createdSince?: Instant;
  readonly createdUntil?: Instant;
  /** Anything that the store cannot ask itself. */
  readonly where?: (row: SessionRow) => boolean;
  readonly limit: number;
  readonly cursor?: string;
}

export interface Referenced {
  readonly id: string;
  readonly name: string | null;
  readonly state: State;
  readonly origin: Origin;
}

/** `after` and `before` are seqs and exclusive; `tail` takes the last ones of the range, still in order. */
export interface RangeQuery {
  readonly after?: number;
  readonly before?: number;
  readonly limit?: number;
  readonly tail?: boolean;
}

export interface EntryQuery extends RangeQuery {
  readonly withRewound?: boolean;
}

/** Conditions on a hit beside its words; a filter on entries leaves out what sessions say of themselves. */
export interface SearchFilter {
  /** Matches the agent's name or its type. */
  readonly agent?: string;
  /** The session's workspace is this folder or lies in it. */
  readonly folder?: string;
  readonly outcome?: Outcome;
  readonly since?: Instant;
  readonly until?: Instant;
  /** The entry is about this tool, in whichever case it is written. */
  readonly tool?: string;
  readonly role?: EntryRole;
  /** Also what was taken back. */
  readonly withRewound?: boolean;
}

export interface SearchQuery extends SearchFilter {
  readonly text: string;
  readonly limit: number;
  readonly cursor?: string;
}

export interface SearchHit {
  readonly sessionId: string;
  readonly session: SessionRow;
  /** The entry that matched; null where the session's own words did. */
  readonly seq: number | null;
  /** The event that added the entry. */
  readonly eventId: string | null;
  readonly at: Instant;
  readonly role: EntryRole | null;
  readonly kind: EntryKind | "session";
  readonly tool: string | null;
  /** One line without escape sequences. */
  readonly excerpt: string;
  /** The places of the words in the excerpt, in order and apart. */
  readonly marks: readonly Mark[];
  /** A person took the conversation back to before it. */
  readonly isRewound?: true;
}

export interface Delegation {
  readonly at: Instant;
  readonly agentName: string | null;
  readonly taskId: string | null;
  readonly sessionId: string | null;
  /** The seq of the session when it was asked about. */
  readonly seq: number | null;
  readonly resume: boolean;
  readonly reason: string;
}
