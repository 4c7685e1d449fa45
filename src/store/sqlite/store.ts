import { RollcallError } from "../../domain/errors.ts";
import type { ReadCursor } from "../../domain/read-cursor.ts";
import type { Sample, SampleSums } from "../../domain/sample.ts";
import type { SessionEvent } from "../../domain/session/event.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import type { Instant } from "../../domain/time.ts";
import type { Entry } from "../../domain/transcript/entry.ts";
import type { KeptUnknownRecord } from "../../domain/transcript/unknown-record.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import type { ChangedRequest, ChangedSession, Log } from "../log.ts";
import type { BackupReport, RedactedRows, RedactStoredOptions, VerifyReport } from "../maintenance.ts";
import type { SessionObservation, SessionSample } from "../observations.ts";
import type { Statistics } from "../statistics.ts";
import type * as contract from "../store.ts";
import { Bell } from "./bell.ts";
import type { ConnectionOptions } from "./connection.ts";
import { Engine } from "./engine.ts";
import { isConnectionLost, isSyncLost, translate } from "./failure.ts";
import { inSteps } from "./in-steps.ts";
import { isDoneInTime, untilUnlocked } from "./lock-patience.ts";
import { SqliteStatistics } from "./statistics.ts";
import { eachDelegation } from "./tables/delegation-table.ts";
import { thinInSteps } from "./thin.ts";
import type { Transaction } from "./transaction.ts";

/** Writes what it is given, as it is: redaction stands around it (`redacting`). */
export function openSqliteStore(options: ConnectionOptions): contract.Store {
  return new SqliteStore(options);
}

class SqliteStore implements contract.Store {
  readonly #options: ConnectionOptions;
  readonly #bell: Bell;
  #engine: Engine | undefined;
  #isClosed = false;
  #isSyncLost = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#bell = new Bell(`${options.path}.bell`);
    this.#engine = this.#open();
  }

  change(...change: Parameters<contract.Store["change"]>): Promise<contract.Change> {
    return this.#write((tx) => tx.change(...change));
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
    return this.#read(({ sessions }) => sessions.findRow(sessionId));
  }

  async findCursor(sessionId: string, source: string): Promise<ReadCursor | undefined> {
    return this.#read(({ cursors }) => cursors.findById(sessionId, source));
  }

  async cursors(): Promise<contract.SourceCursor[]> {
    return this.#read(({ cursors }) => cursors.all());
  }

  async findEvent(id: string): Promise<SessionEvent | undefined> {
    return this.#read(({ events }) => events.find(id));
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

  async hasCarriedLive(machine: string): Promise<boolean> {
    return this.#read(({ references }) => references.hasCarriedLive(machine));
  }

  async family(sessionId: string): Promise<contract.Page<contract.StoredSession>> {
    return this.#read((engine) => engine.sessions.family(sessionId));
  }

  async spending(sessionId: string): Promise<Awaited<ReturnType<contract.Store["spending"]>>> {
    return this.#read(({ budgets }) => budgets.spendingOf(sessionId));
  }

  async events(sessionId: string, query: contract.RangeQuery = {}): Promise<SessionEvent[]> {
    return this.#read((engine) => engine.events.range(sessionId, query));
  }

  async entries(sessionId: string, query: contract.EntryQuery = {}): Promise<Entry[]> {
    return this.#read((engine) => engine.events.entries(sessionId, query));
  }

  async unknownRecords(...asked: Parameters<contract.Store["unknownRecords"]>): Promise<KeptUnknownRecord[]> {
    return this.#read(({ unknown }) => unknown.page(...asked));
  }

  async feed(...query: Parameters<contract.Store["feed"]>): Promise<contract.FeedPage> {
    return this.#read(({ feed }) => feed.page(...query));
  }

  async feedEnd(): Promise<string> {
    return this.#read(({ feed }) => feed.end());
  }

  async log(): Promise<Log> {
    return this.#read(({ log }) => log.find()) ?? this.#write(() => this.#use().log.make());
  }

  async claim(machineId: string): Promise<Log> {
    const log = this.#read((engine) => engine.log.find());
    return log?.machineId === machineId ? log : this.#write(() => this.#use().log.claim(machineId));
  }

  async changedSessions(after: number, limit: number): Promise<ChangedSession[]> {
    return this.#read(({ log }) => log.changedSessions(after, limit));
  }

  async changedRequests(after: number, limit: number): Promise<ChangedRequest[]> {
    return this.#read(({ log }) => log.changedRequests(after, limit));
  }

  listen(ring: () => void): Disposable {
    return this.#bell.listen(ring);
  }

  async search(query: contract.SearchQuery): Promise<contract.Page<contract.SearchHit>> {
    const { Finder } = await import("./finder.ts");
    return this.#read((engine) => engine.part(Finder).page(query));
  }

  async usageOf(sessionId: string, query: { after?: string; limit?: number } = {}): Promise<UsageEntry[]> {
    return this.#read((engine) => engine.usage.page(sessionId, query.after ?? "", query.limit ?? 1000));
  }

  statistics(): Statistics {
    return new SqliteStatistics(this.#options.path, (ask) => this.#read(ask));
  }

  async observe(batch: readonly SessionObservation[]): Promise<void> {
    if (batch.length > 0) await this.#unsynced(({ observations }) => observations.observe(batch));
  }

  async addSamples(batch: readonly SessionSample[]): Promise<void> {
    if (batch.length === 0) return;
    await this.#unsynced(({ observations, samples }) => observations.addSamples(batch, samples));
  }

  async samples(sessionId: string, range: { since?: Instant; until?: Instant } = {}): Promise<Sample[]> {
    return this.#read((engine) => engine.samples.range(sessionId, range));
  }

  async sampleSums(sessionId: string): Promise<SampleSums> {
    return this.#read((engine) => engine.samples.sumsOf(sessionId));
  }

  async thinSamples(before: Instant, stepMs: number): Promise<number> {
    return thinInSteps({ before, stepMs }, (work) => this.#unsynced(({ samples }) => work(samples)));
  }

  async logDelegation(delegation: contract.Delegation): Promise<void> {
    await this.#unsynced(({ delegations }) => delegations.add(delegation), "one row");
  }

  delegations(since?: Instant): AsyncIterable<contract.Delegation> {
    return eachDelegation((after) => this.#read((engine) => engine.delegations.page(since ?? "", after)));
  }

  async findDelegation(taskId: string): Promise<contract.Delegation | undefined> {
    return this.#read(({ delegations }) => delegations.latestOf(taskId));
  }

  async remove(...[sessionIds, at, only, leaves]: Parameters<contract.Store["remove"]>): Promise<string[]> {
    const removed = await this.#write((tx) => {
      // Earlier changes of this transaction must be in the tables before they are taken out of them.
      tx.finish();
      const engine = this.#use();
      const gone = engine.removal.remove(sessionIds, { at, only, leaves }, engine);
      tx.forget(gone);
      return gone;
    });
    // Also what another left that was killed meanwhile.
    if (this.#read(({ removal }) => removal.hasLeft()))
      await inSteps(() => this.#write(() => this.#use().removal.clearSome(this.#use())));
    return removed;
  }

  async isTombstone(key: Parameters<contract.Store["isTombstone"]>[0]): Promise<boolean> {
    return this.#read(({ removal }) => removal.isTombstone(key));
  }

  async laggingFiles(...asked: Parameters<contract.Store["laggingFiles"]>): Promise<string[]> {
    const [machine, limit, only] = asked;
    return this.#read(({ files }) => files.lagging(machine, limit, only === undefined));
  }

  async publishFile(sessionId: string, version: number, publish: () => void): Promise<boolean> {
    return this.#unsynced(({ files }) => files.publish(sessionId, version, publish));
  }

  async backup(path: string): Promise<BackupReport> {
    this.#use().queue.flush();
    return (await import("./backup.ts")).backupTo(this.#use().db, path);
  }

  async redactStored(options: RedactStoredOptions): Promise<RedactedRows> {
    const { redactStored } = await import("./redact/redact-stored.ts");
    return redactStored(this.#use(), (work) => this.#write((tx) => work(tx, this.#use())), options);
  }

  async verify(progress?: (done: number, of: number) => void): Promise<VerifyReport> {
    this.#use().queue.flush();
    return (await import("./verify.ts")).verifyFile(this.#options.path, progress);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await isDoneInTime(this.#options.lockPatienceMs ?? 0, () => this.#engine?.queue.flush() !== false);
    this.#isClosed = true;
    this.#bell[Symbol.dispose]();
    this.#discard();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
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
    return untilUnlocked(this.#options.lockPatienceMs ?? 0, () => this.#unsyncedNow(work, extent));
  }

  #unsyncedNow<T>(work: (engine: Engine) => T, extent: "one row" | "many"): T {
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
      isSyncLost: this.#isSyncLost,
      committed: () => this.#bell.ring(),
      failed: (error) => this.#failed(error),
    });
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
