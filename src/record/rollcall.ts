import { checkFlag, checkMetadata, checkOneOf, checkText } from "../domain/check.ts";
import { checkEntry, type Entry, type NewEntry } from "../domain/entry.ts";
import { RollcallError } from "../domain/errors.ts";
import type { FeedEvent, SessionEvent } from "../domain/event.ts";
import { checkReference } from "../domain/id.ts";
import { FINAL_PHASES, type FinalPhase, PHASES } from "../domain/phase.ts";
import { decideResume, type ResumeVerdict, refuse } from "../domain/resume.ts";
import type { SessionRecord, SessionRow } from "../domain/session.ts";
import { isLive, STATUSES, type Status } from "../domain/state.ts";
import { decideFinalize, decideUpdate, type SessionPatch } from "../domain/update.ts";
import { checkRequest, type UsageEntry } from "../domain/usage.ts";
import type { BackupReport, Decide, Page, RangeQuery, SearchHit, VerifyReport } from "../store/store.ts";
import type { CleanupOptions, CleanupReport } from "./cleanup.ts";
import { type Context, nowOf, recordOf, stamp } from "./context.ts";
import type { CreateInput } from "./create.ts";
import { type ListOptions, toQuery } from "./filter.ts";
import { allEntries, allEvents, followFeed } from "./history.ts";
import { isProcessAlive } from "./process.ts";
import { resolveReference } from "./reference.ts";
import { removeFiles } from "./remove-files.ts";
import type { Stats, StatsOptions } from "./stats.ts";

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

  constructor(context: Context) {
    this.context = context;
  }

  async create(input: CreateInput = {}): Promise<SessionRecord> {
    const { createSession } = await import("./create.ts");
    return this.get(await createSession(this.context, input));
  }

  /** Changes what is given, all of it or nothing. Throws `session_not_found`, `finalized`, `bad_phase`, … */
  async update(id: string, patch: SessionPatch, options: UpdateOptions = {}): Promise<SessionRecord> {
    const checked = checkPatch(patch);
    return this.#change(id, (row) => decideUpdate(row, checked), options);
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
    return this.#change(id, (row) => decideFinalize(row, final, summary));
  }

  /** Brings records to what each object says (`upsert` of the command line); all are checked before the first is written. */
  async upsert(lines: readonly unknown[]): Promise<number> {
    const { decideUpsert, parseUpsert } = await import("../domain/upsert.ts");
    const { checkNewId } = await import("./create.ts");
    const upserts = lines.map(parseUpsert);
    for (const { id } of upserts) checkNewId(this.context, id);
    const known = { now: nowOf(this.context), machine: this.context.config.machine };
    const changes = upserts.map((upsert) =>
      this.context.store.change(upsert.id, (row, { ledgerRequests }) =>
        decideUpsert(row, upsert, { ...known, ledgerRequests }).map(({ body, at }) =>
          stamp(this.context, body, at),
        ),
      ),
    );
    const done = await Promise.allSettled(changes);
    for (const result of done) {
      if (result.status === "rejected") throw result.reason;
      if (result.value.row.hasFile) await this.context.files.follow(result.value.row.id);
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
    const removed = await this.context.store.remove([id], nowOf(this.context), (row) => !isCarried(row));
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
  feed(
    options: { readonly after?: string; readonly follow?: boolean; readonly signal?: AbortSignal } = {},
  ): AsyncIterable<FeedEvent> {
    return followFeed(this.context.store, options);
  }

  /** The cursor behind which nothing was committed yet. */
  async feedEnd(): Promise<string> {
    return this.context.store.feedEnd();
  }

  entries(id: string, query: RangeQuery = {}): AsyncIterable<Entry> {
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

  /** Adds model requests to the usage of a session; each is counted once, by its key. */
  async recordUsage(id: string, requests: readonly UsageEntry[]): Promise<void> {
    await this.context.store.recordUsage(id, requests.map(checkRequest));
    const stored = await this.context.store.find(id);
    if (stored?.row.hasFile) await this.context.files.follow(id);
  }

  async search(
    text: string,
    options: { readonly limit?: number; readonly cursor?: string } = {},
  ): Promise<Page<SearchHit>> {
    const { limit = 20, cursor } = options;
    if (!(Number.isSafeInteger(limit) && limit > 0)) {
      throw new RollcallError("bad_input", `${limit} is not a limit.`, {
        hint: "Give a whole number from 1 up.",
      });
    }
    return this.context.store.search({ text, limit, ...(cursor === undefined ? {} : { cursor }) });
  }

  async stats(options: StatsOptions = {}): Promise<Stats> {
    return (await import("./stats.ts")).statsOf(this, options);
  }

  /** A verified copy of the whole store in a new file. */
  async backup(path: string): Promise<BackupReport> {
    return this.context.store.backup(path);
  }

  async verify(progress?: (done: number, of: number) => void): Promise<VerifyReport> {
    return this.context.store.verify(progress);
  }

  async close(): Promise<void> {
    await this.context.files.flush();
    await this.context.store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #change(
    id: string,
    decide: (row: SessionRow) => ReturnType<typeof decideUpdate>,
    options: UpdateOptions = {},
  ): Promise<SessionRecord> {
    const change = await this.context.store.change(id, this.#stamped(decide), options);
    if (change.row.hasFile) await this.context.files.follow(id);
    return recordOf(this.context.store, change);
  }

  #stamped(decide: (row: SessionRow) => ReturnType<typeof decideUpdate>): Decide {
    return (row) => (row ? decide(row).map((body) => stamp(this.context, body)) : []);
  }
}

function checkPatch(patch: SessionPatch): SessionPatch {
  if (patch.phase !== undefined) checkOneOf(PHASES, patch.phase, "phase");
  if (patch.status !== undefined) checkOneOf(STATUSES, patch.status, "status");
  if (patch.resumeReady !== undefined) checkFlag(patch.resumeReady, "resume_ready");
  if (patch.error !== undefined) checkText(patch.error, "error", 65_536);
  if (patch.name !== undefined && patch.name !== null) checkReference(patch.name, "name");
  return patch.metadata === undefined ? patch : { ...patch, metadata: checkMetadata(patch.metadata) };
}

/** Of one whose state is not known the process may still live. */
function isCarried({ origin, state, process }: SessionRow): boolean {
  return origin === "started" && (isLive(state) || (process !== null && isProcessAlive(process)));
}

function refuseIfCarried(row: SessionRow): void {
  if (!isCarried(row)) return;
  throw new RollcallError("process_alive", `Session ${row.id} is still running.`, {
    hint: `End it first with \`rollcall end ${row.id}\`.`,
  });
}

function notFound(id: string): never {
  throw new RollcallError("session_not_found", `There is no session ${id}.`, {
    hint: "See `rollcall list`.",
    facts: { sessionId: id },
  });
}
