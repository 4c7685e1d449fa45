import type { Database } from "better-sqlite3";
import { RollcallError } from "../../../domain/errors.ts";
import type { EventBody, NewEvent, SessionEvent } from "../../../domain/session/event.ts";
import type { Channel } from "../../../domain/session/session.ts";
import type { Entry } from "../../../domain/transcript/entry.ts";
import { isRewound, type Span } from "../../../domain/transcript/rewound.ts";
import type { EntryQuery, RangeQuery } from "../../store.ts";
import { LazyStatement } from "./lazy-statement.ts";
import { rowSum } from "./row-sum.ts";

export interface KeptEvent {
  readonly feed: number;
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  readonly channel: string | null;
  readonly body: string;
  readonly session_id: string | null;
}

/** How many events a caller gets who names no limit; the rest comes with the next cursor. */
const PAGE = 1000;
const NOT_REWOUND = `AND NOT EXISTS
  (SELECT 1 FROM json_each(?) s WHERE seq BETWEEN s.value ->> '$.from' AND s.value ->> '$.to')`;

export class EventTable {
  readonly #db: Database;
  readonly #insert: LazyStatement<unknown[]>;
  readonly #find: LazyStatement<[string], KeptEvent>;
  readonly #spans: LazyStatement<[string], { readonly spans: string | null }>;
  readonly #ranges = new Map<string, LazyStatement<unknown[], KeptEvent>>();

  constructor(db: Database) {
    this.#db = db;
    this.#insert = new LazyStatement(
      db,
      `INSERT INTO events (session, seq, id, at, channel, kind, body, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#spans = new LazyStatement(
      db,
      "SELECT CASE WHEN json_valid(body) THEN body -> '$.rewound' END AS spans FROM sessions WHERE id = ?",
    );
    this.#find = new LazyStatement(
      db,
      "SELECT e.*, s.id AS session_id FROM events e JOIN sessions s ON s.no = e.session WHERE e.id = ?",
    );
  }

  /** The place of the event in the feed; undefined for one whose id is there already. */
  insert(sessionNo: number, seq: number, event: NewEvent): number | undefined {
    const { id, at, channel, body } = event;
    const text = JSON.stringify(body);
    const sum = rowSum(sessionNo, seq, id, at, channel, body.kind, text);
    try {
      const { lastInsertRowid } = this.#insert.ready.run(
        sessionNo,
        seq,
        id,
        at,
        channel,
        body.kind,
        text,
        sum,
      );
      return Number(lastInsertRowid);
    } catch (error) {
      // Asked afterwards and not before: it almost never is.
      if (isKnownId(error)) return undefined;
      throw error;
    }
  }

  find(id: string): SessionEvent | undefined {
    const kept = this.#find.get(id);
    return kept && toEvent(kept, kept.session_id ?? "");
  }

  range(sessionId: string, query: RangeQuery): SessionEvent[] {
    return this.#select(sessionId, query, false).map((kept) => toEvent(kept, sessionId));
  }

  entries(sessionId: string, query: EntryQuery): Entry[] {
    const spans = this.#spansOf(sessionId);
    const without = query.withRewound === true ? [] : spans;
    return this.#select(sessionId, query, true, without).map((kept) => toEntry(kept, sessionId, spans));
  }

  /** Parts of the conversation that were taken back. */
  #spansOf(sessionId: string): readonly Span[] {
    const { spans = null } = this.#spans.get(sessionId) ?? {};
    return spans === null ? [] : (JSON.parse(spans) as readonly Span[]);
  }

  #select(
    sessionId: string,
    query: RangeQuery,
    entriesOnly: boolean,
    without: readonly Span[] = [],
  ): KeptEvent[] {
    const { after = 0, before = Number.MAX_SAFE_INTEGER, limit = PAGE, tail = false } = query;
    const hidden = without.length === 0 ? [] : [JSON.stringify(without)];
    const statement = this.#range(entriesOnly, tail, hidden.length > 0);
    const rows = statement.all(sessionId, after, before, ...hidden, limit === 0 ? -1 : limit);
    return tail ? rows.reverse() : rows;
  }

  #range(entriesOnly: boolean, tail: boolean, isPartial: boolean): LazyStatement<unknown[], KeptEvent> {
    const sql = `SELECT feed, seq, id, at, channel, body, NULL AS session_id FROM events
      WHERE session = (SELECT no FROM sessions WHERE id = ?) AND seq > ? AND seq < ?
      ${entriesOnly ? "AND kind = 'entry_added'" : ""} ${isPartial ? NOT_REWOUND : ""} ORDER BY seq ${tail ? "DESC" : "ASC"} LIMIT ?`;
    let statement = this.#ranges.get(sql);
    if (!statement) {
      statement = new LazyStatement(this.#db, sql);
      this.#ranges.set(sql, statement);
    }
    return statement;
  }
}

function isKnownId(error: unknown): boolean {
  const { code, message = "" } = error as { readonly code?: unknown; readonly message?: string };
  return code === "SQLITE_CONSTRAINT_UNIQUE" && message.endsWith("events.id");
}

export function parseBody(body: string, sessionId: string): EventBody {
  try {
    return JSON.parse(body) as EventBody;
  } catch (cause) {
    throw new RollcallError("corrupt", `An event of session ${sessionId} is damaged and was left as it is.`, {
      hint: "See `rollcall verify`; `rollcall restore FILE` goes back to a backup.",
      facts: { sessionId },
      cause,
    });
  }
}

export function toEvent(kept: KeptEvent, sessionId: string): SessionEvent {
  return {
    sessionId,
    seq: kept.seq,
    id: kept.id,
    at: kept.at,
    channel: kept.channel as Channel | null,
    body: parseBody(kept.body, sessionId),
  };
}

function toEntry(kept: KeptEvent, sessionId: string, spans: readonly Span[]): Entry {
  const body = parseBody(kept.body, sessionId);
  if (body.kind !== "entry_added") throw new RollcallError("corrupt", `Event ${kept.id} is no entry.`);
  const mark = isRewound(spans, kept.seq) ? ({ isRewound: true } as const) : {};
  return { seq: kept.seq, at: kept.at, ...body.entry, ...mark };
}
