import type { Database } from "better-sqlite3";
import type { Delegation } from "../store.ts";
import { LazyStatement } from "./lazy-statement.ts";

type Numbered = Delegation & { readonly no: number };
type Kept = Omit<Numbered, "resume"> & { readonly resume: number };

const PAGE = 1000;

export class DelegationTable {
  readonly #insert: LazyStatement<unknown[]>;
  readonly #page: LazyStatement<[string, number, number], Kept>;

  constructor(db: Database) {
    this.#insert = new LazyStatement(
      db,
      "INSERT INTO delegations (at, agent_name, task_id, session_id, seq, resume, reason) VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
    this.#page = new LazyStatement(
      db,
      `SELECT no, at, agent_name AS agentName, task_id AS taskId, session_id AS sessionId, seq, resume, reason
       FROM delegations WHERE at >= ? AND no > ? ORDER BY no LIMIT ?`,
    );
  }

  add({ at, agentName, taskId, sessionId, seq, resume, reason }: Delegation): void {
    this.#insert.run(at, agentName, taskId, sessionId, seq, resume ? 1 : 0, reason);
  }

  page(since: string, after: number): Numbered[] {
    return this.#page.all(since, after, PAGE).map((kept) => ({ ...kept, resume: kept.resume === 1 }));
  }
}
