import { RollcallError } from "../../domain/errors.ts";
import type { ReadCursor } from "../../domain/read-cursor.ts";
import { apply } from "../../domain/session/apply.ts";
import type { NewEvent, SessionEvent } from "../../domain/session/event.ts";
import { isCarriedLive } from "../../domain/session/name.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { addToLedger, takeFromLedger, type UsageEntry } from "../../domain/usage.ts";
import type { Change, ChangeOptions, Decide } from "../store.ts";
import type { Batch } from "./commit-queue.ts";
import type { CursorTable } from "./tables/cursor-table.ts";
import type { EventTable } from "./tables/event-table.ts";
import type { ReferenceTable } from "./tables/reference-table.ts";
import type { SearchIndex } from "./tables/search-index.ts";
import type { SessionTable, Working } from "./tables/session-table.ts";
import type { UsageTable } from "./tables/usage-table.ts";

export interface Tables {
  readonly sessions: SessionTable;
  readonly events: EventTable;
  readonly usage: UsageTable;
  readonly cursors: CursorTable;
  readonly search: SearchIndex;
  readonly references: ReferenceTable;
  readonly forgetTombstone: (sessionId: string) => void;
}

/** One transaction: each session is read once, changed in memory as often as asked, and written once at the end. */
export class Transaction implements Batch {
  readonly #tables: Tables;
  readonly #working = new Map<string, Working>();
  readonly #changed = new Set<Working>();

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  change(sessionId: string, decide: Decide, { expectedSeq }: ChangeOptions = {}): Change {
    const session = this.#open(sessionId);
    const seq = session.row?.seq ?? 0;
    if (expectedSeq !== undefined && expectedSeq !== seq) throw seqConflict(sessionId, expectedSeq, seq);
    const decided = decide(session.row, {
      ledger: session.ledger,
      cursors: { get: (source) => this.#findCursor(session, source) },
      findNamesake: (name, machine) => this.#findNamesake(sessionId, name, machine),
    });
    const { events: asked, usage = [], cursors = [] } = "events" in decided ? decided : { events: decided };
    const events: SessionEvent[] = [];
    for (const event of asked) {
      const appended = this.#append(sessionId, session, event);
      if (appended) events.push(appended);
    }
    if (!session.row) throw notFound(sessionId);
    const isUsageNew = this.#count(session, usage);
    if (isUsageNew) events.push(...this.#tellUsage(sessionId, session, usage));
    for (const cursor of cursors) this.#tables.cursors.replace(session.no as number, cursor);
    const { row, ledger, observed, hasChildren } = session;
    const version = session.version + (this.#changed.has(session) ? 1 : 0);
    return { row, ledger, observed, hasChildren, version, events, isUsageNew };
  }

  #findCursor({ no }: Working, source: string): ReadCursor | undefined {
    return no === undefined ? undefined : this.#tables.cursors.find(no, source);
  }

  /** Adds requests to the ledger. False where it has them all already, or another session owns them. */
  #count(session: Working, requests: readonly UsageEntry[]): boolean {
    const no = session.no as number;
    let isNew = false;
    for (const request of requests) {
      // A transcript that is read again names all its requests again.
      if (this.#tables.usage.has(no, request) || this.#tables.usage.isOwnedByOther(no, request)) continue;
      isNew = true;
      const earlier = this.#tables.usage.replace(no, request);
      if (earlier) session.ledger = takeFromLedger(session.ledger, earlier);
      session.ledger = addToLedger(session.ledger, request);
    }
    if (!isNew) return false;
    session.isLedgerChanged = true;
    this.#changed.add(session);
    return true;
  }

  /** Whoever follows the feed reads the sums after the commit, so that one event stands for all of it. */
  #tellUsage(sessionId: string, session: Working, usage: readonly UsageEntry[]): SessionEvent[] {
    if (session.isUsageTold) return [];
    session.isUsageTold = true;
    const at = usage.map((request) => request.at).reduce((a, b) => (a > b ? a : b));
    const id = `${sessionId}-usage-${(session.row?.seq ?? 0) + 1}`;
    const told = this.#append(sessionId, session, { id, at, channel: null, body: { kind: "usage_changed" } });
    return told ? [told] : [];
  }

  finish(): void {
    for (const session of this.#changed) {
      const { no, row, before } = session;
      if (no === undefined || !row) continue;
      this.#tables.sessions.save(no, row, session);
      if (session.isLedgerChanged) this.#tables.sessions.saveLedger(no, session.ledger);
      session.isLedgerChanged = false;
      this.#tables.search.learnSession(no, row, before);
      session.before = row;
    }
    this.#changed.clear();
  }

  forget(sessionIds: readonly string[]): void {
    for (const id of sessionIds) this.#working.delete(id);
  }

  #open(sessionId: string): Working {
    let session = this.#working.get(sessionId);
    if (!session) {
      session = this.#tables.sessions.open(sessionId);
      this.#working.set(sessionId, session);
    }
    return session;
  }

  /** The tables do not know yet what this transaction changed. */
  #findNamesake(sessionId: string, name: string, machine: string | null): string | undefined {
    const isNamesake = ({ row }: Working) =>
      row !== undefined && row.name === name && row.machine === machine && isCarriedLive(row);
    const changed = this.#working.entries().find(([id, other]) => id !== sessionId && isNamesake(other));
    if (changed) return changed[0];
    const kept = this.#tables.references.carriedLive(name, machine);
    return kept.find((id) => id !== sessionId && !this.#working.has(id));
  }

  #append(sessionId: string, session: Working, event: NewEvent): SessionEvent | undefined {
    const placed: SessionEvent = { ...event, sessionId, seq: (session.row?.seq ?? 0) + 1 };
    const row = apply(session.row, placed);
    if (!row) throw notFound(sessionId);
    const isNew = session.no === undefined;
    if (session.no === undefined) {
      session.no = this.#reserve(row);
      session.reserved = row;
    }
    const feed = this.#tables.events.insert(session.no, placed.seq, event);
    // Not a refusal: the reserved session must be rolled back with it.
    if (feed === undefined && isNew) throw new Error(`Event ${event.id} belongs to another session already.`);
    if (feed === undefined) return undefined;
    session.row = row;
    this.#changed.add(session);
    if (event.body.kind === "entry_added") this.#tables.search.learnEntry(feed, event.body.entry);
    return placed;
  }

  #reserve(row: SessionRow): number {
    this.#tables.forgetTombstone(row.id);
    return this.#tables.sessions.reserve(row);
  }
}

function notFound(sessionId: string): RollcallError {
  return new RollcallError("session_not_found", `There is no session ${sessionId}.`, {
    hint: "See `rollcall list`.",
    facts: { sessionId },
  });
}

function seqConflict(sessionId: string, expected: number, actual: number): RollcallError {
  return new RollcallError(
    "seq_conflict",
    `Session ${sessionId} stands at seq ${actual}, not at ${expected}.`,
    {
      hint: "Read it again and decide anew.",
      facts: { sessionId, expected, actual },
    },
  );
}
