import { join } from "node:path";
import Database from "better-sqlite3";

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
  "native_id",
  "machine",
  "origin",
  "last_active_at",
  "changed",
] as const;

interface RawRow extends Record<string, unknown> {
  no: number;
  seq: number;
  body: Record<string, unknown>;
}

/** The baseline: better-sqlite3 by hand on a database that the library made, with all it knows held in memory. */
export class Raw implements Disposable {
  readonly #db: Database.Database;
  readonly #update: Database.Statement<unknown[]>;
  readonly #insert: Database.Statement<unknown[]>;
  readonly #get: Database.Statement<[string]>;
  readonly #rows = new Map<string, RawRow>();
  readonly #appendAll: (ids: readonly string[], metadata: readonly object[]) => void;
  #events = 0;
  /** Beyond what the library wrote. */
  #changed = 1_000_000;

  constructor(home: string) {
    this.#db = new Database(join(home, "rollcall.db"));
    this.#db.pragma("journal_mode = WAL");
    this.#db.pragma("synchronous = FULL");
    this.#update = this.#db.prepare(
      `UPDATE sessions SET ${COLUMNS.map((name) => `${name} = ?`).join(", ")} WHERE no = ?`,
    );
    this.#insert = this.#db.prepare(
      "INSERT INTO events (session, seq, id, at, channel, kind, body, sum) VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
    );
    this.#get = this.#db.prepare("SELECT * FROM sessions WHERE id = ?");
    this.#appendAll = this.#db.transaction((ids: readonly string[], metadata: readonly object[]) => {
      for (const [index, id] of ids.entries()) this.#appendOne(id, metadata[index] ?? {});
    }).immediate;
  }

  /** One event for each id, in one durable transaction. */
  append(ids: readonly string[], metadata: readonly object[]): void {
    this.#appendAll(ids, metadata);
  }

  get(id: string): unknown {
    return this.#get.get(id);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #appendOne(id: string, metadata: object): void {
    const row = this.#row(id);
    const at = new Date().toISOString();
    row.seq++;
    row.last_active_at = at;
    row.changed = ++this.#changed;
    row.body = { ...row.body, seq: row.seq, lastActiveAt: at, metadata };
    const values = COLUMNS.map((name) => (name === "body" ? JSON.stringify(row.body) : row[name]));
    this.#update.run(...values, row.no);
    const event = { kind: "updated", metadata };
    const eventId = `raw-${String(++this.#events).padStart(9, "0")}`;
    this.#insert.run(row.no, row.seq, eventId, at, "api", event.kind, JSON.stringify(event));
  }

  #row(id: string): RawRow {
    let row = this.#rows.get(id);
    if (!row) {
      const kept = this.#get.get(id) as Record<string, unknown> & { no: number; seq: number; body: string };
      row = { ...kept, body: JSON.parse(kept.body) as Record<string, unknown> };
      this.#rows.set(id, row);
    }
    return row;
  }
}
