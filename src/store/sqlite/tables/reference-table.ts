import type { Database } from "better-sqlite3";
import type { Referenced } from "../../store.ts";
import { LazyStatement } from "./lazy-statement.ts";

/** More candidates than this help nobody to choose. */
const MOST = 20;

/** Looks sessions up by what people call them. */
export class ReferenceTable {
  readonly #bySuffix: LazyStatement<[string], Referenced>;
  readonly #byName: LazyStatement<[string], Referenced>;
  readonly #carriedLive: LazyStatement<[string, string | null], { readonly id: string }>;
  readonly #anyCarriedLive: LazyStatement<[string], { readonly id: string }>;
  readonly #newest: LazyStatement<[], { readonly id: string }>;

  constructor(db: Database) {
    const columns = "id, name, state, origin";
    const newest = "created_at DESC, no DESC";
    this.#bySuffix = new LazyStatement(
      db,
      `SELECT ${columns} FROM sessions WHERE suffix = ? ORDER BY ${newest} LIMIT ${MOST}`,
    );
    this.#byName = new LazyStatement(
      db,
      `SELECT ${columns} FROM sessions WHERE name = ?
       ORDER BY live = 1 AND origin = 'started' DESC, ${newest} LIMIT ${MOST}`,
    );
    this.#carriedLive = new LazyStatement(
      db,
      `SELECT id FROM sessions WHERE live = 1 AND origin = 'started' AND name = ? AND machine IS ?`,
    );
    // Named, for the planner would rather walk through every live record.
    this.#anyCarriedLive = new LazyStatement(
      db,
      `SELECT id FROM sessions INDEXED BY carried_live_sessions
       WHERE live = 1 AND origin = 'started' AND machine = ? LIMIT 1`,
    );
    this.#newest = new LazyStatement(db, `SELECT id FROM sessions ORDER BY ${newest} LIMIT 1`);
  }

  find({ suffix, name }: { suffix?: string; name?: string }): Referenced[] {
    if (suffix !== undefined) return this.#bySuffix.all(suffix);
    return name === undefined ? [] : this.#byName.all(name);
  }

  /** The live sessions that Rollcall carries under this name. */
  carriedLive(name: string, machine: string | null): string[] {
    return this.#carriedLive.all(name, machine).map(({ id }) => id);
  }

  hasCarriedLive(machine: string): boolean {
    return this.#anyCarriedLive.get(machine) !== undefined;
  }

  newest(): string | undefined {
    return this.#newest.get()?.id;
  }
}
