import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { apply } from "../../domain/session/apply.ts";
import type { EventBody } from "../../domain/session/event.ts";
import type { Channel, SessionRow } from "../../domain/session/session.ts";
import { toolUseOf } from "../../domain/tally/tool-use.ts";
import { closedWait } from "../../domain/tally/wait.ts";
import { EMPTY_LEDGER, type LedgerSum } from "../../domain/usage.ts";
import type { VerifyProblem, VerifyReport } from "../maintenance.ts";
import { connectReadOnly } from "./connection.ts";
import { countAll } from "./count-all.ts";
import { translate } from "./failure.ts";
import { MIGRATIONS, migrate, versionOf } from "./migrate.ts";
import { nativeBinding } from "./native-binding.ts";
import { rowSum } from "./tables/row-sum.ts";
import { columnsByName } from "./tables/session-table.ts";
import { ToolUses } from "./tables/tally-table.ts";
import { LEDGER_COLUMNS, UsageTable } from "./tables/usage-table.ts";
import { REMOVED_USAGE_COLUMNS } from "./tables/usage-totals.ts";

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
  ["tombstones", "id, agent_type, native_id, name, at"],
  ["requests", ["session", ...LEDGER_COLUMNS].join(", ")],
  ["read_cursors", "session, source, byte_offset, file, memory"],
  ["unknown_records", "session, key, type, text, whole"],
  ["log", "id, machine_id, changed"],
  ["removed_usage", REMOVED_USAGE_COLUMNS],
] as const;

/** Reads by number, a chunk at a time: no statement stays open while another runs. */
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
    const { row, gapAt, tally } = replay(db, session);
    if (gapAt !== undefined) problems.push(found("seq_gap", { expected: gapAt }));
    const kept = JSON.parse(session.body) as SessionRow;
    if (!row || !isDeepStrictEqual(JSON.parse(JSON.stringify(row)), kept)) {
      problems.push(found("row_differs", differingFields(row, kept)));
    }
    const differing = [...differingColumns(session, kept), ...differingTallies(db, session.no, tally)];
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

/** Tables beside the row whose counts are not those of the events. */
function differingTallies(db: Database, no: number, { waits, uses }: Replayed["tally"]): string[] {
  const kept = (sql: string) => db.prepare<[number]>(sql).raw().all(no);
  const byName = (rows: readonly (readonly [string, ...unknown[]])[]) =>
    rows.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const isSame = (sql: string, rows: readonly (readonly [string, ...unknown[]])[]) =>
    isDeepStrictEqual(kept(sql), byName(rows));
  const tools = [...uses.values()].map(({ tool, calls, failures }) => [tool, calls, failures] as const);
  return [
    ...(isSame("SELECT since, ms FROM waits WHERE session = ? ORDER BY since", [...waits]) ? [] : ["waits"]),
    ...(isSame("SELECT tool, calls, failures FROM tool_uses WHERE session = ? ORDER BY tool", tools)
      ? []
      : ["tool_uses"]),
  ];
}

interface Replayed {
  readonly row: SessionRow | undefined;
  readonly gapAt: number | undefined;
  readonly tally: { readonly waits: ReadonlyMap<string, number>; readonly uses: ToolUses };
}

function replay(db: Database, session: KeptRow): Replayed {
  const events = db.prepare<[number], KeptEvent>(
    "SELECT seq, id, at, channel, body FROM events WHERE session = ? ORDER BY seq",
  );
  const tally = { waits: new Map<string, number>(), uses: new ToolUses() };
  let row: SessionRow | undefined;
  let next = 1;
  let gapAt: number | undefined;
  for (const { seq, id, at, channel, body } of events.iterate(session.no)) {
    if (seq !== next) gapAt ??= next;
    next = seq + 1;
    const event = { sessionId: session.id, seq, id, at, channel: channel as Channel | null };
    const parsed = JSON.parse(body) as EventBody;
    const before = row;
    row = apply(row, { ...event, body: parsed });
    const wait = before && row && closedWait(before, row, at);
    if (wait && wait.ms > 0) tally.waits.set(wait.since, (tally.waits.get(wait.since) ?? 0) + wait.ms);
    const use = toolUseOf(parsed);
    if (use) tally.uses.add(use);
  }
  if (next - 1 !== session.seq) gapAt ??= next;
  return { row, gapAt, tally };
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
