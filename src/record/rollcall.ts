import { checkOneOf, checkText } from "../domain/check.ts";
import { RollcallError } from "../domain/errors.ts";
import type { Sample } from "../domain/sample.ts";
import type { EventBody, FeedEvent, SessionEvent } from "../domain/session/event.ts";
import { FINAL_PHASES, type FinalPhase, isFinal } from "../domain/session/phase.ts";
import { decideResume, type ResumeVerdict, refuse } from "../domain/session/resume.ts";
import type { SessionRecord, SessionRow } from "../domain/session/session.ts";
import type { Status } from "../domain/session/state.ts";
import { decideFinalize, decideUpdate, type SessionPatch } from "../domain/session/update.ts";
import type { Instant } from "../domain/time.ts";
import { checkEntry, type Entry, type NewEntry } from "../domain/transcript/entry.ts";
import { checkRequest, type UsageEntry } from "../domain/usage.ts";
import type { BackupReport, VerifyReport } from "../store/maintenance.ts";
import type { Decide, EntryQuery, Known, Page, RangeQuery, SearchHit } from "../store/store.ts";
import { checkPatch } from "./check-patch.ts";
import type { CleanupOptions, CleanupReport } from "./cleanup.ts";
import { type Context, nowOf, recordOf, stamp } from "./context.ts";
import type { CreateInput } from "./create.ts";
import { removeFiles } from "./files/remove-files.ts";
import { type ListOptions, type SearchOptions, toQuery, toSearchQuery } from "./filter.ts";
import { allEntries, allEvents, type FeedOptions, followFeed } from "./history.ts";
import { isCarriedAlive, refuseIfCarried, refuseIfSeenAlive } from "./process-alive.ts";
import { resolveReference } from "./reference.ts";
import type { Stats, StatsOptions } from "./stats/stats.ts";
import { RequestPricing } from "./usage/request-pricing.ts";

export interface UpdateOptions {
  /** Refuses with `seq_conflict` unless the session still stands at this `seq`. */
  readonly expectedSeq?: number;
}

export interface SessionPage {
  readonly sessions: readonly SessionRecord[];
  readonly nextCursor: string | null;
  /** Ids of records that are damaged and could not be shown. */
  readonly corrupt: readonly string[];
}

const PAGE = 200;

/**
 * The record operations on one store. Close it, or hold it with `await using`. What only some programs do is loaded
 * when it is first asked for: hooks and shells start this for every call.
 */
export class Rollcall implements AsyncDisposable {
  /** For the other parts of Rollcall; not part of the public interface. */
  readonly context: Context;
  readonly #pricing: RequestPricing;

  constructor(context: Context) {
    this.context = context;
    this.#pricing = new RequestPricing(context.config);
  }

  async create(input: CreateInput = {}): Promise<SessionRecord> {
    const { createSession } = await import("./create.ts");
    return this.get(await createSession(this.context, input));
  }

  /** Changes what is given, all of it or nothing. Throws `session_not_found`, `finalized`, `bad_phase`, … */
  async update(id: string, patch: SessionPatch, options: UpdateOptions = {}): Promise<SessionRecord> {
    const checked = checkPatch(patch);
    const declaresEnd = patch.status !== undefined || (patch.phase !== undefined && isFinal(patch.phase));
    const decide = (row: SessionRow, known: Known) => {
      if (declaresEnd) refuseIfSeenAlive(row);
      return decideUpdate(row, checked, known.findNamesake);
    };
    return this.#change(id, decide, options);
  }

  async setStatus(id: string, status: Status): Promise<SessionRecord> {
    return this.update(id, { status });
  }

  /** Ends the work on a session for good. Saying the same again changes nothing. */
  async finalize(
    id: string,
    phase: FinalPhase,
    options: { readonly summary?: string } = {},
  ): Promise<SessionRecord> {
    const final = checkOneOf(FINAL_PHASES, phase, "final phase");
    const summary = options.summary === undefined ? null : checkText(options.summary, "summary", 65_536);
    return this.#change(id, (row) => {
      refuseIfSeenAlive(row);
      return decideFinalize(row, final, summary);
    });
  }

  /** Brings records to what each object says (`upsert` of the command line); all are checked before the first is written. */
  async upsert(lines: readonly unknown[]): Promise<number> {
    const { decideUpsert, parseUpsert } = await import("../domain/session/upsert.ts");
    const { checkNewId } = await import("./create.ts");
    const upserts = lines.map(parseUpsert);
    for (const { id } of upserts) checkNewId(this.context, id);
    const known = { now: nowOf(this.context), machine: this.context.config.machine };
    const changes = upserts.map((upsert) =>
      this.context.store.change(upsert.id, (row, { ledger }) =>
        decideUpsert(row, upsert, { ...known, ledgerRequests: ledger.requests }).map(({ body, at }) =>
          stamp(this.context, body, at),
        ),
      ),
    );
    const done = await Promise.allSettled(changes);
    for (const result of done) {
      if (result.status === "rejected") throw result.reason;
      const { row, events } = result.value;
      if (events.length > 0 && row.hasFile) await this.context.files.follow(row.id);
    }
    return upserts.length;
  }

  /** Whether work on a session can go on, and how. Reads only, and answers for every input. */
  async shouldResume(id: string): Promise<ResumeVerdict> {
    try {
      const row = await this.context.store.findRow(id);
      return row
        ? decideResume(row, this.context.resumePolicy, this.context.now())
        : refuse("session_not_found");
    } catch (error) {
      return refuse(error instanceof RollcallError && error.code === "corrupt" ? "corrupt" : "unavailable");
    }
  }

  async find(id: string): Promise<SessionRecord | undefined> {
    const stored = await this.context.store.find(id);
    return stored && recordOf(this.context.store, stored);
  }

  /** Throws `session_not_found` where `find` gives undefined. */
  async get(id: string): Promise<SessionRecord> {
    const stored = await this.context.store.find(id);
    return stored ? recordOf(this.context.store, stored) : notFound(id);
  }

  /** The full id of what a person may call a session: id, six digits, name, `last`, `self`. */
  async resolve(reference: string): Promise<string> {
    return resolveReference(this.context, reference);
  }

  /** Every session that fits, newest activity first, read page by page. */
  async *list(options: ListOptions = {}): AsyncIterable<SessionRecord> {
    let left = options.limit || Number.POSITIVE_INFINITY;
    let cursor = options.cursor;
    while (left > 0) {
      const page = await this.page({
        ...options,
        limit: Math.min(PAGE, left),
        ...(cursor === undefined ? {} : { cursor }),
      });
      yield* page.sessions;
      left -= page.sessions.length;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }

  async page(options: ListOptions = {}): Promise<SessionPage> {
    const {
      items,
      nextCursor = null,
      corrupt = [],
    } = await this.context.store.list(toQuery(this.context, options));
    const sessions: SessionRecord[] = [];
    for (const stored of items) sessions.push(await recordOf(this.context.store, stored));
    return { sessions, nextCursor, corrupt };
  }

  /** Removes a record with all that belongs to it; false where there is none. */
  async delete(id: string): Promise<boolean> {
    const stored = await this.context.store.find(id);
    if (!stored) return false;
    refuseIfCarried(stored.row);
    const removed = await this.context.store.remove([id], nowOf(this.context), (row) => !isCarriedAlive(row));
    if (removed.length > 0) removeFiles(this.context.home, stored.row);
    return removed.length > 0;
  }

  async cleanup(options: CleanupOptions = {}): Promise<CleanupReport> {
    return (await import("./cleanup.ts")).cleanUp(this.context, options);
  }

  /** Marks `unknown` what claims to be active here without a process that lives; returns how many. */
  async reconcile(options: { readonly current?: string } = {}): Promise<number> {
    return (await import("./reconcile.ts")).reconcileSessions(this.context, options.current);
  }

  /** The events of one session in order, from a `seq` on. */
  events(id: string, query: RangeQuery = {}): AsyncIterable<SessionEvent> {
    return allEvents(this.context.store, id, query);
  }

  /** Everything that is committed, in commit order; with `follow` it goes on until the signal says stop. */
  feed(options: FeedOptions = {}): AsyncIterable<FeedEvent> {
    return followFeed(this.context.store, options);
  }

  /** The cursor behind which nothing was committed yet. */
  async feedEnd(): Promise<string> {
    return this.context.store.feedEnd();
  }

  entries(id: string, query: EntryQuery = {}): AsyncIterable<Entry> {
    return allEntries(this.context.store, id, query);
  }

  /** Adds to the transcript; returns the place of the entry. */
  async addEntry(id: string, entry: NewEntry): Promise<number> {
    const checked = checkEntry(entry);
    const { row, events } = await this.context.store.change(
      id,
      this.#stamped(() => [{ kind: "entry_added", entry: checked }]),
    );
    if (row.hasFile) await this.context.files.follow(id);
    return events[0]?.seq ?? 0;
  }

  /** Brings the record file of a session up with the store. */
  async saveFile(id: string): Promise<void> {
    const stored = await this.context.store.find(id);
    if (stored?.row.hasFile) await this.context.files.write(id);
  }

  /**
   * Adds model requests to the usage of a session; each is counted once, by its key, and priced unless its cost was
   * computed already. Its record file follows in a second.
   */
  async recordUsage(id: string, requests: readonly UsageEntry[]): Promise<void> {
    const usage = await this.#pricing.price(requests.map(checkRequest));
    const { row, isUsageNew } = await this.context.store.change(id, () => ({
      events: [],
      usage,
      at: nowOf(this.context),
    }));
    if (isUsageNew && row.hasFile) this.context.files.followLater(id);
  }

  /** The measurements of a session in order of time; old ones are averages over a minute or an hour. */
  async samples(
    id: string,
    range: { readonly since?: Instant; readonly until?: Instant } = {},
  ): Promise<Sample[]> {
    return this.context.store.samples(id, range);
  }

  /** Entries and sessions with these words, best first; see `Store.search`. */
  async search(text: string, options: SearchOptions = {}): Promise<Page<SearchHit>> {
    return this.context.store.search(toSearchQuery(text, options));
  }

  async stats(options: StatsOptions = {}): Promise<Stats> {
    return (await import("./stats/stats.ts")).statsOf(this, options);
  }

  /** A verified copy of the whole store in a new file. */
  async backup(path: string): Promise<BackupReport> {
    return this.context.store.backup(path);
  }

  async verify(progress?: (done: number, of: number) => void): Promise<VerifyReport> {
    return this.context.store.verify(progress);
  }

  async close(): Promise<void> {
    await this.context.files.close();
    await this.context.store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #change(
    id: string,
    decide: (row: SessionRow, known: Known) => EventBody[],
    options: UpdateOptions = {},
  ): Promise<SessionRecord> {
    const change = await this.context.store.change(id, this.#stamped(decide), options);
    if (change.events.length > 0 && change.row.hasFile) await this.context.files.follow(id);
    return recordOf(this.context.store, change);
  }

  #stamped(decide: (row: SessionRow, known: Known) => EventBody[]): Decide {
    return (row, known) => (row ? decide(row, known).map((body) => stamp(this.context, body)) : []);
  }
}

function notFound(id: string): never {
  throw new RollcallError("session_not_found", `There is no session ${id}.`, {
    hint: "See `rollcall list`.",
    facts: { sessionId: id },
  });
}
