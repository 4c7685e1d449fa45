import { statSync } from "node:fs";
import type { Entry } from "../../domain/entry.ts";
import { RollcallError } from "../../domain/errors.ts";
import type { FeedEvent, SessionEvent } from "../../domain/event.ts";
import type { Observed, SessionRow } from "../../domain/session.ts";
import type { Instant } from "../../domain/time.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import type * as contract from "../store.ts";
import { Bell } from "./bell.ts";
import { type ConnectionOptions, connectReadOnly } from "./connection.ts";
import { Engine } from "./engine.ts";
import { isConnectionLost, isSyncLost, translate } from "./failure.ts";
import type { Transaction } from "./transaction.ts";

export interface SqliteStoreOptions extends ConnectionOptions {
  /** Stands before everything that is written. */
  readonly redact: <T>(value: T) => T;
}

export function openSqliteStore(options: SqliteStoreOptions): contract.Store {
  return new SqliteStore(options);
}

class SqliteStore implements contract.Store {
  readonly #options: SqliteStoreOptions;
  readonly #bell: Bell;
  #engine: Engine | undefined;
  #isClosed = false;
  #isSyncLost = false;

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
    // Written out: this is what hooks and orchestrators ask most.
    try {
      return this.#use().sessions.find(sessionId);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async findRow(sessionId: string): Promise<SessionRow | undefined> {
    try {
      return this.#use().sessions.findRow(sessionId);
    } catch (error) {
      throw this.#failed(error);
    }
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
    return this.#read((engine) => engine.sessions.family(sessionId));
  }

  async events(sessionId: string, query: contract.RangeQuery = {}): Promise<SessionEvent[]> {
    return this.#read((engine) => engine.events.range(sessionId, query));
  }

  async entries(sessionId: string, query: contract.RangeQuery = {}): Promise<Entry[]> {
    return this.#read((engine) => engine.events.entries(sessionId, query));
  }

  async feed(after: string | undefined, limit: number): Promise<FeedEvent[]> {
    return this.#read((engine) => engine.events.feed(after, limit));
  }

  async feedEnd(): Promise<string> {
    return this.#read((engine) => engine.events.feedEnd());
  }

  listen(ring: () => void): Disposable {
    return this.#bell.listen(ring);
  }

  async search(query: contract.SearchQuery): Promise<contract.Page<contract.SearchHit>> {
    return this.#read((engine) => engine.search.search(query));
  }

  recordUsage(sessionId: string, requests: readonly UsageEntry[]): Promise<void> {
    const redacted = this.#options.redact(requests);
    return this.#write((tx) => tx.recordUsage(sessionId, redacted));
  }

  async usageOf(sessionId: string, query: { after?: string; limit?: number } = {}): Promise<UsageEntry[]> {
    return this.#read((engine) => engine.usage.page(sessionId, query.after ?? "", query.limit ?? 1000));
  }

  async usageTotals(query: contract.UsageTotalsQuery): Promise<contract.UsageTotal[]> {
    return this.#read((engine) => engine.usage.totals(query));
  }

  async observe(sessionId: string, observed: Partial<Observed>): Promise<void> {
    await this.#unsynced(({ sessions }) => {
      const present = sessions.find(sessionId)?.observed;
      if (present) sessions.saveObserved(sessionId, { ...present, ...observed });
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
    const { agentName, taskId } = this.#options.redact({
      agentName: delegation.agentName,
      taskId: delegation.taskId,
    });
    await this.#unsynced(
      ({ delegations }) => delegations.add({ ...delegation, agentName, taskId }),
      "one row",
    );
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

  async findDelegation(taskId: string): Promise<contract.Delegation | undefined> {
    const found = this.#read(({ delegations }) => delegations.latestOf(this.#options.redact(taskId)));
    if (!found) return undefined;
    const { no: _, ...delegation } = found;
    return delegation;
  }

  remove(
    sessionIds: readonly string[],
    at: Instant,
    only: (row: SessionRow) => boolean = () => true,
  ): Promise<string[]> {
    return this.#write((tx) => {
      // What this transaction changed before must be in the tables before it is taken out of them.
      tx.finish();
      const engine = this.#use();
      const removed = sessionIds.filter((id) => engine.removal.remove(id, { at, only }, engine));
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

  async publishFile(sessionId: string, version: number, publish: () => void): Promise<boolean> {
    return this.#unsynced(({ files }) => files.publish(sessionId, version, publish));
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
  async #unsynced<T>(work: (engine: Engine) => T, extent: "one row" | "many" = "many"): Promise<T> {
    return this.#read(() => {
      this.#use().queue.flush();
      // Again: a flush that fails may take the connection with it.
      const engine = this.#use();
      engine.db.pragma("synchronous = NORMAL");
      try {
        return extent === "one row" ? work(engine) : engine.db.transaction(() => work(engine)).immediate();
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
    const engine = new Engine({
      ...this.#options,
      committed: () => this.#bell.ring(),
      failed: (error) => this.#failed(error),
    });
    // What could not be synced is taken from the journal to the database, and synced there.
    if (this.#isSyncLost) engine.db.pragma("wal_checkpoint(TRUNCATE)");
    this.#isSyncLost = false;
    return engine;
  }

  #failed(error: unknown): Error {
    if (isConnectionLost(error)) this.#discard();
    if (isSyncLost(error)) this.#isSyncLost = true;
    return translate(error, this.#options.path);
  }

  #discard(): void {
    this.#engine?.db.close();
    this.#engine = undefined;
  }
}
