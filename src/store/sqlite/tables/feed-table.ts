import type { Database } from "better-sqlite3";
import { RollcallError } from "../../../domain/errors.ts";
import type { FeedEvent } from "../../../domain/session/event.ts";
import type { FeedFilter, FeedPage } from "../../store.ts";
import { type KeptEvent, parseBody, toEvent } from "./event-table.ts";
import { LazyStatement } from "./lazy-statement.ts";
import { rowSum } from "./row-sum.ts";

/** So many places are looked at for one page: where a filter leaves out nearly all, a call takes no longer for it. */
const SPAN = 20_000;

/** Words as SQLite's JSON; null where any will do. */
type Words = string | null;

interface FilterValues {
  readonly onlyKinds: Words;
  readonly onlyOrigins: Words;
  readonly exceptKinds: Words;
  readonly exceptOrigins: Words;
  readonly hasExcept: number;
}

interface Range {
  readonly after: number;
  readonly until: number;
  readonly limit: number;
}

/** The events of all sessions, in the order of their commits. */
export class FeedTable {
  readonly #db: Database;
  readonly #all: LazyStatement<[number, number], KeptEvent>;
  readonly #filtered: LazyStatement<[FilterValues & Range], KeptEvent>;
  readonly #end: LazyStatement<[], { readonly feed: number | null }>;

  constructor(db: Database) {
    this.#db = db;
    const shown = `SELECT e.*, s.id AS session_id FROM events e LEFT JOIN sessions s ON s.no = e.session
      WHERE (s.no IS NOT NULL OR e.kind = 'deleted')`;
    this.#all = new LazyStatement(db, `${shown} AND e.feed > ? ORDER BY e.feed LIMIT ?`);
    this.#filtered = new LazyStatement(
      db,
      `${shown}
       AND (:onlyKinds IS NULL OR e.kind IN ${among("onlyKinds")})
       AND (:onlyOrigins IS NULL OR s.no IS NULL OR s.origin IN ${among("onlyOrigins")})
       AND NOT (:hasExcept
         AND (:exceptKinds IS NULL OR e.kind IN ${among("exceptKinds")})
         AND (:exceptOrigins IS NULL OR coalesce(s.origin IN ${among("exceptOrigins")}, 0)))
       AND e.feed > :after AND e.feed <= :until ORDER BY e.feed LIMIT :limit`,
    );
    this.#end = new LazyStatement(db, "SELECT max(feed) AS feed FROM events");
  }

  page(after: string | undefined, limit: number, filter?: FeedFilter): FeedPage {
    const begin = parseCursor(after);
    // Read first: what others commit meanwhile stands behind it.
    const end = Math.max(this.#last(), begin);
    const until = filter ? Math.min(begin + SPAN, end) : end;
    const kept = filter
      ? this.#filtered.all({ ...valuesOf(filter), after: begin, until, limit })
      : this.#all.all(begin, limit);
    const last = kept.at(-1)?.feed ?? begin;
    const place = kept.length === limit ? last : Math.max(last, until);
    return { events: kept.map(toFeedEvent), cursor: String(place), isEnd: place >= end };
  }

  end(): string {
    return String(this.#last());
  }

  /** Numbers go on behind this one, under which a mark stands that no feed shows. */
  raiseTo(feed: number): void {
    const [id, at, kind, body] = [`restored-${feed}`, new Date(0).toISOString(), "restored", "{}"];
    this.#db
      .prepare(
        "INSERT INTO events (feed, session, seq, id, at, kind, body, sum) VALUES (?, 0, ?, ?, ?, ?, ?, ?)",
      )
      .run(feed, feed, id, at, kind, body, rowSum(0, feed, id, at, null, kind, body));
  }

  #last(): number {
    return this.#end.get()?.feed ?? 0;
  }
}

function among(words: keyof FilterValues): string {
  return `(SELECT value FROM json_each(:${words}))`;
}

function valuesOf({ only = {}, except }: FeedFilter): FilterValues {
  const words = (list: readonly string[] | undefined) => (list ? JSON.stringify(list) : null);
  return {
    onlyKinds: words(only.kinds),
    onlyOrigins: words(only.origins),
    exceptKinds: words(except?.kinds),
    exceptOrigins: words(except?.origins),
    hasExcept: except ? 1 : 0,
  };
}

function toFeedEvent(kept: KeptEvent): FeedEvent {
  const cursor = String(kept.feed);
  if (kept.session_id !== null) return { ...toEvent(kept, kept.session_id), cursor };
  const { sessionId } = parseBody(kept.body, "that was removed") as unknown as { readonly sessionId: string };
  return { cursor, sessionId, at: kept.at, body: { kind: "deleted" } };
}

function parseCursor(cursor: string | undefined): number {
  const feed = cursor === undefined ? 0 : Number(cursor);
  if (Number.isSafeInteger(feed) && feed >= 0) return feed;
  throw new RollcallError("bad_input", `${JSON.stringify(cursor)} is not a cursor of the feed.`, {
    hint: "Use the cursor of an event that the feed gave.",
  });
}
