import { isDeepStrictEqual } from "node:util";
import type { Database } from "better-sqlite3";
import { apply } from "../../../domain/session/apply.ts";
import type { EventBody } from "../../../domain/session/event.ts";
import type { Channel, SessionRow } from "../../../domain/session/session.ts";
import type { RedactedRows, RedactStoredOptions } from "../../maintenance.ts";
import type { Engine } from "../engine.ts";
import { inSteps } from "../in-steps.ts";
import { rowSum } from "../tables/row-sum.ts";
import { parseRow } from "../tables/session-table.ts";
import type { Transaction } from "../transaction.ts";
import { redactTables } from "./redact-tables.ts";

type Write = <T>(work: (tx: Transaction, engine: Engine) => T) => Promise<T>;

interface KeptEvent {
  readonly feed: number;
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  readonly channel: string | null;
  readonly kind: string;
  readonly body: string;
}

interface Changed {
  readonly event: KeptEvent;
  readonly body: EventBody;
}

/** One session afterwards: its row as the events make it that have no secret any more. */
interface Plan {
  readonly no: number;
  readonly row: SessionRow;
  readonly changed: readonly Changed[];
}

/** So many events are written in one transaction: others wait for no more than that. */
const CHUNK = 500;
const PAGE = 100;

/**
 * Takes secrets out of all that is stored. The row of a session is written with the first of its events: where this is
 * killed in between, events are left that show the next run what is still to be done.
 */
export async function redactStored(
  engine: Engine,
  write: Write,
  { redact, isDry, vacuum, progress }: RedactStoredOptions,
): Promise<RedactedRows> {
  const { db } = engine;
  const found = { sessions: 0, events: 0, rows: 0 };
  const { total } = db.prepare<[], { total: number }>("SELECT count(*) AS total FROM sessions").get() ?? {
    total: 0,
  };
  if (!isDry) db.pragma("secure_delete = ON");
  let done = 0;
  for (const id of sessionIds(db)) {
    const plan = await redactSession({ db, write, redact, isDry }, id);
    if (plan) found.sessions += 1;
    found.events += plan?.changed.length ?? 0;
    progress?.(++done, total);
  }
  found.rows = await redactTables(db, write, { redact, isDry });
  if (!isDry) await mergeIndex(db, write);
  const isVacuumed = !isDry && vacuum && writeAnew(db);
  if (!isDry) db.pragma("wal_checkpoint(TRUNCATE)");
  return { ...found, isVacuumed };
}

function* sessionIds(db: Database): Iterable<string> {
  const page = db.prepare<[number, number], { no: number; id: string }>(
    "SELECT no, id FROM sessions WHERE no > ? ORDER BY no LIMIT ?",
  );
  let after = 0;
  for (;;) {
    const rows = page.all(after, PAGE);
    for (const { id } of rows) yield id;
    const last = rows.at(-1);
    if (!last) return;
    after = last.no;
  }
}

interface Redacting {
  readonly db: Database;
  readonly write: Write;
  readonly redact: <T>(value: T) => T;
  readonly isDry: boolean;
}

/** Undefined where there was nothing to take out. A session that changed meanwhile is looked at again. */
async function redactSession(given: Redacting, id: string): Promise<Plan | undefined> {
  for (;;) {
    const plan = planOf(given, id);
    if (!plan || given.isDry) return plan;
    const rest = [...plan.changed];
    const isTaken = await given.write((tx, engine) => {
      tx.finish();
      if (engine.sessions.findRow(id)?.seq !== plan.row.seq) return false;
      engine.sessions.save(plan.no, plan.row, { before: undefined });
      engine.search.forget([-plan.no]);
      engine.search.learnSession(plan.no, plan.row, undefined);
      writeEvents(engine, plan.no, rest.splice(0, CHUNK));
      tx.forget([id]);
      return true;
    });
    if (!isTaken) continue;
    await inSteps(() =>
      given.write((_, engine) => {
        writeEvents(engine, plan.no, rest.splice(0, CHUNK));
        return rest.length > 0 ? "more" : "done";
      }),
    );
    return plan;
  }
}

function planOf({ db, redact }: Redacting, id: string): Plan | undefined {
  const kept = db
    .prepare<[string], { no: number; body: string }>("SELECT no, body FROM sessions WHERE id = ?")
    .get(id);
  if (!kept) return undefined;
  const events = db.prepare<[number], KeptEvent>(
    "SELECT feed, seq, id, at, channel, kind, body FROM events WHERE session = ? ORDER BY seq",
  );
  const changed: Changed[] = [];
  let row: SessionRow | undefined;
  for (const event of events.iterate(kept.no)) {
    const stored = JSON.parse(event.body) as EventBody;
    const body = redact(stored);
    if (body !== stored) changed.push({ event, body });
    const { seq, at } = event;
    row = apply(row, {
      id: event.id,
      at,
      seq,
      sessionId: id,
      channel: event.channel as Channel | null,
      body,
    });
  }
  const before = parseRow(id, kept.body);
  const isSame = row === undefined || isDeepStrictEqual(JSON.parse(JSON.stringify(row)), before);
  return row === undefined || (changed.length === 0 && isSame) ? undefined : { no: kept.no, row, changed };
}

function writeEvents({ db, search }: Engine, no: number, changed: readonly Changed[]): void {
  const update = db.prepare("UPDATE events SET body = ?, sum = ? WHERE feed = ?");
  for (const { event, body } of changed) {
    const { feed, seq, id, at, channel, kind } = event;
    const text = JSON.stringify(body);
    update.run(text, rowSum(no, seq, id, at, channel, kind, text), feed);
    if (body.kind !== "entry_added") continue;
    search.forget([feed]);
    search.learnEntry(feed, body.entry);
  }
}

/** False where somebody else uses the store just now. */
function writeAnew(db: Database): boolean {
  try {
    db.exec("VACUUM");
    return true;
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith("SQLITE_BUSY")) return false;
    throw error;
  }
}

/** The index keeps the words of what it forgot until its parts are merged. */
async function mergeIndex(db: Database, write: Write): Promise<void> {
  const merge = db.prepare("INSERT INTO search (search, rank) VALUES ('merge', ?)");
  let pages = -200;
  await inSteps(() =>
    write(() => {
      const before = db.prepare("SELECT total_changes()").pluck().get() as number;
      merge.run(pages);
      pages = 200;
      const merged = (db.prepare("SELECT total_changes()").pluck().get() as number) - before;
      return merged >= 2 ? "more" : "done";
    }),
  );
}
