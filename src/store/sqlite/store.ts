import { statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import type { Entry } from "../../domain/entry.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { FeedEvent, SessionEvent } from "../../domain/event.ts";
import type { Observed, SessionRow } from "../../domain/session.ts";
import type { Instant } from "../../domain/time.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import type * as contract from "../store.ts";
import { Bell } from "./bell.ts";
import { CommitQueue } from "./commit-queue.ts";
import { type ConnectionOptions, connect, connectReadOnly } from "./connection.ts";
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

export interface SqliteStoreOptions extends ConnectionOptions {
  /** Stands before everything that is written. */
  readonly redact: <T>(value: T) => T;
}

export function openSqliteStore(options: SqliteStoreOptions): contract.Store {
  return new SqliteStore(options);
}

/** A connection with everything that was prepared on it; replaced as a whole when the connection is lost. */
interface Engine {
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

class SqliteStore implements contract.Store {
  readonly #options: SqliteStoreOptions;
  readonly #bell: Bell;
  #engine: Engine | undefined;
  #isClosed = false;

  constructor(options: SqliteStoreOptions) {
    this.#options = options;
    this.#bell = new Bell(`${options.path}.bell`);
    this.#engine = this.#open();
  }

  change(
    sessionId: string,
    decide: contract.Decide,
    options?: contract.ChangeOptions,
  ): Promise<contract.Change> {
    return this.#write((tx) => tx.change(sessionId, decide, options));
  }

  async find(sessionId: string): Promise<contract.StoredSession | undefined> {
    return this.#read(({ tables }) => tables.sessions.find(sessionId));
  }

  async list(query: contract.ListQuery): Promise<contract.Page<contract.StoredSession>> {
    return this.#read(({ list }) => list.page(query));
  }

  async findByReference(reference: { suffix?: string; name?: string }): Promise<contract.Referenced[]> {
    return this.#read(({ references }) => references.find(reference));
  }

  async newest(): Promise<string | undefined> {
    return this.#read(({ references }) => references.newest());
  }

  async family(sessionId: string): Promise<contract.Page<contract.StoredSession>> {
    return this.#read(({ tables }) => tables.sessions.family(sessionId));
  }

  async events(sessionId: string, query: contract.RangeQuery = {}): Promise<SessionEvent[]> {
    return this.#read(({ tables }) => tables.events.range(sessionId, query));
  }

  async entries(sessionId: string, query: contract.RangeQuery = {}): Promise<Entry[]> {
    return this.#read(({ tables }) => tables.events.entries(sessionId, query));
  }

  async feed(after: string | undefined, limit: number): Promise<FeedEvent[]> {
    return this.#read(({ tables }) => tables.events.feed(after, limit));
  }

  async feedEnd(): Promise<string> {
    return this.#read(({ tables }) => tables.events.feedEnd());
  }

  listen(ring: () => void): Disposable {
    return this.#bell.listen(ring);
  }

  async search(query: contract.SearchQuery): Promise<contract.Page<contract.SearchHit>> {
    return this.#read(({ tables }) => tables.search.search(query));
  }

  recordUsage(sessionId: string, requests: readonly UsageEntry[]): Promise<void> {
    const redacted = this.#options.redact(requests);
    return this.#write((tx) => tx.recordUsage(sessionId, redacted));
  }

  async usageOf(sessionId: string, query: { after?: string; limit?: number } = {}): Promise<UsageEntry[]> {
    return this.#read(({ tables }) => tables.usage.page(sessionId, query.after ?? "", query.limit ?? 1000));
  }

  async usageTotals(query: contract.UsageTotalsQuery): Promise<contract.UsageTotal[]> {
    return this.#read(({ tables }) => tables.usage.totals(query));
  }

  async observe(sessionId: string, observed: Partial<Observed>): Promise<void> {
    await this.#unsynced(({ tables }) => {
      const present = tables.sessions.find(sessionId)?.observed;
      if (present) tables.sessions.saveObserved(sessionId, { ...present, ...observed });
    });
  }

  async addSamples(sessionId: string, samples: readonly contract.Sample[]): Promise<void> {
    await this.#unsynced((engine) => engine.samples.add(sessionId, samples));
  }

  async samples(
    sessionId: string,
    range: { since?: Instant; until?: Instant } = {},
  ): Promise<contract.Sample[]> {
    return this.#read((engine) => engine.samples.range(sessionId, range));
  }

  async logDelegation(delegation: contract.Delegation): Promise<void> {
    const redacted = this.#options.redact(delegation);
    await this.#unsynced(({ delegations }) => delegations.add(redacted));
  }

  async *delegations(since?: Instant): AsyncIterable<contract.Delegation> {
    let after = 0;
    for (;;) {
      const page = this.#read(({ delegations }) => delegations.page(since ?? "", after));
      if (page.length === 0) return;
      for (const { no, ...delegation } of page) {
        after = no;
        yield delegation;
      }
    }
  }

  remove(
    sessionIds: readonly string[],
    at: Instant,
    only: (row: SessionRow) => boolean = () => true,
  ): Promise<string[]> {
    return this.#write((tx) => {
      // What this transaction changed before must be in the tables before it is taken out of them.
      tx.finish();
      const { removal, tables } = this.#use();
      const removed = sessionIds.filter((id) => removal.remove(id, { at, only }, tables));
      tx.forget(removed);
      return removed;
    });
  }

  async isTombstone(key: Parameters<contract.Store["isTombstone"]>[0]): Promise<boolean> {
    return this.#read(({ removal }) => removal.isTombstone(key));
  }

  async laggingFiles(machine: string, limit: number): Promise<string[]> {
    return this.#read(({ files }) => files.lagging(machine, limit));
  }

  async publishFile(sessionId: string, seq: number, publish: () => void): Promise<boolean> {
    return this.#unsynced(({ files }) => files.publish(sessionId, seq, publish));
  }

  async backup(path: string): Promise<contract.BackupReport> {
    this.#use().queue.flush();
    return (await import("./backup.ts")).backupTo(this.#use().db, path);
  }

  async verify(progress?: (done: number, of: number) => void): Promise<contract.VerifyReport> {
    this.#use().queue.flush();
    const db = connectReadOnly(this.#options.path);
    try {
      return await (await import("./verify.ts")).verifyDatabase(db, progress);
    } catch (error) {
      throw translate(error, this.#options.path);
    } finally {
      db.close();
    }
  }

  async size(): Promise<{ bytes: number; sessions: number; events: number }> {
    const bytes = ["", "-wal"].map(
      (end) => statSync(this.#options.path + end, { throwIfNoEntry: false })?.size ?? 0,
    );
    const { countAll } = await import("./verify.ts");
    return this.#read(({ db }) => ({ bytes: bytes.reduce((sum, size) => sum + size, 0), ...countAll(db) }));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#engine?.queue.flush();
    this.#isClosed = true;
    this.#bell[Symbol.dispose]();
    this.#discard();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #write<T>(work: (tx: Transaction) => T): Promise<T> {
    return this.#use().queue.add(work);
  }

  #read<T>(ask: (engine: Engine) => T): T {
    try {
      return ask(this.#use());
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** For what a power cut may take: no other commit waits for it, and it waits for no disk. */
  async #unsynced<T>(work: (engine: Engine) => T): Promise<T> {
    return this.#read((engine) => {
      engine.queue.flush();
      engine.db.pragma("synchronous = NORMAL");
      try {
        return engine.db.transaction(() => work(engine)).immediate();
      } finally {
        engine.db.pragma("synchronous = FULL");
      }
    });
  }

  #use(): Engine {
    if (this.#isClosed) throw new RollcallError("store_closed", "The store was closed.");
    this.#engine ??= this.#open();
    return this.#engine;
  }

  #open(): Engine {
    const db = connect(this.#options);
    try {
      return this.#prepare(db);
    } catch (error) {
      db.close();
      throw translate(error, this.#options.path);
    }
  }

  #prepare(db: Database): Engine {
    const removal = new Removal(db);
    const tables: Tables = {
      sessions: new SessionTable(db),
      events: new EventTable(db),
      usage: new UsageTable(db),
      search: new SearchIndex(db),
      redact: this.#options.redact,
      forgetTombstone: (id) => removal.forgetTombstone(id),
    };
    const queue = new CommitQueue<Transaction>({
      db,
      begin: () => new Transaction(tables),
      committed: () => this.#bell.ring(),
      failed: (error) => this.#failed(error),
    });
    const { list, references, samples, delegations, files } = readers(db);
    return { db, tables, queue, list, references, samples, delegations, files, removal };
  }

  #failed(error: unknown): Error {
    if (isConnectionLost(error)) this.#discard();
    return translate(error, this.#options.path);
  }

  #discard(): void {
    this.#engine?.db.close();
    this.#engine = undefined;
  }
}

function readers(db: Database): Pick<Engine, "list" | "references" | "samples" | "delegations" | "files"> {
  return {
    list: new SessionList(db),
    references: new ReferenceTable(db),
    samples: new SampleTable(db),
    delegations: new DelegationTable(db),
    files: new FileTable(db),
  };
}
