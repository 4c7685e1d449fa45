import type { Database } from "better-sqlite3";
import { CommitQueue } from "./commit-queue.ts";
import { type ConnectionOptions, connect } from "./connection.ts";
import { DelegationTable } from "./delegation-table.ts";
import { EventTable } from "./event-table.ts";
import { isConnectionLost, translate } from "./failure.ts";
import { FileTable } from "./file-table.ts";
import { SessionList } from "./list.ts";
import { ReferenceTable } from "./reference-table.ts";
import { Removal } from "./removal.ts";
import { SampleTable } from "./sample-table.ts";
import { SearchIndex } from "./search-index.ts";
import { SessionTable } from "./session-table.ts";
import { type Tables, Transaction } from "./transaction.ts";
import { UsageTable } from "./usage-table.ts";

export interface EngineOptions extends ConnectionOptions {
  readonly redact: <T>(value: T) => T;
  readonly committed: () => void;
  /** Turns a failure of the engine into ours, and may give up the connection. */
  readonly failed: (error: unknown) => Error;
}

/**
 * A connection with everything that is prepared on it, each part when it is first used; replaced as a whole when the
 * connection is lost.
 */
export class Engine implements Tables {
  readonly db: Database;
  readonly queue: CommitQueue<Transaction>;
  readonly redact: <T>(value: T) => T;
  readonly #parts = new Map<unknown, unknown>();

  constructor(options: EngineOptions) {
    this.db = connect(options);
    this.redact = options.redact;
    try {
      this.queue = new CommitQueue({
        db: this.db,
        begin: () => new Transaction(this),
        committed: options.committed,
        failed: options.failed,
        isLost: isConnectionLost,
      });
    } catch (error) {
      this.db.close();
      throw translate(error, options.path);
    }
  }

  get sessions(): SessionTable {
    return this.#part(SessionTable);
  }
  get events(): EventTable {
    return this.#part(EventTable);
  }
  get usage(): UsageTable {
    return this.#part(UsageTable);
  }
  get search(): SearchIndex {
    return this.#part(SearchIndex);
  }
  get list(): SessionList {
    return this.#part(SessionList);
  }
  get references(): ReferenceTable {
    return this.#part(ReferenceTable);
  }
  get samples(): SampleTable {
    return this.#part(SampleTable);
  }
  get delegations(): DelegationTable {
    return this.#part(DelegationTable);
  }
  get files(): FileTable {
    return this.#part(FileTable);
  }
  get removal(): Removal {
    return this.#part(Removal);
  }

  forgetTombstone(sessionId: string): void {
    this.removal.forgetTombstone(sessionId);
  }

  #part<T>(Part: new (db: Database) => T): T {
    const made = this.#parts.get(Part) as T | undefined;
    if (made !== undefined) return made;
    const part = new Part(this.db);
    this.#parts.set(Part, part);
    return part;
  }
}
