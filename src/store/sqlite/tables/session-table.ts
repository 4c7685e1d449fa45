import type { Database } from "better-sqlite3";
import { RollcallError } from "../../../domain/errors.ts";
import { budgetsOf } from "../../../domain/limits/decide-budget.ts";
import { suffixOf } from "../../../domain/session/id.ts";
import { readRow } from "../../../domain/session/read-row.ts";
import { NO_LIVE_FACTS } from "../../../domain/session/record.ts";
import type { LiveFacts, SessionRow } from "../../../domain/session/session.ts";
import { isLive } from "../../../domain/session/state.ts";
import { EMPTY_LEDGER, type LedgerSum } from "../../../domain/usage.ts";
import type { Page, StoredSession } from "../../store.ts";
import { LazyStatement } from "./lazy-statement.ts";
import { NEXT_CHANGE } from "./next-change.ts";
import type { ToolUses } from "./tally-table.ts";

export interface KeptSession {
  readonly no: number;
  readonly id: string;
  readonly version: number;
  readonly body: string;
  readonly ledger: string | null;
  readonly observed: string | null;
  readonly has_children: number;
}

export const KEPT_COLUMNS = `s.no, s.id, s.version, s.body, s.ledger, s.observed,
  EXISTS (SELECT 1 FROM sessions c WHERE c.parent_id = s.id) AS has_children`;

/** The same as values alone: the way by which every single session is read. */
type KeptValues = readonly [
  no: number,
  version: number,
  body: string,
  ledger: string | null,
  observed: string | null,
  hasChildren: number,
];

/** One session as a transaction works on it. */
export interface Working extends Omit<StoredSession, "row" | "ledger"> {
  no: number | undefined;
  row: SessionRow | undefined;
  ledger: LedgerSum;
  /** The row as it stands in the table, to see what the search index has to learn. */
  before: SessionRow | undefined;
  /** As it was put into the table by this transaction, which made it. */
  reserved?: SessionRow;
  /** This transaction has changed the sums, and has not written them yet. */
  isLedgerChanged?: boolean;
  /** Tallies of the entries that this transaction has appended, not written yet. */
  toolUses?: ToolUses | undefined;
}

const NEW: Working = {
  no: undefined,
  row: undefined,
  before: undefined,
  ledger: EMPTY_LEDGER,
  observed: NO_LIVE_FACTS,
  hasChildren: false,
  version: 0,
};

const COLUMNS = [
  "seq",
  "body",
  "name",
  "state",
  "live",
  "outcome",
  "kind",
  "channel",
  "agent_type",
  "agent_name",
  "task_id",
  "parent_id",
  "budgeted",
  "native_id",
  "machine",
  "workspace_path",
  "origin",
  "last_active_at",
] as const;

/** Beyond all that events were ever written under; those of removed sessions stay. */
const NEXT_NO = `(1 + max(
  coalesce((SELECT max(session) FROM events), 0),
  coalesce((SELECT max(no) FROM sessions), 0)
))`;

export class SessionTable {
  readonly #find: LazyStatement<[string], KeptValues>;
  readonly #findRow: LazyStatement<[string], [string]>;
  readonly #insert: LazyStatement<unknown[]>;
  readonly #update: LazyStatement<unknown[]>;
  readonly #touch: LazyStatement<[number, string, string, number, number]>;
  readonly #setLedger: LazyStatement<[string, number]>;
  readonly #setDescent: LazyStatement<[string | null, number, string, number]>;
  readonly #family: LazyStatement<[string], KeptSession>;

  constructor(db: Database) {
    this.#find = new LazyStatement(
      db,
      `SELECT s.no, s.version, s.body, s.ledger, s.observed,
         EXISTS (SELECT 1 FROM sessions c WHERE c.parent_id = s.id)
       FROM sessions s WHERE s.id = ?`,
      { asValues: true },
    );
    this.#findRow = new LazyStatement(db, "SELECT body FROM sessions WHERE id = ?", { asValues: true });
    this.#insert = new LazyStatement(
      db,
      `INSERT INTO sessions (no, ${COLUMNS.join(", ")}, id, suffix, created_at, version, file_version, changed)
       VALUES (${NEXT_NO}, ${COLUMNS.map(() => "?").join(", ")}, ?, ?, ?, 1, ?, ${NEXT_CHANGE})`,
    );
    this.#update = new LazyStatement(
      db,
      `UPDATE sessions SET ${COLUMNS.map((name) => `${name} = ?`).join(", ")}, version = version + ?, changed = ${NEXT_CHANGE}
       WHERE no = ?`,
    );
    this.#touch = new LazyStatement(
      db,
      `UPDATE sessions SET seq = ?, body = ?, last_active_at = ?, version = version + ?, changed = ${NEXT_CHANGE}
       WHERE no = ?`,
    );
    this.#setLedger = new LazyStatement(db, "UPDATE sessions SET ledger = ? WHERE no = ?");
    this.#setDescent = new LazyStatement(
      db,
      "UPDATE sessions SET parent_id = ?, budgeted = ?, state = ? WHERE no = ?",
    );
    this.#family = new LazyStatement(
      db,
      `WITH RECURSIVE family (id) AS (
         SELECT ? UNION SELECT c.id FROM sessions c JOIN family f ON c.parent_id = f.id
       ) SELECT ${KEPT_COLUMNS} FROM sessions s JOIN family USING (id)`,
    );
  }

  findRow(id: string): SessionRow | undefined {
    const kept = this.#findRow.ready.get(id);
    return kept && parseRow(id, kept[0]);
  }

  find(id: string): StoredSession | undefined {
    const kept = this.#find.ready.get(id);
    return kept && readValues(id, kept);
  }

  /** For a change: the session with its number, or a place for one that does not exist yet. */
  open(id: string): Working {
    const kept = this.#find.ready.get(id);
    if (!kept) return { ...NEW };
    const stored = readValues(id, kept);
    return { ...stored, no: kept[0], before: stored.row };
  }

  /** Puts a new session into the table and gives it its number. */
  reserve(row: SessionRow): number {
    const fileVersion = row.hasFile ? 0 : null;
    return Number(
      this.#insert.run(...columnsOf(row), row.id, suffixOf(row.id) ?? null, row.createdAt, fileVersion)
        .lastInsertRowid,
    );
  }

  /** Most changes leave alone what is looked for; then no more is written than has to be. */
  save(no: number, row: SessionRow, { before, reserved }: Pick<Working, "before" | "reserved">): void {
    if (row === reserved) return;
    const known = before ?? reserved;
    const raise = reserved ? 0 : 1;
    if (known && isFoundAlike(row, known))
      this.#touch.ready.run(row.seq, JSON.stringify(row), row.lastActiveAt, raise, no);
    else this.#update.run(...columnsOf(row), raise, no);
  }

  /** Beside `save`, which raises the version and the number of the change. */
  saveLedger(no: number, ledger: LedgerSum): void {
    this.#setLedger.run(JSON.stringify(ledger), no);
  }

  /** Before the end of the transaction: budgets are looked for in the table. */
  saveDescent(no: number, row: SessionRow): void {
    this.#setDescent.run(row.parentId, budgetsOf(row).length > 0 ? 1 : 0, row.state, no);
  }

  family(id: string): Page<StoredSession> {
    const corrupt: string[] = [];
    const items = this.#family.all(id).flatMap((kept) => readOrNote(kept, corrupt) ?? []);
    return { items, nextCursor: undefined, corrupt };
  }
}

/** A damaged record breaks no list: its id is noted and the others are shown. */
export function readOrNote(kept: KeptSession, corrupt: string[]): StoredSession | undefined {
  try {
    return read(kept);
  } catch (error) {
    if (!(error instanceof RollcallError)) throw error;
    corrupt.push(kept.id);
    return undefined;
  }
}

function read({ id, no, version, body, ledger, observed, has_children }: KeptSession): StoredSession {
  return readValues(id, [no, version, body, ledger, observed, has_children]);
}

function readValues(id: string, kept: KeptValues): StoredSession {
  const ledger = kept[3];
  const observed = kept[4];
  return {
    row: parseRow(id, kept[2]),
    version: kept[1],
    ledger: ledger === null ? EMPTY_LEDGER : (parseKept(id, ledger) as LedgerSum),
    observed: parseLiveFacts(id, observed),
    hasChildren: kept[5] === 1,
  };
}

export function parseRow(id: string, body: string): SessionRow {
  const row = readRow(parseKept(id, body));
  if (row) return row;
  throw corruptError(id);
}

/** Written before a field was known, it lacks it. */
export function parseLiveFacts(id: string, text: string | null): LiveFacts {
  if (text === null) return NO_LIVE_FACTS;
  return { ...NO_LIVE_FACTS, ...(parseKept(id, text) as Partial<LiveFacts>) };
}

function parseKept(id: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw corruptError(id);
  }
}

function corruptError(id: string): RollcallError {
  return new RollcallError("corrupt", `The record of session ${id} is damaged and was left as it is.`, {
    hint: "See `rollcall verify`; `rollcall restore FILE` goes back to a backup.",
    facts: { sessionId: id },
  });
}

/** The values of the columns beside the body. */
export function columnsByName(row: SessionRow): Readonly<Record<string, unknown>> {
  const values = columnsOf(row);
  const beside = Object.fromEntries(COLUMNS.map((name, index) => [name, values[index]]));
  return { ...beside, body: undefined, suffix: suffixOf(row.id) ?? null, created_at: row.createdAt };
}

/** Written out field by field: it is asked at every change. */
function isFoundAlike(row: SessionRow, before: SessionRow): boolean {
  return (
    row.state === before.state &&
    row.outcome === before.outcome &&
    row.name === before.name &&
    row.agentName === before.agentName &&
    row.agentType === before.agentType &&
    row.taskId === before.taskId &&
    row.parentId === before.parentId &&
    row.nativeId === before.nativeId &&
    row.machine === before.machine &&
    row.workspacePath === before.workspacePath &&
    row.kind === before.kind &&
    row.channel === before.channel &&
    row.origin === before.origin
  );
}

function columnsOf(row: SessionRow): unknown[] {
  return [
    row.seq,
    JSON.stringify(row),
    row.name,
    row.state,
    isLive(row.state) ? 1 : 0,
    row.outcome,
    row.kind,
    row.channel,
    row.agentType,
    row.agentName,
    row.taskId,
    row.parentId,
    budgetsOf(row).length > 0 ? 1 : 0,
    row.nativeId,
    row.machine,
    row.workspacePath,
    row.origin,
    row.lastActiveAt,
  ];
}
