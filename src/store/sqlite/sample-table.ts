import type { Database, Statement } from "better-sqlite3";
import type { Instant } from "../../domain/time.ts";
import type { Sample } from "../store.ts";

export class SampleTable {
  readonly #insert: Statement<[Instant, string, string]>;
  readonly #range: Statement<[string, Instant, Instant], { body: string }>;

  constructor(db: Database) {
    this.#insert = db.prepare(
      "INSERT OR REPLACE INTO samples (session, at, body) SELECT no, ?, ? FROM sessions WHERE id = ?",
    );
    this.#range = db.prepare(
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
