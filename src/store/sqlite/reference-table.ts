import type { Database, Statement } from "better-sqlite3";
import type { Referenced } from "../store.ts";

/** More candidates than this help nobody to choose. */
const MOST = 20;

/** Looks sessions up by what people call them. */
export class ReferenceTable {
  readonly #bySuffix: Statement<[string], Referenced>;
  readonly #byName: Statement<[string], Referenced>;
  readonly #newest: Statement<[], string>;

  constructor(db: Database) {
    const columns = "id, name, state, last_active_at AS lastActiveAt";
    this.#bySuffix = db.prepare(
      `SELECT ${columns} FROM sessions WHERE suffix = ? ORDER BY last_active_at DESC LIMIT ${MOST}`,
    );
    // Living ones first, so that a name they share with the dead is found among the first few.
    this.#byName = db.prepare(
      `SELECT ${columns} FROM sessions WHERE name = ? ORDER BY live DESC, last_active_at DESC LIMIT ${MOST}`,
    );
    this.#newest = db
      .prepare<[], string>("SELECT id FROM sessions ORDER BY created_at DESC, no DESC LIMIT 1")
      .pluck();
  }

  find({ suffix, name }: { suffix?: string; name?: string }): Referenced[] {
    if (suffix !== undefined) return this.#bySuffix.all(suffix);
    return name === undefined ? [] : this.#byName.all(name);
  }

  newest(): string | undefined {
    return this.#newest.get();
  }
}
