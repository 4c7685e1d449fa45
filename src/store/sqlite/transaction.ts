import { apply } from "../../domain/apply.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { NewEvent, SessionEvent } from "../../domain/event.ts";
import type { SessionRow } from "../../domain/session.ts";
import { addToLedger, takeFromLedger, type UsageEntry } from "../../domain/usage.ts";
import type { Change, ChangeOptions, Decide } from "../store.ts";
import type { Batch } from "./commit-queue.ts";
import type { EventTable } from "./event-table.ts";
import type { SearchIndex } from "./search-index.ts";
import type { SessionTable, Working } from "./session-table.ts";
import type { UsageTable } from "./usage-table.ts";

export interface Tables {
  readonly sessions: SessionTable;
  readonly events: EventTable;
  readonly usage: UsageTable;
  readonly search: SearchIndex;
  readonly redact: <T>(value: T) => T;
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
    const decided = decide(session.row, { ledgerRequests: session.ledger.requests });
    const events: SessionEvent[] = [];
    for (const event of decided) {
      const body = this.#tables.redact(event.body);
      const appended = this.#append(sessionId, session, { ...event, body });
      if (appended) events.push(appended);
    }
    if (!session.row) throw notFound(sessionId);
    const { row, ledger, observed, hasChildren, version } = session;
    return { row, ledger, observed, hasChildren, version: version + 1, events };
  }

  recordUsage(sessionId: string, requests: readonly UsageEntry[]): void {
    const session = this.#open(sessionId);
    if (session.no === undefined) throw notFound(sessionId);
    for (const request of requests) {
      const earlier = this.#tables.usage.replace(session.no, request);
      if (earlier) session.ledger = takeFromLedger(session.ledger, earlier);
      session.ledger = addToLedger(session.ledger, request);
    }
    this.#tables.sessions.saveLedger(session.no, session.ledger);
  }

  finish(): void {
    for (const session of this.#changed) {
      const { no, row, before } = session;
      if (no === undefined || !row) continue;
      this.#tables.sessions.save(no, row, before);
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

  #append(sessionId: string, session: Working, event: NewEvent): SessionEvent | undefined {
    const placed: SessionEvent = { ...event, sessionId, seq: (session.row?.seq ?? 0) + 1 };
    const row = apply(session.row, placed);
    if (!row) throw notFound(sessionId);
    const isNew = session.no === undefined;
    session.no ??= this.#reserve(row);
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
