import type { Database } from "better-sqlite3";
import { RollcallError } from "../../domain/errors.ts";
import { excerptOf } from "../../domain/search/excerpt.ts";
import { type Phrase, parseWordQuery, type WordQuery } from "../../domain/search/query.ts";
import { isRewound } from "../../domain/transcript/rewound.ts";
import type { Page, SearchHit, SearchQuery } from "../store.ts";
import { parseBody } from "./tables/event-table.ts";
import { LazyStatement } from "./tables/lazy-statement.ts";
import { textOfEntry, textOfSession } from "./tables/search-index.ts";
import { parseRow } from "./tables/session-table.ts";

interface Match {
  readonly place: number;
  readonly rank: number;
  readonly session_id: string;
  readonly session_body: string;
  readonly seq: number | null;
  readonly event_id: string | null;
  readonly at: string | null;
  readonly body: string | null;
}

interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Behind which hit a page begins. */
interface Cursor {
  /** The newest event that there was when the first page was read. */
  readonly newest: number;
  /** The rank of the last hit. */
  readonly rank: number;
  /** The last hit, and some before it, for the case that it is gone. */
  readonly places: readonly number[];
}

const KEPT_PLACES = 8;

/** A place is the number of an event, or the negative number of a session. Removed sessions may still have places. */
const JOINED = `LEFT JOIN events e ON e.feed = f.place
  CROSS JOIN sessions s ON s.no = coalesce(e.session, -f.place)`;

const COLUMNS = `f.place, f.rank, s.id AS session_id, s.body AS session_body,
  e.seq, e.id AS event_id, e.at, e.body`;

/** Reads the search index: one statement for each page, texts and sessions included. */
export class Finder {
  readonly #db: Database;
  readonly #statements = new Map<string, LazyStatement<unknown[], Match>>();
  readonly #newest: LazyStatement<[], { feed: number | null }>;
  readonly #rank: LazyStatement<[string, number], { rank: number }>;

  constructor(db: Database) {
    this.#db = db;
    this.#newest = new LazyStatement(db, "SELECT max(feed) AS feed FROM events");
    this.#rank = new LazyStatement(db, "SELECT rank FROM search WHERE search MATCH ? AND rowid = ?");
  }

  page(query: SearchQuery): Page<SearchHit> {
    const words = parseWordQuery(query.text);
    const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor);
    const newest = cursor?.newest ?? this.#newest.get()?.feed ?? 0;
    const matches = this.#match(query, matchOf(words), cursor);
    const page = matches.slice(0, query.limit);
    const corrupt = new Set<string>();
    const items = page
      .flatMap((match) => hitOrNote(match, words.wanted, corrupt))
      .filter(({ isRewound }) => query.withRewound === true || isRewound !== true);
    const nextCursor = matches.length > query.limit ? formatCursor(newest, page) : undefined;
    return { items, nextCursor, corrupt: [...corrupt] };
  }

  #match(query: SearchQuery, match: string, cursor: Cursor | undefined): Match[] {
    const behind = cursor === undefined ? [] : [this.#behind(cursor, match)];
    const filters = conditionsOf(query);
    const { sql, values } = filters.length === 0 ? unfiltered(behind) : filtered(behind, filters);
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = new LazyStatement(this.#db, sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(match, ...values, query.limit + 1);
  }

  /** Ranks move with every entry that is added or removed: the rank counts that the last hit has now. */
  #behind(cursor: Cursor, match: string): Condition {
    const { rank, place } = this.#lastThere(cursor, match);
    // The plus keeps the engine from taking a condition on the rank for the name of another way to rank.
    const sql = "f.rowid <= ? AND (+f.rank > ? OR (+f.rank = ? AND f.rowid < ?))";
    return { sql, values: [cursor.newest, rank, rank, place] };
  }

  #lastThere({ rank, places }: Cursor, match: string): Pick<Match, "rank" | "place"> {
    for (const place of places) {
      const now = this.#rank.get(match, place);
      if (now) return { rank: now.rank, place };
    }
    return { rank, place: places[0] ?? 0 };
  }
}

/** Ranked first: only what is shown is read from the other tables. */
function unfiltered(behind: readonly Condition[]): Condition {
  const ranked = `SELECT f.rowid AS place, f.rank FROM search f WHERE ${matchAnd(behind)}
    ORDER BY f.rank, f.rowid DESC LIMIT -1`;
  const sql = `SELECT ${COLUMNS} FROM (${ranked}) f ${JOINED} LIMIT ?`;
  return { sql, values: behind.flatMap(({ values }) => values) };
}

/** Filtered first, in the order of the tables: ranking takes time, and so does jumping to and fro. */
function filtered(behind: readonly Condition[], filters: readonly Condition[]): Condition {
  const where = matchAnd([...behind, ...filters]);
  const sql = `SELECT ${COLUMNS.replace("f.place", "f.rowid AS place")}
    FROM search f ${JOINED.replaceAll("f.place", "f.rowid")} WHERE ${where}
    ORDER BY f.rank, f.rowid DESC LIMIT ?`;
  return { sql, values: [...behind, ...filters].flatMap(({ values }) => values) };
}

function matchAnd(conditions: readonly Condition[]): string {
  return ["f.search MATCH ?", ...conditions.map(({ sql }) => sql)].join(" AND ");
}

function conditionsOf(query: SearchQuery): Condition[] {
  const { agent, folder, outcome, since, until, tool, role } = query;
  const conditions: (Condition | undefined)[] = [
    where("(s.agent_name = ? OR s.agent_type = ?)", agent, agent),
    folder === undefined ? undefined : inFolder(folder),
    where("s.outcome = ?", outcome),
    where("coalesce(e.at, s.created_at) >= ?", since),
    where("coalesce(e.at, s.created_at) < ?", until),
    where("lower(CASE WHEN json_valid(e.body) THEN e.body ->> '$.entry.tool.name' END) = lower(?)", tool),
    where("CASE WHEN json_valid(e.body) THEN e.body ->> '$.entry.role' END = ?", role),
  ];
  return conditions.filter((condition) => condition !== undefined);
}

function where(sql: string, ...values: readonly (string | undefined)[]): Condition | undefined {
  return values[0] === undefined ? undefined : { sql, values };
}

/** `0` comes right after `/`. */
function inFolder(folder: string): Condition {
  const sql = "(s.workspace_path = ? OR (s.workspace_path >= ? AND s.workspace_path < ?))";
  const path = folder.replace(/\/+$/, "");
  return { sql, values: [path === "" ? "/" : path, `${path}/`, `${path}0`] };
}

/** In the engine's own language. Words are quoted, and have nothing in them but letters, digits and spaces. */
function matchOf({ wanted, unwanted }: WordQuery): string {
  const all = wanted.map(phraseText).join(" AND ");
  return unwanted.length === 0 ? all : `(${all}) NOT (${unwanted.map(phraseText).join(" OR ")})`;
}

function phraseText({ words, isPrefix }: Phrase): string {
  return `"${words}"${isPrefix ? "*" : ""}`;
}

function hitOrNote(match: Match, phrases: readonly Phrase[], corrupt: Set<string>): SearchHit[] {
  try {
    return [hitOf(match, phrases)];
  } catch (error) {
    if (!(error instanceof RollcallError)) throw error;
    corrupt.add(match.session_id);
    return [];
  }
}

function hitOf(match: Match, phrases: readonly Phrase[]): SearchHit {
  const session = parseRow(match.session_id, match.session_body);
  const body = match.body === null ? undefined : parseBody(match.body, session.id);
  const entry = body?.kind === "entry_added" ? body.entry : undefined;
  const { text, marks } = excerptOf(entry ? textOfEntry(entry) : textOfSession(session), phrases);
  return {
    sessionId: session.id,
    session,
    seq: match.seq,
    eventId: match.event_id,
    at: match.at ?? session.createdAt,
    role: entry?.role ?? null,
    kind: entry?.kind ?? "session",
    tool: entry?.tool?.name ?? null,
    excerpt: text,
    marks,
    ...(match.seq !== null && isRewound(session.rewound, match.seq) ? { isRewound: true } : {}),
  };
}

function formatCursor(newest: number, page: readonly Match[]): string {
  const places = page.slice(-KEPT_PLACES).map(({ place }) => place);
  const numbers = [newest, page.at(-1)?.rank, ...places.reverse()];
  return Buffer.from(numbers.join(" ")).toString("base64url");
}

function parseCursor(cursor: string): Cursor {
  const numbers = Buffer.from(cursor, "base64url").toString().split(" ").map(Number);
  const [newest = Number.NaN, rank = Number.NaN, ...places] = numbers;
  const isCursor = [newest, ...places].every(Number.isSafeInteger) && Number.isFinite(rank);
  if (isCursor && places.length > 0) return { newest, rank, places: places.slice(0, KEPT_PLACES) };
  throw new RollcallError("bad_input", `${JSON.stringify(cursor)} is not a cursor of a search.`, {
    hint: "Use the next_cursor that the page before gave, with the same words.",
  });
}
