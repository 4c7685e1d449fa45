import { RollcallError } from "../domain/errors.ts";
import type { SessionRow } from "../domain/session/session.ts";
import type { PriceRequest } from "../domain/usage.ts";
import { FilesBeingWritten } from "../machine/open-files.ts";
import { type Context, nowOf } from "../record/context.ts";
import { BatchSize } from "./batch-size.ts";
import { type Begun, beginSource, type Placed, placed } from "./begun.ts";
import { isGrown, isUnchanged } from "./changed.ts";
import { Progress } from "./import-progress.ts";
import { keptFacts, readState } from "./import-state.ts";
import { LeftAlone } from "./left-alone.ts";
import { noteAwaited } from "./lineage/awaited.ts";
import { Bases } from "./lineage/base-memory.ts";
import { familiesOf } from "./lineage/families.ts";
import { lineageOf } from "./lineage/lineage-of.ts";
import { isOutdated } from "./lineage/outdated.ts";
import { linkSession } from "./link-session.ts";
import { findByNativeId, isCarried, isReadAnew, planGrown, planNew, type SourcePlan } from "./plan.ts";
import { loadPrices } from "./prices.ts";
import { Moved } from "./readers/moved.ts";
import { type ImportOptions, type ImportReport, ImportTally } from "./report.ts";
import { SourceImport } from "./source-import.ts";
import { findSources, type Source, withKnownNames } from "./sources.ts";

type Cursor = Awaited<ReturnType<Context["store"]["cursors"]>>[number];

/**
 * Takes the histories that agents keep on disk into the record. Reads only what was added since the last time, and
 * writes nothing where nothing was. Can be stopped, or killed, at any moment: the next import goes on.
 */
export async function importHistory(context: Context, options: ImportOptions = {}): Promise<ImportReport> {
  return new Import(context, options).run();
}

class Import {
  readonly #context: Context;
  readonly #options: ImportOptions;
  readonly #tally = new ImportTally();
  readonly #leftAlone: LeftAlone;
  readonly #beganMs = performance.now();
  readonly #busy = new FilesBeingWritten();
  /** Ids and native ids of sessions that are read again whole, from all of their files. */
  readonly #takenOut = new Set<string>();
  /** The histories that begin with each record, and the others that were found to hold it. */
  readonly #beginnings = new Set<string>();
  readonly #held = new Map<string, string[]>();
  /** Those that were found to hold what a relative has for its own. */
  readonly #outgrown = new Set<string>();
  #bases = new Bases([]);
  #price: PriceRequest | undefined;
  readonly #progress = new Progress();
  readonly #size = new BatchSize();

  constructor(context: Context, options: ImportOptions) {
    this.#context = context;
    this.#options = options;
    this.#leftAlone = new LeftAlone(context, options.repeat);
  }

  async run(): Promise<ImportReport> {
    const { env, store } = this.#context;
    const cursors = new Map((await store.cursors()).map((cursor) => [cursor.source, cursor]));
    const sources = withKnownNames(findSources(env, this.#options), [...cursors.keys()]);
    const changed = sources.filter(
      (source) => !isUnchanged(source, cursors.get(source.source)) && !this.#leftAlone.has(source),
    );
    if (changed.length > 0) await this.#read(sources, changed, cursors);
    const report = this.#tally.report({
      found: sources.length,
      unchanged: sources.length - changed.length,
      isStopped: this.#isStopped,
      ms: Math.round(performance.now() - this.#beganMs),
    });
    // The names of types are the agent's own words.
    return this.#context.redact(report);
  }

  get #isStopped(): boolean {
    return this.#options.signal?.aborted === true;
  }

  async #read(
    sources: readonly Source[],
    changed: readonly Source[],
    cursors: ReadonlyMap<string, Cursor>,
  ): Promise<void> {
    this.#bases = new Bases(sources);
    const grown: { source: Source; row: SessionRow }[] = [];
    const due = new Set<Source>();
    const moved = new Moved(cursors.values(), sources);
    for (const source of changed) {
      const cursor = cursors.get(source.source);
      const row = await this.#rowOf(cursor ?? moved.cursorOf(source));
      const isGrown = cursor && row && !isCarried(row) ? this.#isGrown(source, cursor) : false;
      if (isGrown === undefined) continue;
      if (row && isCarried(row)) this.#leave(source);
      else if (row && isGrown && !(await isReadAnew(this.#context, source, row))) grown.push({ source, row });
      else {
        if (row?.origin === "imported") await this.#takeOut(row);
        due.add(source);
      }
    }
    for (const source of sources)
      if (this.#takenOut.has(cursors.get(source.source)?.sessionId ?? "")) due.add(source);
    const goOn = grown.filter(({ source }) => !due.has(source));
    for (const { source } of goOn)
      this.#progress.expect(source.sizeBytes - (cursors.get(source.source)?.byteOffset ?? 0));
    for (const { source, row } of goOn)
      await this.#attempt(source, async () => planGrown(this.#context, source, row, this.#busy.has(source)));
    for (const { source, row } of goOn)
      if (this.#outgrown.has(source.source) && !this.#isStopped) {
        await this.#takeOut(row);
        for (const other of sources) if (cursors.get(other.source)?.sessionId === row.id) due.add(other);
      }
    if (due.size > 0 && !this.#isStopped) await this.#readNew(sources, due, cursors);
  }

  async #readNew(
    sources: readonly Source[],
    due: ReadonlySet<Source>,
    cursors: ReadonlyMap<string, Cursor>,
  ): Promise<void> {
    const begun: Begun[] = [];
    for (const source of sources) {
      if (this.#isStopped) return;
      const one = due.has(source)
        ? await this.#begin(source)
        : await this.#recall(source, cursors.get(source.source));
      if (one) begun.push(one);
    }
    for (const { head } of begun) for (const key of head.roots.slice(0, 1)) this.#beginnings.add(key);
    const families = familiesOf(begun);
    await this.#readFamilies(families.filter((family) => family.some(({ isDue }) => isDue)));
    await this.#readHeld(begun);
  }

  /** A copy may begin in the middle of its origin, which only shows when the origin is read. */
  async #readHeld(begun: readonly Begun[]): Promise<void> {
    if (this.#held.size === 0 || this.#isStopped) return;
    const rootsOf = ({ head, source }: Begun) => [...head.roots, ...(this.#held.get(source.source) ?? [])];
    const known = begun.map((one) => ({ ...one, isDue: false, head: { ...one.head, roots: rootsOf(one) } }));
    const isHolder = ({ source }: Begun) => this.#held.has(source.source);
    await this.#readFamilies(
      familiesOf(known).filter((family) => family.length > 1 && family.some(isHolder)),
    );
  }

  /** Origins before what continues them, and sessions before their helpers. */
  async #readFamilies(families: readonly (readonly Begun[])[]): Promise<void> {
    for (const family of families) {
      const line = await this.#lineOf(family);
      for (const one of line)
        if (one.isDue)
          await this.#attempt(one.source, async () =>
            planNew(this.#context, one, { bases: this.#bases, isBusy: this.#busy.has(one.source) }),
          );
      for (const one of line) await linkSession(this.#context, one);
      for (const one of line) await noteAwaited(this.#context, one);
    }
  }

  /** A history that was read before. */
  async #recall(source: Source, cursor: Cursor | undefined): Promise<Begun | undefined> {
    const kept = cursor && (await this.#context.store.findCursor(cursor.sessionId, cursor.source));
    const nativeId = source.place.nativeId;
    if (!kept || nativeId === null) return undefined;
    const state = readState(kept.memory);
    const { roots, forkedFrom, parent } = state;
    const facts = keptFacts(state);
    if (roots.length > 0 || forkedFrom !== null || parent !== null)
      return { source, nativeId, parent, head: { facts, roots, isEmpty: false }, isDue: false };
    // Read by who followed it, and not by an import.
    return this.#begin(source, false);
  }

  /** The beginning of a history; undefined where it is none, or nobody wants it. */
  async #begin(source: Source, isDue = true): Promise<Begun | undefined> {
    try {
      const one = await beginSource(source, { isNoteRead: isDue });
      if (one === undefined && isDue) this.#leftAlone.add(source);
      return one && { ...one, isDue: isDue && (await this.#isWanted(one)) };
    } catch (error) {
      if (isDue) this.#tally.addFailure(source.path, error);
      return undefined;
    }
  }

  async #isWanted({ source, nativeId, parent }: Omit<Begun, "isDue">): Promise<boolean> {
    const { type: agentType } = source.agent;
    const row = await findByNativeId(this.#context, agentType, nativeId);
    const isUnwanted = row ? isCarried(row) : await this.#context.store.isTombstone({ agentType, nativeId });
    if (isUnwanted) this.#leave(source);
    const isWanted = !isUnwanted && !(await this.#leftAlone.isFollowed(source, nativeId, parent));
    if (isWanted) this.#progress.expect(source.sizeBytes);
    return isWanted;
  }

  #leave(source: Source): void {
    this.#tally.skip(source.source);
    this.#leftAlone.add(source);
  }

  /** The members with their lineage, origins first. One that was read with another lineage is read again. */
  async #lineOf(family: readonly Begun[]): Promise<Placed[]> {
    const { order, lineages, awaited } = await lineageOf(family);
    const placedIn = (one: Begun) =>
      placed(one, lineages.get(one.source.source), awaited.get(one.source.source));
    if (order.every((one) => one.isDue)) return order.map(placedIn);
    const isRepeated = await isOutdated(this.#context, order, lineages);
    const line: Placed[] = [];
    for (const one of order) {
      const again = one.isDue || !isRepeated ? one : await this.#again(one);
      line.push(placedIn(again));
    }
    return line;
  }

  /** The same history to be read from its beginning, where it was imported. */
  async #again(one: Begun): Promise<Begun> {
    const row = await findByNativeId(this.#context, one.source.agent.type, one.nativeId);
    const isTakenOut = row === undefined && this.#takenOut.has(one.nativeId);
    if (!isTakenOut && (row?.origin !== "imported" || isCarried(row))) return one;
    const again = this.#leftAlone.has(one.source) ? undefined : await this.#begin(one.source);
    if (again && row) await this.#takeOut(row);
    return again ?? one;
  }

  async #rowOf(cursor: Cursor | undefined): Promise<SessionRow | undefined> {
    return cursor && this.#context.store.findRow(cursor.sessionId);
  }

  /** Undefined where it cannot be read now, which is counted, and stops no other. */
  #isGrown(source: Source, cursor: Cursor): boolean | undefined {
    try {
      return isGrown(source, cursor);
    } catch (error) {
      this.#tally.addFailure(source.path, error);
      return undefined;
    }
  }

  /** Leaves nothing, for all of it is read again. */
  async #takeOut(row: SessionRow): Promise<void> {
    this.#tally.takenOut(row.id);
    for (const name of [row.id, row.nativeId]) if (name !== null) this.#takenOut.add(name);
    await this.#context.store.remove(
      [row.id],
      nowOf(this.#context),
      ({ origin }) => origin === "imported",
      "nothing",
    );
  }

  /** A history that cannot be read stops no other. */
  async #attempt(source: Source, plan: () => Promise<SourcePlan>): Promise<void> {
    if (this.#isStopped) return;
    try {
      using opened = source.reader.open(source.path);
      if (opened) await this.#importOne(await plan(), opened).catch(this.#onceMore(source, opened));
    } catch (error) {
      if (error instanceof RollcallError && error.code !== "seq_conflict") throw error;
      this.#tally.addFailure(source.path, error);
    }
  }

  /** The daemon may just begin to follow the same history: then it is read on from where the daemon was. */
  #onceMore(source: Source, opened: Parameters<SourceImport["run"]>[0]) {
    return async (error: unknown): Promise<void> => {
      const isRead = error instanceof RollcallError && error.code === "seq_conflict";
      const cursor = (await this.#context.store.cursors()).find((one) => one.source === source.source);
      const row = isRead ? await this.#rowOf(cursor) : undefined;
      if (!row) throw error;
      if (isCarried(row)) return this.#leave(source);
      await this.#importOne(await planGrown(this.#context, source, row, this.#busy.has(source)), opened);
    };
  }

  async #importOne(plan: SourcePlan, opened: Parameters<SourceImport["run"]>[0]): Promise<void> {
    this.#price ??= await loadPrices(this.#context);
    const { signal, tell } = this.#options;
    const { source } = plan.source;
    const tally = this.#tally.begin(source);
    const own = new Set(plan.state.roots.slice(0, 1));
    const passed = (key: string) => {
      if (own.size === 0) own.add(key);
      else if (this.#beginnings.has(key) && !own.has(key))
        this.#held.set(source, [...(this.#held.get(source) ?? []), key]);
    };
    const outgrown = () => this.#outgrown.add(source);
    const committed = (bytes: number) => {
      this.#progress.add(bytes);
      tell?.(this.#progress.at(this.#tally.sessions));
    };
    const isFresh = this.#leftAlone.isFresh(plan.source);
    const [context, price, size] = [this.#context, this.#price, this.#size];
    const ports = { context, price, tally, signal, size, passed, outgrown, isFresh, committed };
    if (await new SourceImport(ports, plan).run(opened)) this.#tally.addSession(plan.sessionId, plan);
  }
}
