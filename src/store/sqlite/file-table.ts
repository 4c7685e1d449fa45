import type { Database, Statement } from "better-sqlite3";

/** Which record files are out, and how far. */
export class FileTable {
  readonly #lagging: Statement<[string, number], string>;
  readonly #claim: Statement<[number, string, number]>;

  constructor(db: Database) {
    this.#lagging = db
      .prepare<[string, number], string>(
        "SELECT id FROM sessions WHERE file_seq < seq AND machine = ? LIMIT ?",
      )
      .pluck();
    this.#claim = db.prepare("UPDATE sessions SET file_seq = ? WHERE id = ? AND file_seq <= ?");
  }

  lagging(machine: string, limit: number): string[] {
    return this.#lagging.all(machine, limit);
  }

  /** Inside the writer's transaction: two processes never publish at once, so a file only goes forward. */
  publish(sessionId: string, seq: number, publish: () => void): boolean {
    if (this.#claim.run(seq, sessionId, seq).changes === 0) return false;
    publish();
    return true;
  }
}
