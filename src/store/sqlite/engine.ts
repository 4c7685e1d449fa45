import type { Database } from "better-sqlite3";
import { BudgetTable } from "./budgets/budget-table.ts";
import { CommitQueue } from "./commit-queue.ts";
import { type ConnectionOptions, connect } from "./connection.ts";
import { isConnectionLost, translate } from "./failure.ts";
import { SessionList } from "./list.ts";
import { Removal } from "./removal.ts";
import { CursorTable } from "./tables/cursor-table.ts";
import { DelegationTable } from "./tables/delegation-table.ts";
import { EventTable } from "./tables/event-table.ts";
import { FeedTable } from "./tables/feed-table.ts";
import { FileTable } from "./tables/file-table.ts";
import { LogTable } from "./tables/log-table.ts";
import { ObservationTable } from "./tables/observation-table.ts";
import { ReferenceTable } from "./tables/reference-table.ts";
import { SampleTable } from "./tables/sample-table.ts";
import { SearchIndex } from "./tables/search-index.ts";
import { SessionTable } from "./tables/session-table.ts";
import { TallyTable } from "./tables/tally-table.ts";
import { UnknownTable } from "./tables/unknown-table.ts";
import { UsageTable } from "./tables/usage-table.ts";
import { UsageTotals } from "./tables/usage-totals.ts";
import { type Tables, Transaction } from "./transaction.ts";

export interface EngineOptions extends ConnectionOptions {
  /** A sync has failed before: what the journal holds is taken to the database first, and synced there. */
  readonly isSyncLost: boolean;
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
  readonly #parts = new Map<unknown, unknown>();

  constructor(options: EngineOptions) {
    this.db = connect(options);
    try {
      if (options.isSyncLost) this.db.pragma("wal_checkpoint(TRUNCATE)");
      this.queue = new CommitQueue({
        db: this.db,
        begin: () => new Transaction(this),
        committed: options.committed,
        failed: options.failed,
        isLost: isConnectionLost,
        ...(options.lockPatienceMs === undefined ? {} : { lockPatienceMs: options.lockPatienceMs }),
      });
    } catch (error) {
      this.db.close();
      throw translate(error, options.path);
    }
  }

  get sessions(): SessionTable {
    return this.part(SessionTable);
  }
  get events(): EventTable {
    return this.part(EventTable);
  }
  get feed(): FeedTable {
    return this.part(FeedTable);
  }
  get usage(): UsageTable {
    return this.part(UsageTable);
  }
  get totals(): UsageTotals {
    return this.part(UsageTotals);
  }
  get tallies(): TallyTable {
    return this.part(TallyTable);
  }
  get cursors(): CursorTable {
    return this.part(CursorTable);
  }
  get unknown(): UnknownTable {
    return this.part(UnknownTable);
  }
  get search(): SearchIndex {
    return this.part(SearchIndex);
  }
  get list(): SessionList {
    return this.part(SessionList);
  }
  get references(): ReferenceTable {
    return this.part(ReferenceTable);
  }
  get budgets(): BudgetTable {
    return this.part(BudgetTable);
  }
  get observations(): ObservationTable {
    return this.part(ObservationTable);
  }
  get samples(): SampleTable {
    return this.part(SampleTable);
  }
  get delegations(): DelegationTable {
    return this.part(DelegationTable);
  }
  get files(): FileTable {
    return this.part(FileTable);
  }
  get log(): LogTable {
    return this.part(LogTable);
  }
  get removal(): Removal {
    return this.part(Removal);
  }

  forgetTombstone(sessionId: string): void {
    this.removal.forgetTombstone(sessionId);
  }

  /** Also for parts whose code is loaded late. */
  part<T>(Part: new (db: Database) => T): T {
    const made = this.#parts.get(Part) as T | undefined;
    if (made !== undefined) return made;
    const part = new Part(this.db);
    this.#parts.set(Part, part);
    return part;
  }
}
