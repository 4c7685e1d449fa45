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

/** A connection with everything that was prepared on it; replaced as a whole when the connection is lost. */
export interface Engine {
  readonly db: Database;
  readonly tables: Tables;
  readonly queue: CommitQueue<Transaction>;
  readonly list: SessionList;
  readonly references: ReferenceTable;
  readonly samples: SampleTable;
  readonly delegations: DelegationTable;
  readonly files: FileTable;
  readonly removal: Removal;
}

export interface EngineOptions extends ConnectionOptions {
  readonly redact: <T>(value: T) => T;
  readonly committed: () => void;
  /** Turns a failure of the engine into ours, and may give up the connection. */
  readonly failed: (error: unknown) => Error;
}

export function openEngine(options: EngineOptions): Engine {
  const db = connect(options);
  try {
    return prepare(db, options);
  } catch (error) {
    db.close();
    throw translate(error, options.path);
  }
}

function prepare(db: Database, { redact, committed, failed }: EngineOptions): Engine {
  const removal = new Removal(db);
  const tables: Tables = {
    sessions: new SessionTable(db),
    events: new EventTable(db),
    usage: new UsageTable(db),
    search: new SearchIndex(db),
    redact,
    forgetTombstone: (id) => removal.forgetTombstone(id),
  };
  return {
    db,
    tables,
    removal,
    queue: new CommitQueue({
      db,
      begin: () => new Transaction(tables),
      committed,
      failed,
      isLost: isConnectionLost,
    }),
    list: new SessionList(db),
    references: new ReferenceTable(db),
    samples: new SampleTable(db),
    delegations: new DelegationTable(db),
    files: new FileTable(db),
  };
}
