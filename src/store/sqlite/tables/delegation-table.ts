import type { Database } from "better-sqlite3";
import type { Delegation } from "../../store.ts";
import { LazyStatement } from "./lazy-statement.ts";

type Numbered = Delegation & { readonly no: number };
type Kept = Omit<Numbered, "resume"> & { readonly resume: number };

const PAGE = 1000;

export class DelegationTable {
  readonly #insert: LazyStatement<unknown[]>;
  readonly #page: LazyStatement<[string, number, number], Kept>;
  readonly #latest: LazyStatement<[string], Kept>;

  constructor(db: Database) {
    this.#insert = new LazyStatement(
      db,
      "INSERT INTO delegations (at, agent_name, task_id, session_id, seq, resume, reason) VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
    const columns =
      "no, at, agent_name AS agentName, task_id AS taskId, session_id AS sessionId, seq, resume, reason";
    this.#page = new LazyStatement(
      db,
      `SELECT ${columns} FROM delegations WHERE at >= ? AND no > ? ORDER BY no LIMIT ?`,
    );
    this.#latest = new LazyStatement(
      db,
      `SELECT ${columns} FROM delegations WHERE task_id = ? ORDER BY no DESC LIMIT 1`,
    );
  }

  add({ at, agentName, taskId, sessionId, seq, resume, reason }: Delegation): void {
    this.#insert.run(at, agentName, taskId, sessionId, seq, resume ? 1 : 0, reason);
  }

  page(since: string, after: number): Numbered[] {
    return this.#page.all(since, after, PAGE).map(toDelegation);
  }

  latestOf(taskId: string): Delegation | undefined {
    const kept = this.#latest.get(taskId);
    if (!kept) return undefined;
    const { no: _, ...delegation } = toDelegation(kept);
    return delegation;
  }
}

function toDelegation(kept: Kept): Numbered {
  return { ...kept, resume: kept.resume === 1 };
}

/** All of them, a page at a time. */
export async function* eachDelegation(
  page: (after: number) => readonly (Delegation & { readonly no: number })[],
): AsyncIterable<Delegation> {
  for (let after = 0, found = page(after); found.length > 0; found = page(after))
    for (const { no, ...delegation } of found) {
      after = no;
      yield delegation;
    }
}
