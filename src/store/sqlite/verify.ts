import { statSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { apply } from "../../domain/session/apply.ts";
import type { EventBody } from "../../domain/session/event.ts";
import type { Channel, SessionRow } from "../../domain/session/session.ts";
import { EMPTY_LEDGER, type LedgerSum } from "../../domain/usage.ts";
import type { VerifyProblem, VerifyReport } from "../maintenance.ts";
import { connectReadOnly } from "./connection.ts";
import { translate } from "./failure.ts";
import { MIGRATIONS, migrate, versionOf } from "./migrate.ts";
import { nativeBinding } from "./native-binding.ts";
import { rowSum } from "./tables/row-sum.ts";
import { columnsByName } from "./tables/session-table.ts";
import { LEDGER_COLUMNS, UsageTable } from "./tables/usage-table.ts";

interface KeptRow {
  readonly no: number;
  readonly id: string;
  readonly seq: number;
  readonly body: string;
  readonly ledger: string | null;
  readonly version: number;
  readonly file_version: number | null;
  readonly [column: string]: unknown;
}

interface KeptEvent {
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  readonly channel: string | null;
  readonly body: string;
}

/** How many sessions are checked before other work of this process gets its turn. */
const TURN = 200;

/**
 * Replays every session and compares. Takes a read-only connection of its own, in one snapshot, so that writers
 * are neither stopped nor seen half way.
 */
export async function verifyDatabase(
  db: Database,
  progress?: (done: number, of: number) => void,
): Promise<VerifyReport> {
  db.exec("BEGIN");
  try {
    const problems = [...checkEngine(db), ...checkSchema(db), ...checkSums(db)];
    const { sessions, events } = countAll(db);
    const usage = new UsageTable(db);
    let done = 0;
    for (const session of allSessions(db)) {
      problems.push(...checkSession(db, usage, session));
      if (++done % TURN === 0) {
        progress?.(done, sessions);
        await nextTurn();
      }
    }
    progress?.(sessions, sessions);
    return { sessions, events, problems: [...problems, ...checkOrphans(db)] };
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK");
  }
}

export async function verifyFile(
  path: string,
  progress?: (done: number, of: number) => void,
): Promise<VerifyReport> {
  const db = connectReadOnly(path);
  try {
    return await verifyDatabase(db, progress);
  } catch (error) {
    throw translate(error, path);
  } finally {
    db.close();
  }
}

export function sizeOf(db: Database, path: string): { bytes: number; sessions: number; events: number } {
  const sizes = ["", "-wal"].map((end) => statSync(path + end, { throwIfNoEntry: false })?.size ?? 0);
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), ...countAll(db) };
}

export function countAll(db: Database): { sessions: number; events: number } {
  const count = (rows: string) => db.prepare(`SELECT count(*) FROM ${rows}`).pluck().get() as number;
  return { sessions: count("sessions"), events: count("events") - count("events WHERE session = 0") };
}

function checkEngine(db: Database): VerifyProblem[] {
  const said = db.pragma("integrity_check(20)") as { integrity_check: string }[];
  return said
    .map(({ integrity_check }) => integrity_check)
    .filter((line) => line !== "ok")
    .map((detail) => ({ sessionId: null, problem: "engine", detail }));
}

/** The tables are those that the migrations make, to the letter. */
function checkSchema(db: Database): VerifyProblem[] {
  const made = new SqliteDatabase(":memory:", { nativeBinding: nativeBinding() });
  try {
    migrate(made, ":memory:", MIGRATIONS.slice(0, versionOf(db)));
    const schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name";
    const isSame = isDeepStrictEqual(db.prepare(schema).all(), made.prepare(schema).all());
    return isSame
      ? []
      : [{ sessionId: null, problem: "engine", detail: "The tables are not as they were made." }];
  } finally {
    made.close();
  }
}

/** Every row of the record still says what was written. */
function* checkSums(db: Database): Iterable<VerifyProblem> {
  for (const [table, columns] of SUMMED) {
    const rows = db.prepare(`SELECT ${columns}, sum FROM ${table}`).raw();
    for (const values of rows.iterate() as Iterable<(string | number | null)[]>) {
      const sum = values.pop();
      if (rowSum(...values) !== sum)
        yield { sessionId: null, problem: "corrupt", detail: { table, row: values.slice(0, 3) } };
    }
  }
}

const SUMMED = [
  ["events", "session, seq, id, at, channel, kind, body"],
  ["tombstones", "id, agent_type, native_id, at"],
  ["requests", ["session", ...LEDGER_COLUMNS].join(", ")],
  ["read_cursors", "session, source, byte_offset, file, memory"],
  ["log", "id, machine_id, changed"],
  ["removed_usage", "day, agent, model, purpose, folder, ledger"],
] as const;

/** By number, a chunk at a time: no statement stays open while another runs. */
function* allSessions(db: Database): Iterable<KeptRow> {
  const chunk = db.prepare<[number, number], KeptRow>(
    "SELECT * FROM sessions WHERE no > ? ORDER BY no LIMIT ?",
  );
  let after = 0;
  for (;;) {
    const rows = chunk.all(after, TURN);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.no;
  }
}

function checkSession(db: Database, usage: UsageTable, session: KeptRow): VerifyProblem[] {
  const found = (problem: VerifyProblem["problem"], detail: VerifyProblem["detail"]): VerifyProblem => ({
    sessionId: session.id,
    problem,
    detail,
  });
  try {
    const problems: VerifyProblem[] = [];
    const { row, gapAt } = replay(db, session);
    if (gapAt !== undefined) problems.push(found("seq_gap", { expected: gapAt }));
    const kept = JSON.parse(session.body) as SessionRow;
    if (!row || !isDeepStrictEqual(JSON.parse(JSON.stringify(row)), kept)) {
      problems.push(found("row_differs", differingFields(row, kept)));
    }
    const differing = differingColumns(session, kept);
    if (differing.length > 0) problems.push(found("index_differs", differing));
    const ledger = session.ledger === null ? EMPTY_LEDGER : (JSON.parse(session.ledger) as LedgerSum);
    if (!isDeepStrictEqual(usage.sumOf(session.no), ledger)) problems.push(found("usage_differs", null));
    return problems;
  } catch (error) {
    return [found("corrupt", error instanceof Error ? error.message : String(error))];
  }
}

function differingColumns(session: KeptRow, kept: SessionRow): string[] {
  const columns = Object.entries(columnsByName(kept)).filter(([, value]) => value !== undefined);
  const differing = columns.filter(([name, value]) => session[name] !== value).map(([name]) => name);
  const { version, file_version } = session;
  const isFilePlaceRight = kept.hasFile
    ? file_version !== null && file_version >= 0 && file_version <= version
    : file_version === null;
  return isFilePlaceRight ? differing : [...differing, "file_version"];
}

function replay(db: Database, session: KeptRow): { row: SessionRow | undefined; gapAt: number | undefined } {
  const events = db.prepare<[number], KeptEvent>(
    "SELECT seq, id, at, channel, body FROM events WHERE session = ? ORDER BY seq",
  );
  let row: SessionRow | undefined;
  let next = 1;
  let gapAt: number | undefined;
  for (const { seq, id, at, channel, body } of events.iterate(session.no)) {
    if (seq !== next) gapAt ??= next;
    next = seq + 1;
    const event = { sessionId: session.id, seq, id, at, channel: channel as Channel | null };
    row = apply(row, { ...event, body: JSON.parse(body) as EventBody });
  }
  if (next - 1 !== session.seq) gapAt ??= next;
  return { row, gapAt };
}

function differingFields(replayed: SessionRow | undefined, kept: SessionRow): string[] {
  const names = Object.keys({ ...replayed, ...kept }) as (keyof SessionRow)[];
  return names.filter((name) => !isDeepStrictEqual(replayed?.[name], kept[name]));
}

/** Rows of a session that is just being removed are no damage. */
function checkOrphans(db: Database): VerifyProblem[] {
  const orphans = db
    .prepare(
      `SELECT DISTINCT session FROM events WHERE session <> 0 AND kind <> 'deleted'
       AND session NOT IN (SELECT no FROM sessions) AND session NOT IN (SELECT session FROM removals)`,
    )
    .pluck()
    .all() as number[];
  return orphans.map((no) => ({ sessionId: null, problem: "orphan_events", detail: no }));
}
