import type { Database } from "better-sqlite3";
import { LazyStatement } from "./lazy-statement.ts";

/** The record files that are out, and how far. */
export class FileTable {
  readonly #lagging: LazyStatement<[string, number, number], { readonly id: string }>;
  readonly #claim: LazyStatement<[number, string, number]>;

  constructor(db: Database) {
    this.#lagging = new LazyStatement(
      db,
      // Newest first, so that those whose folder is gone for good stand in nobody's way.
      `SELECT id FROM sessions WHERE file_version < version AND machine = ?
         AND (? OR NOT (live AND origin = 'started')) ORDER BY no DESC LIMIT ?`,
    );
    this.#claim = new LazyStatement(
      db,
      "UPDATE sessions SET file_version = ? WHERE id = ? AND file_version <= ?",
    );
  }

  lagging(machine: string, limit: number, withCarried: boolean): string[] {
    return this.#lagging.all(machine, Number(withCarried), limit).map(({ id }) => id);
  }

  /** Inside the writer's transaction: two processes never publish at once, so a file only goes forward. */
  publish(sessionId: string, version: number, publish: () => void): boolean {
    if (this.#claim.run(version, sessionId, version).changes === 0) return false;
    publish();
    return true;
  }
}
