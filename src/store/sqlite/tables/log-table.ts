import type { Database } from "better-sqlite3";
import { randomBytes } from "../../../machine/random.ts";
import type { ChangedRequest, ChangedSession, Log } from "../../log.ts";
import { LazyStatement } from "./lazy-statement.ts";
import { NEXT_CHANGE } from "./next-change.ts";
import { rowSum } from "./row-sum.ts";
import { KEPT_COLUMNS, type KeptSession, readOrNote } from "./session-table.ts";
import { type KeptRequest, REQUEST_COLUMNS, toRequest } from "./usage-table.ts";

interface KeptLog {
  readonly id: string;
  readonly machine_id: string | null;
  /** No number up to it is given again: rows that had them may be gone. */
  readonly changed: number;
}

type Changed<T> = T & { readonly changed: number };

/** The identity of the log, and what was written after a number. */
export class LogTable {
  readonly #find: LazyStatement<[], KeptLog>;
  readonly #replace: LazyStatement<[string, string | null, number, number]>;
  readonly #changed: LazyStatement<[], { readonly changed: number }>;
  readonly #sessions: LazyStatement<[number, number], Changed<KeptSession>>;
  readonly #requests: LazyStatement<[number, number], Changed<KeptRequest> & { readonly id: string }>;

  constructor(db: Database) {
    this.#find = new LazyStatement(db, "SELECT id, machine_id, changed FROM log WHERE one = 1");
    this.#replace = new LazyStatement(
      db,
      "INSERT OR REPLACE INTO log (one, id, machine_id, changed, sum) VALUES (1, ?, ?, ?, ?)",
    );
    this.#changed = new LazyStatement(db, `SELECT ${NEXT_CHANGE} - 1 AS changed`);
    this.#sessions = new LazyStatement(
      db,
      `SELECT s.changed, ${KEPT_COLUMNS} FROM sessions s WHERE s.changed > ? ORDER BY s.changed LIMIT ?`,
    );
    this.#requests = new LazyStatement(
      db,
      `SELECT r.changed, s.id, ${REQUEST_COLUMNS} FROM requests r JOIN sessions s ON s.no = r.session
       WHERE r.changed > ? ORDER BY r.changed LIMIT ?`,
    );
  }

  /** Undefined until it was made. */
  find(): Log | undefined {
    const kept = this.#find.get();
    return kept && { logId: kept.id, machineId: kept.machine_id, changed: this.lastChange() };
  }

  /** Makes the log where there is none. For a transaction, like all that writes. */
  make(): Log {
    return this.find() ?? this.#write({ id: newId(), machine_id: null, changed: 0 });
  }

  claim(machineId: string): Log {
    const log = this.make();
    if (log.machineId === machineId) return log;
    const id = log.machineId === null ? log.logId : newId();
    return this.#write({ id, machine_id: machineId, changed: log.changed });
  }

  /** Before rows are taken out: the numbers they have are not given again. */
  keepCount(): void {
    const { logId, machineId, changed } = this.make();
    this.#write({ id: logId, machine_id: machineId, changed });
  }

  /** Begins another log, whose numbers go on behind those of the one before. */
  renew(changed: number): void {
    this.#write({ id: newId(), machine_id: this.make().machineId, changed });
  }

  changedSessions(after: number, limit: number): ChangedSession[] {
    return this.#sessions.all(after, limit).map(({ changed, ...kept }) => ({
      changed,
      sessionId: kept.id,
      stored: readOrNote(kept, []) ?? null,
    }));
  }

  changedRequests(after: number, limit: number): ChangedRequest[] {
    return this.#requests.all(after, limit).map(({ changed, id, ...kept }) => ({
      changed,
      sessionId: id,
      request: toRequest(kept),
    }));
  }

  #write(log: KeptLog): Log {
    const { id, machine_id, changed } = log;
    this.#replace.run(id, machine_id, changed, rowSum(id, machine_id, changed));
    return { logId: id, machineId: machine_id, changed: this.lastChange() };
  }

  /** The number of the last write. */
  lastChange(): number {
    return this.#changed.get()?.changed ?? 0;
  }
}

function newId(): string {
  return randomBytes(16).toString("hex");
}
