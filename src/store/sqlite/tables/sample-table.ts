import type { Database } from "better-sqlite3";
import type { Instant } from "../../../domain/time.ts";
import type { Sample } from "../../store.ts";
import { LazyStatement } from "./lazy-statement.ts";

export class SampleTable {
  readonly #insert: LazyStatement<[Instant, string, string]>;
  readonly #range: LazyStatement<[string, Instant, Instant], { body: string }>;

  constructor(db: Database) {
    this.#insert = new LazyStatement(
      db,
      "INSERT OR REPLACE INTO samples (session, at, body) SELECT no, ?, ? FROM sessions WHERE id = ?",
    );
    this.#range = new LazyStatement(
      db,
      `SELECT body FROM samples WHERE session = (SELECT no FROM sessions WHERE id = ?) AND at >= ? AND at < ? ORDER BY at`,
    );
  }

  add(sessionId: string, samples: readonly Sample[]): void {
    for (const sample of samples) this.#insert.run(sample.at, JSON.stringify(sample), sessionId);
  }

  range(sessionId: string, { since = "", until = "~" }: { since?: Instant; until?: Instant }): Sample[] {
    return this.#range.all(sessionId, since, until).map(({ body }) => JSON.parse(body) as Sample);
  }
}
