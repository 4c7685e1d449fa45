import type { Database, Statement } from "better-sqlite3";
import type { SessionRow } from "../../domain/session.ts";
import type { Instant } from "../../domain/time.ts";
import type { Store } from "../store.ts";
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
  readonly #find: Statement<
    [string],
    { no: number; seq: number; body: string; agent_type: string; native_id: string | null }
  >;
  readonly #entries: Statement<[number], { feed: number }>;
  readonly #deletes: readonly Statement<[number]>[];
  readonly #bury: Statement<[string, string, string | null, Instant]>;
  readonly #forget: Statement<[string]>;
  readonly #tell: Statement<[number, number, string, Instant, string]>;
  readonly #buriedId: Statement<[string]>;
  readonly #buriedNative: Statement<[string, string]>;

  constructor(db: Database) {
    this.#find = db.prepare("SELECT no, seq, body, agent_type, native_id FROM sessions WHERE id = ?");
    this.#entries = db.prepare("SELECT feed FROM events WHERE session = ? AND kind = 'entry_added'");
    this.#deletes = [
      "events WHERE session",
      "requests WHERE session",
      "samples WHERE session",
      "sessions WHERE no",
    ].map((what) => db.prepare(`DELETE FROM ${what} = ?`));
    this.#bury = db.prepare(
      "INSERT OR REPLACE INTO tombstones (id, agent_type, native_id, at) VALUES (?, ?, ?, ?)",
    );
    this.#forget = db.prepare("DELETE FROM tombstones WHERE id = ?");
    this.#tell = db.prepare(
      "INSERT INTO events (session, seq, id, at, kind, body) VALUES (?, ?, ?, ?, 'deleted', ?)",
    );
    this.#buriedId = db.prepare("SELECT 1 FROM tombstones WHERE id = ?");
    this.#buriedNative = db.prepare("SELECT 1 FROM tombstones WHERE native_id = ? AND agent_type = ?");
  }

  remove(
    id: string,
    { at, only }: RemoveOptions,
    keep: { readonly usage: UsageTable; readonly search: SearchIndex },
  ): boolean {
    const kept = this.#find.get(id);
    if (!kept) return false;
    const row = parseRow(id, kept.body);
    if (!only(row)) return false;
    keep.usage.keepTotals(kept.no, row);
    keep.search.forgetSession(
      kept.no,
      this.#entries.all(kept.no).map(({ feed }) => feed),
    );
    for (const statement of this.#deletes) statement.run(kept.no);
    this.#bury.run(id, kept.agent_type, kept.native_id, at);
    this.#tell.run(
      kept.no,
      kept.seq + 1,
      `deleted-${kept.no}`,
      at,
      JSON.stringify({ kind: "deleted", sessionId: id }),
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
