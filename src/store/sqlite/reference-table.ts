import type { Database } from "better-sqlite3";
import type { Referenced } from "../store.ts";
import { LazyStatement } from "./lazy-statement.ts";

/** More candidates than this help nobody to choose. */
const MOST = 20;

/** Looks sessions up by what people call them. */
export class ReferenceTable {
  readonly #bySuffix: LazyStatement<[string], Referenced>;
  readonly #byName: LazyStatement<[string], Referenced>;
  readonly #newest: LazyStatement<[], { readonly id: string }>;

  constructor(db: Database) {
    const columns = "id, name, state, last_active_at AS lastActiveAt";
    this.#bySuffix = new LazyStatement(
      db,
      `SELECT ${columns} FROM sessions WHERE suffix = ? ORDER BY last_active_at DESC LIMIT ${MOST}`,
    );
    // Living ones first, so that a name they share with the dead is found among the first few.
    this.#byName = new LazyStatement(
      db,
      `SELECT ${columns} FROM sessions WHERE name = ? ORDER BY live DESC, last_active_at DESC LIMIT ${MOST}`,
    );
    this.#newest = new LazyStatement(db, "SELECT id FROM sessions ORDER BY created_at DESC, no DESC LIMIT 1");
  }

  find({ suffix, name }: { suffix?: string; name?: string }): Referenced[] {
    if (suffix !== undefined) return this.#bySuffix.all(suffix);
    return name === undefined ? [] : this.#byName.all(name);
  }

  newest(): string | undefined {
    return this.#newest.get()?.id;
  }
}
