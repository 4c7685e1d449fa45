import type { Database } from "better-sqlite3";
import { RollcallError } from "../../domain/errors.ts";
import type { Status } from "../../domain/session/state.ts";
import type { ListQuery, Page, StoredSession } from "../store.ts";
import { LazyStatement } from "./tables/lazy-statement.ts";
import { KEPT_COLUMNS, type KeptSession, readOrNote } from "./tables/session-table.ts";

interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Rows asked for at once where all are wanted, or where a filter of the caller's may turn many away. */
const CHUNK = 500;

/** Sessions by newest activity, then id; filters first, then the limit. */
export class SessionList {
  readonly #db: Database;
  readonly #statements = new Map<string, LazyStatement<unknown[], KeptSession>>();

  constructor(db: Database) {
    this.#db = db;
  }

  page(query: ListQuery): Page<StoredSession> {
    const items: StoredSession[] = [];
    const corrupt: string[] = [];
    const wanted = query.limit === 0 ? Number.POSITIVE_INFINITY : query.limit;
    let cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor);
    for (;;) {
      const size = query.where ? CHUNK : Math.min(CHUNK, wanted - items.length + 1);
      const rows = this.#select(query, cursor, size);
      for (const kept of rows) {
        const session = readOrNote(kept, corrupt);
        if (session && (query.where?.(session.row) ?? true)) {
          if (items.length === wanted) return { items, nextCursor: formatCursor(items.at(-1)), corrupt };
          items.push(session);
        }
      }
      const last = rows.at(-1);
      if (!last || rows.length < size) return { items, nextCursor: undefined, corrupt };
      cursor = { lastActiveAt: last.last_active_at, id: last.id };
    }
  }

  #select(query: ListQuery, cursor: Cursor | undefined, size: number): ListedSession[] {
    const conditions = [...conditionsOf(query), ...(cursor ? [behind(cursor)] : [])];
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`;
    const sql = `SELECT ${KEPT_COLUMNS}, s.last_active_at FROM sessions s ${where} ORDER BY s.last_active_at DESC, s.id LIMIT ?`;
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = new LazyStatement(this.#db, sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...conditions.flatMap(({ values }) => values), size) as ListedSession[];
  }
}

type ListedSession = KeptSession & { readonly last_active_at: string };

interface Cursor {
  readonly lastActiveAt: string;
  readonly id: string;
}

function conditionsOf(query: ListQuery): Condition[] {
  const conditions: (Condition | undefined)[] = [
    query.states && stateIn(query.states),
    query.statuses && statusIn(query.statuses),
    query.detached ? { sql: "s.live = 1 AND s.observed ->> '$.attached' = 0", values: [] } : undefined,
    equals("kind", query.kind),
    equals("channel", query.channel),
    query.agent === undefined
      ? undefined
      : { sql: "(s.agent_name = ? OR s.agent_type = ?)", values: [query.agent, query.agent] },
    equals("task_id", query.taskId),
    equals("parent_id", query.parentId),
    equals("native_id", query.nativeId),
    equals("machine", query.machine),
    query.origins && isIn("s.origin", query.origins),
    query.activeSince === undefined
      ? undefined
      : { sql: "s.last_active_at >= ?", values: [query.activeSince] },
    query.activeUntil === undefined
      ? undefined
      : { sql: "s.last_active_at < ?", values: [query.activeUntil] },
    query.createdSince === undefined ? undefined : { sql: "s.created_at >= ?", values: [query.createdSince] },
    query.createdUntil === undefined ? undefined : { sql: "s.created_at < ?", values: [query.createdUntil] },
  ];
  return conditions.filter((condition) => condition !== undefined);
}

function equals(column: string, value: string | undefined): Condition | undefined {
  return value === undefined ? undefined : { sql: `s.${column} = ?`, values: [value] };
}

function isIn(expression: string, values: readonly string[]): Condition {
  return { sql: `${expression} IN (${values.map(() => "?").join(", ")})`, values };
}

/** `+` keeps SQLite from an index that would give several states one after the other and so need a sort. */
function stateIn(states: readonly string[]): Condition {
  const [only] = states;
  if (only === undefined || states.length > 1) return isIn("+s.state", states);
  // Word for word the condition of the index of rare states; the two others are most of what lives, or does not.
  if (only === "running") return { sql: "s.live = 1 AND +s.state = 'running'", values: [] };
  if (only === "stopped") return { sql: "s.live = 0 AND +s.state = 'stopped'", values: [] };
  return { sql: "s.state = ? AND s.state NOT IN ('running', 'stopped')", values: [only] };
}

/** The words of `statusOf`, asked in SQL; the contract suite holds the two together. */
const STATUS_SQL: Readonly<Record<Status, string>> = {
  active: "s.live = 1",
  unknown: "(s.state = 'unknown' OR (s.state = 'stopped' AND s.outcome IS NULL))",
  failed: "(s.state = 'failed' OR (s.state = 'stopped' AND s.outcome = 'failure'))",
  completed: "(s.state = 'stopped' AND s.outcome = 'success')",
  cancelled: "(s.state = 'stopped' AND s.outcome = 'interrupted')",
};

function statusIn(statuses: readonly Status[]): Condition {
  if (statuses.length === 0) return { sql: "0", values: [] };
  return { sql: `(${statuses.map((status) => STATUS_SQL[status]).join(" OR ")})`, values: [] };
}

function behind({ lastActiveAt, id }: Cursor): Condition {
  return {
    // The first half is for the index: it alone would let the ties of the last page come again.
    sql: "s.last_active_at <= ? AND (s.last_active_at < ? OR s.id > ?)",
    values: [lastActiveAt, lastActiveAt, id],
  };
}

function formatCursor(last: StoredSession | undefined): string | undefined {
  return last && Buffer.from(`${last.row.lastActiveAt} ${last.row.id}`).toString("base64url");
}

function parseCursor(cursor: string): Cursor {
  const match = /^(\S+) (\S+)$/.exec(Buffer.from(cursor, "base64url").toString());
  if (match) return { lastActiveAt: match[1] as string, id: match[2] as string };
  throw new RollcallError("bad_input", `${JSON.stringify(cursor)} is not a cursor of a list.`, {
    hint: "Use the next_cursor that the page before gave.",
  });
}
