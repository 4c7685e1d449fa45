import type { Database, Statement } from "better-sqlite3";
import type { Delegation } from "../store.ts";

type Numbered = Delegation & { readonly no: number };
type Kept = Omit<Numbered, "resume"> & { readonly resume: number };

const PAGE = 1000;

export class DelegationTable {
  readonly #insert: Statement<unknown[]>;
  readonly #page: Statement<[string, number, number], Kept>;

  constructor(db: Database) {
    this.#insert = db.prepare(
      "INSERT INTO delegations (at, agent_name, task_id, session_id, seq, resume, reason) VALUES (?, ?, ?, ?, ?, ?, ?)",
    );
    this.#page = db.prepare(
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
