import type { Database } from "better-sqlite3";
import type { SessionRow } from "../../domain/session/session.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store } from "../store.ts";
import type { BudgetTable } from "./budgets/budget-table.ts";
import { LazyStatement } from "./tables/lazy-statement.ts";
import type { LogTable } from "./tables/log-table.ts";
import { rowSum } from "./tables/row-sum.ts";
import type { SearchIndex } from "./tables/search-index.ts";
import { parseRow } from "./tables/session-table.ts";
import type { UsageTotals } from "./tables/usage-totals.ts";

type TombstoneKey = Parameters<Store["isTombstone"]>[0];
type Leaves = Parameters<Store["remove"]>[3];

interface Keep {
  readonly log: LogTable;
  readonly totals: UsageTotals;
  readonly budgets: BudgetTable;
  readonly search: SearchIndex;
}

interface KeptSession {
  readonly no: number;
  readonly seq: number;
  readonly body: string;
  readonly agent_type: string;
  readonly native_id: string | null;
  readonly parent_id: string | null;
  readonly ledger: string | null;
  readonly removed_ledger: string | null;
}

interface Chosen {
  readonly kept: KeptSession;
  readonly row: SessionRow;
}

type Tombstone = [id: string, agentType: string, nativeId: string | null, name: string | null, at: Instant];

interface RemoveOptions {
  readonly at: Instant;
  readonly only?: ((row: SessionRow) => boolean) | undefined;
  readonly leaves?: Leaves | undefined;
}

/**
 * So many events are taken out in one transaction: others wait for no more than that. A session with more of them is
 * gone at once, and what is left of it in a few steps.
 */
const CHUNK = 5000;

/** Takes sessions out of every table and leaves what has to stay: totals, a tombstone, and word to the feed. */
export class Removal {
  readonly #find: LazyStatement<[string], KeptSession>;
  readonly #events: LazyStatement<[number, number], { seq: number; feed: number; kind: string }>;
  readonly #deletes: readonly LazyStatement<[number]>[];
  readonly #deleteEvents: LazyStatement<[number, number]>;
  readonly #deleteSamples: LazyStatement<[number, number]>;
  readonly #note: LazyStatement<[number]>;
  readonly #noted: LazyStatement<[], { session: number }>;
  readonly #done: LazyStatement<[number]>;
  readonly #bury: LazyStatement<[...Tombstone, number]>;
  readonly #above: LazyStatement<[string, string], { name: string | null; parent_id: string | null }>;
  readonly #forget: LazyStatement<[string]>;
  readonly #tell: LazyStatement<[number, number, string, Instant, string, number]>;
  readonly #buriedId: LazyStatement<[string]>;
  readonly #buriedNative: LazyStatement<[string, string]>;

  constructor(db: Database) {
    this.#find = new LazyStatement(
      db,
      "SELECT no, seq, body, agent_type, native_id, parent_id, ledger, removed_ledger FROM sessions WHERE id = ?",
    );
    this.#events = new LazyStatement(
      db,
      "SELECT seq, feed, kind FROM events WHERE session = ? AND kind <> 'deleted' ORDER BY seq LIMIT ?",
    );
    this.#deletes = [
      "requests WHERE session",
      "read_cursors WHERE session",
      "unknown_records WHERE session",
      "sample_sums WHERE session",
      "waits WHERE session",
      "tool_uses WHERE session",
      "sessions WHERE no",
    ].map((what) => new LazyStatement(db, `DELETE FROM ${what} = ?`));
    this.#deleteEvents = new LazyStatement(
      db,
      "DELETE FROM events WHERE session = ? AND seq <= ? AND kind <> 'deleted'",
    );
    this.#deleteSamples = new LazyStatement(
      db,
      "DELETE FROM samples WHERE (session, at) IN (SELECT session, at FROM samples WHERE session = ? LIMIT ?)",
    );
    this.#note = new LazyStatement(db, "INSERT OR IGNORE INTO removals (session) VALUES (?)");
    this.#noted = new LazyStatement(
      db,
      "SELECT session FROM removals WHERE session > 0 ORDER BY session LIMIT 1",
    );
    this.#done = new LazyStatement(db, "DELETE FROM removals WHERE session = ?");
    this.#bury = new LazyStatement(
      db,
      "INSERT OR REPLACE INTO tombstones (id, agent_type, native_id, name, at, sum) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#above = new LazyStatement(
      db,
      `SELECT name, parent_id FROM sessions WHERE id = ? UNION ALL
       SELECT name, NULL FROM tombstones WHERE id = ?`,
    );
    this.#forget = new LazyStatement(db, "DELETE FROM tombstones WHERE id = ?");
    this.#tell = new LazyStatement(
      db,
      "INSERT INTO events (session, seq, id, at, kind, body, sum) VALUES (?, ?, ?, ?, 'deleted', ?, ?)",
    );
    this.#buriedId = new LazyStatement(db, "SELECT 1 FROM tombstones WHERE id = ?");
    this.#buriedNative = new LazyStatement(
      db,
      "SELECT 1 FROM tombstones WHERE native_id = ? AND agent_type = ?",
    );
  }

  remove(ids: readonly string[], options: RemoveOptions, keep: Keep): string[] {
    let room = CHUNK;
    let isCountKept = false;
    return ids.filter((id) => {
      const chosen = this.#choose(id, options.only);
      if (!chosen) return false;
      if (!isCountKept) keep.log.keepCount();
      isCountKept = true;
      room -= this.#removeOne(chosen, options, keep, room);
      return true;
    });
  }

  /** Takes out some more of what was removed. */
  clearSome({ search }: Pick<Keep, "search">): "more" | "done" {
    const noted = this.#noted.get();
    if (!noted) return "done";
    if (!this.#clear(noted.session, search, CHUNK).isLeft) this.#done.run(noted.session);
    return "more";
  }

  hasLeft(): boolean {
    return this.#noted.get() !== undefined;
  }

  #choose(id: string, only: RemoveOptions["only"] = () => true): Chosen | undefined {
    const kept = this.#find.get(id);
    const row = kept && readOrUndefined(id, kept.body);
    return row && only(row) ? { kept, row } : undefined;
  }

  /** How many events were taken out with it. */
  #removeOne({ kept, row }: Chosen, { at, leaves }: RemoveOptions, keep: Keep, room: number): number {
    const { id } = row;
    const name = this.#countedName(row);
    const leavesNothing = leaves === "nothing";
    if (!leavesNothing) {
      keep.totals.keep(kept.no, row, name);
      keep.budgets.keepRemoved(kept);
    }
    keep.search.forget([-kept.no]);
    for (const statement of this.#deletes) statement.run(kept.no);
    // Before its events go: the newest number of the feed must not be given again.
    this.#tellOf(id, kept, at);
    const { taken, isLeft } = this.#clear(kept.no, keep.search, room);
    if (isLeft) this.#note.run(kept.no);
    const tombstone: Tombstone = [id, kept.agent_type, kept.native_id, name, at];
    if (!leavesNothing) this.#bury.run(...tombstone, rowSum(...tombstone));
    return taken;
  }

  /** Its own, else that of the nearest session above it that has one. */
  #countedName(row: SessionRow): string | null {
    const passed = new Set<string>();
    let { name, parentId } = row;
    while (name === null && parentId !== null && !passed.has(parentId)) {
      passed.add(parentId);
      const above = this.#above.get(parentId, parentId);
      name = above?.name ?? null;
      parentId = above?.parent_id ?? null;
    }
    return name;
  }

  #tellOf(id: string, { no, seq }: KeptSession, at: Instant): void {
    const eventId = `deleted-${no}`;
    const body = JSON.stringify({ kind: "deleted", sessionId: id });
    const sum = rowSum(no, seq + 1, eventId, at, null, "deleted", body);
    this.#tell.run(no, seq + 1, eventId, at, body, sum);
  }

  #clear(
    no: number,
    search: SearchIndex,
    most: number,
  ): { readonly taken: number; readonly isLeft: boolean } {
    const events = this.#events.all(no, most + 1);
    const taken = events.slice(0, most);
    search.forget(taken.filter(({ kind }) => kind === "entry_added").map(({ feed }) => feed));
    const last = taken.at(-1);
    if (last) this.#deleteEvents.run(no, last.seq);
    const samples = this.#deleteSamples.run(no, CHUNK).changes;
    return { taken: taken.length, isLeft: events.length > most || samples === CHUNK };
  }

  forgetTombstone(id: string): void {
    this.#forget.run(id);
  }

  isTombstone(key: TombstoneKey): boolean {
    const found =
      "sessionId" in key
        ? this.#buriedId.get(key.sessionId)
        : this.#buriedNative.get(key.nativeId, key.agentType);
    return found !== undefined;
  }
}

/** A refusal in the middle of many removals would come too late for those before it. */
function readOrUndefined(id: string, body: string): SessionRow | undefined {
  try {
    return parseRow(id, body);
  } catch {
    return undefined;
  }
}
