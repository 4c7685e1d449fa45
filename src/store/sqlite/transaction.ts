import { isDeepStrictEqual } from "node:util";
import { RollcallError } from "../../domain/errors.ts";
import type { ReadCursor } from "../../domain/read-cursor.ts";
import { apply } from "../../domain/session/apply.ts";
import type { Decision, EventBody, NewEvent, SessionEvent } from "../../domain/session/event.ts";
import { isCarriedLive } from "../../domain/session/name.ts";
import { usageOf } from "../../domain/session/record.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { toolUseOf } from "../../domain/tally/tool-use.ts";
import { closedWait } from "../../domain/tally/wait.ts";
import { type Instant, later } from "../../domain/time.ts";
import { addToLedger, isSuperseded, takeFromLedger, type UsageEntry } from "../../domain/usage.ts";
import type { Change, ChangeOptions, Decide } from "../store.ts";
import { checkBudgets, findSpentFor } from "./budgets/budget-check.ts";
import type { BudgetTable } from "./budgets/budget-table.ts";
import type { Batch } from "./commit-queue.ts";
import type { CursorTable } from "./tables/cursor-table.ts";
import type { EventTable } from "./tables/event-table.ts";
import type { ReferenceTable } from "./tables/reference-table.ts";
import type { SearchIndex } from "./tables/search-index.ts";
import type { SessionTable, Working } from "./tables/session-table.ts";
import { type TallyTable, ToolUses } from "./tables/tally-table.ts";
import type { UnknownTable } from "./tables/unknown-table.ts";
import type { UsageTable } from "./tables/usage-table.ts";

export interface Tables {
  readonly sessions: SessionTable;
  readonly events: EventTable;
  readonly usage: UsageTable;
  readonly cursors: CursorTable;
  readonly unknown: UnknownTable;
  readonly search: SearchIndex;
  readonly tallies: TallyTable;
  readonly references: ReferenceTable;
  readonly budgets: BudgetTable;
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
      findSpentBudget: (parentId, limits) =>
        findSpentFor(this.#budgetPorts(), { id: sessionId, parentId, limits }),
    });
    const {
      events: asked,
      usage = [],
      cursors = [],
      unknown = [],
      at,
    }: Decision = "events" in decided ? decided : { events: decided };
    const events: SessionEvent[] = [];
    for (const event of asked) {
      const appended = this.#append(sessionId, session, event);
      if (appended) events.push(appended);
    }
    if (!session.row) throw notFound(sessionId);
    const isUsageNew = this.#count(session, usage);
    if (isUsageNew) {
      events.push(...this.#tellUsage(sessionId, session, usage));
      events.push(...checkBudgets(this.#budgetPorts(at ?? newest(usage)), sessionId, usage));
    }
    for (const cursor of cursors) this.#tables.cursors.replace(session.no as number, cursor);
    for (const record of unknown) this.#tables.unknown.add(session.no as number, record);
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
      const earlier = this.#tables.usage.find(no, request.requestKey);
      // A transcript that is read again names all its requests again.
      if (earlier && (isSuperseded(request, earlier) || isDeepStrictEqual(earlier, request))) continue;
      if (this.#tables.usage.isOwnedByOther(no, request)) continue;
      isNew = true;
      this.#tables.usage.replace(no, request);
      if (earlier) session.ledger = takeFromLedger(session.ledger, earlier);
      session.ledger = addToLedger(session.ledger, request);
    }
    if (!isNew) return false;
    session.isLedgerChanged = true;
    this.#changed.add(session);
    return true;
  }

  /** Says the sums with this change, so that a follower of the feed need not read them. */
  #tellUsage(sessionId: string, session: Working, usage: readonly UsageEntry[]): SessionEvent[] {
    const row = session.row as SessionRow;
    const id = `${sessionId}-usage-${row.seq + 1}`;
    const body = { kind: "usage_changed", usage: usageOf(row, session.ledger) } as const;
    const told = this.#append(sessionId, session, { id, at: newest(usage), channel: null, body });
    return told ? [told] : [];
  }

  #budgetPorts(at: Instant = "") {
    return {
      budgets: this.#tables.budgets,
      saveLedgers: () => this.#saveLedgers(),
      row: (id: string) => this.#open(id).row,
      append: (id: string, body: EventBody) => {
        const session = this.#open(id);
        const { seq = 0, stateSince = at } = session.row ?? {};
        const event = { id: `${id}-budget-${seq + 1}`, at: later(at, stateSince), channel: null, body };
        return this.#append(id, session, event);
      },
    };
  }

  #saveLedgers(): void {
    for (const session of this.#changed) {
      const { no, ledger, isLedgerChanged } = session;
      if (no === undefined || !isLedgerChanged) continue;
      this.#tables.sessions.saveLedger(no, ledger);
      session.isLedgerChanged = false;
    }
  }

  finish(): void {
    this.#saveLedgers();
    for (const session of this.#changed) {
      const { no, row, before } = session;
      if (no === undefined || !row) continue;
      this.#tables.sessions.save(no, row, session);
      if (session.toolUses) this.#tables.tallies.addUses(no, session.toolUses.values());
      session.toolUses = undefined;
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

  /** The store alone knows places. */
  #withPlace(sessionId: string, event: NewEvent): NewEvent {
    if (event.body.kind !== "rewound") return event;
    const { fromSeq: _, ...body } = event.body;
    const since = this.#tables.events.find(body.since);
    return { ...event, body: since?.sessionId === sessionId ? { ...body, fromSeq: since.seq } : body };
  }

  #append(sessionId: string, session: Working, given: NewEvent): SessionEvent | undefined {
    const event = this.#withPlace(sessionId, given);
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
    if (!isNew && hasOtherDescent(row, session.row)) this.#tables.sessions.saveDescent(session.no, row);
    this.#tally(session, row, event);
    session.row = row;
    this.#changed.add(session);
    if (event.body.kind === "entry_added") this.#tables.search.learnEntry(feed, event.body.entry);
    return placed;
  }

  #tally(session: Working, after: SessionRow, { at, body }: NewEvent): void {
    const wait = session.row && closedWait(session.row, after, at);
    if (wait) this.#tables.tallies.addWait(session.no as number, wait);
    const use = toolUseOf(body);
    if (!use) return;
    session.toolUses ??= new ToolUses();
    session.toolUses.add(use);
  }

  #reserve(row: SessionRow): number {
    this.#tables.forgetTombstone(row.id);
    return this.#tables.sessions.reserve(row);
  }
}

function newest(usage: readonly UsageEntry[]): Instant {
  return usage.map(({ at }) => at).reduce(later);
}

/** Whether another budget may count for it now: it has another parent, or was launched anew. */
function hasOtherDescent(row: SessionRow, before: SessionRow | undefined): boolean {
  return row.parentId !== before?.parentId || row.carried?.launch !== before.carried?.launch;
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
