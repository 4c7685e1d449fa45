import type { Database } from "better-sqlite3";
import type { SessionRow } from "../../domain/session.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store } from "../store.ts";
import { LazyStatement } from "./lazy-statement.ts";
import { rowSum } from "./row-sum.ts";
import type { SearchIndex } from "./search-index.ts";
import { parseRow } from "./session-table.ts";
import type { UsageTable } from "./usage-table.ts";

type TombstoneKey = Parameters<Store["isTombstone"]>[0];

interface RemoveOptions {
  readonly at: Instant;
  readonly only: (row: SessionRow) => boolean;
}

/** Takes sessions out of every table and leaves what has to stay: totals, a tombstone, and word to the feed. */
export class Removal {
  readonly #find: LazyStatement<
    [string],
    { no: number; seq: number; body: string; agent_type: string; native_id: string | null }
  >;
  readonly #entries: LazyStatement<[number], { feed: number }>;
  readonly #deletes: readonly LazyStatement<[number]>[];
  readonly #bury: LazyStatement<[string, string, string | null, Instant, number]>;
  readonly #forget: LazyStatement<[string]>;
  readonly #tell: LazyStatement<[number, number, string, Instant, string, number]>;
  readonly #buriedId: LazyStatement<[string]>;
  readonly #buriedNative: LazyStatement<[string, string]>;

  constructor(db: Database) {
    this.#find = new LazyStatement(
      db,
      "SELECT no, seq, body, agent_type, native_id FROM sessions WHERE id = ?",
    );
    this.#entries = new LazyStatement(
      db,
      "SELECT feed FROM events WHERE session = ? AND kind = 'entry_added'",
    );
    this.#deletes = [
      "events WHERE session",
      "requests WHERE session",
      "samples WHERE session",
      "sessions WHERE no",
    ].map((what) => new LazyStatement(db, `DELETE FROM ${what} = ?`));
    this.#bury = new LazyStatement(
      db,
      "INSERT OR REPLACE INTO tombstones (id, agent_type, native_id, at, sum) VALUES (?, ?, ?, ?, ?)",
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

  remove(
    id: string,
    { at, only }: RemoveOptions,
    keep: { readonly usage: UsageTable; readonly search: SearchIndex },
  ): boolean {
    const kept = this.#find.get(id);
    if (!kept) return false;
    const row = readOrUndefined(id, kept.body);
    if (!row || !only(row)) return false;
    keep.usage.keepTotals(kept.no, row);
    keep.search.forgetSession(
      kept.no,
      this.#entries.all(kept.no).map(({ feed }) => feed),
    );
    for (const statement of this.#deletes) statement.run(kept.no);
    this.#bury.run(id, kept.agent_type, kept.native_id, at, rowSum(id, kept.agent_type, kept.native_id, at));
    const eventId = `deleted-${kept.no}`;
    const body = JSON.stringify({ kind: "deleted", sessionId: id });
    this.#tell.run(
      kept.no,
      kept.seq + 1,
      eventId,
      at,
      body,
      rowSum(kept.no, kept.seq + 1, eventId, at, null, "deleted", body),
    );
    return true;
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
