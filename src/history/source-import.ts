import { basename } from "node:path";
import type { RecordTrace } from "../agents/history.ts";
import type { Parsed, TurnOver } from "../agents/parsed.ts";
import type { JsonObject } from "../domain/json.ts";
import type { FileIdentity } from "../domain/read-cursor.ts";
import type { Instant } from "../domain/time.ts";
import type { UnknownRecord } from "../domain/transcript/unknown-record.ts";
import { isSuperseded, type PriceRequest, type UsageEntry } from "../domain/usage.ts";
import type { Context } from "../record/context.ts";
import type { BatchSize } from "./batch-size.ts";
import { type Batch, commitBatch } from "./commit-batch.ts";
import type { TurnEvent } from "./decide-parsed.ts";
import type { ImportState } from "./import-state.ts";
import { lineKey } from "./line-key.ts";
import { namesOf } from "./lineage/awaited.ts";
import type { SourcePlan } from "./plan.ts";
import type { OpenSource, StoredRecord } from "./readers/reader.ts";
import type { SourceTally } from "./report.ts";
import { TranscriptTurns } from "./transcript-turns.ts";
import { VisibleTurns } from "./visible-turns.ts";

/** Conversations that are rewound to their beginning more often are found by their first beginnings. */
const MOST_ROOTS = 100;

interface Ports {
  readonly context: Context;
  readonly price: PriceRequest;
  readonly tally: SourceTally;
  readonly signal?: Pick<AbortSignal, "aborted"> | undefined;
  /** It changed a moment ago, and may still be written though nobody has it open. */
  readonly isFresh: boolean;
  /** Learns from one history to the next how much fits into a write. */
  readonly size: BatchSize;
  /** Is told of each record that could be copied, by its key. */
  readonly passed: (key: string) => void;
  /** Is told when a record is read that a relative has for its own. */
  readonly outgrown: () => void;
  /** Is told after each commit how many bytes of the history went into it. */
  readonly committed: (bytes: number) => void;
}

/** Reads one history from where an earlier import stopped, and commits what it says with how far it was read. */
export class SourceImport {
  readonly #ports: Ports;
  readonly #plan: SourcePlan;
  readonly #key: string;
  readonly #turns: TranscriptTurns;
  readonly #visible = new VisibleTurns();
  #state: ImportState;
  #offset: number;
  #batch: Batch;
  /** Requests of the batch before: the blocks of one answer may be spread over both. */
  #told: ReadonlyMap<string, unknown> = new Map();
  #seen: FileIdentity | undefined;

  constructor(ports: Ports, plan: SourcePlan) {
    this.#ports = ports;
    this.#plan = plan;
    this.#key = `${plan.sessionId}-${basename(plan.source.source)}`;
    this.#turns = new TranscriptTurns(this.#key);
    this.#turns.restore(plan.state, plan.knownTurns);
    this.#visible.restore(plan.state.visible);
    this.#state = plan.state;
    this.#offset = plan.from;
    this.#batch = this.#newBatch();
  }

  /** Whether anything was added. */
  async run(opened: OpenSource): Promise<boolean> {
    const { signal } = this.#ports;
    // Before it is read: what is added meanwhile must be seen as a change the next time.
    this.#seen = opened.identify(0);
    let isAdded = this.#plan.isNew;
    for await (const records of opened.records(this.#plan.from))
      for (const record of records) {
        this.#take(record);
        if (!this.#ports.size.isFull) continue;
        isAdded = (await this.#commit(opened, false)) || isAdded;
        if (signal?.aborted) return isAdded;
      }
    const hasRead = this.#offset !== this.#plan.from || this.#plan.isNew;
    if (!hasRead && !this.#isOver) return isAdded;
    // Without anything new its end may be: who read it before had not seen it at rest. And a last line that was read by
    // another without its cursor adds nothing when it is read again.
    return (await this.#commit(opened, true)) || isAdded;
  }

  #newBatch(): Batch {
    return { from: this.#offset, pieces: [], usage: new Map() };
  }

  #take(stored: StoredRecord): void {
    const { history } = this.#plan.source;
    const { tally } = this.#ports;
    this.#offset = stored.offset;
    this.#ports.size.add({ bytes: stored.bytes });
    tally.add("records");
    tally.add("bytes", stored.bytes);
    const isNoise = stored.type !== undefined && history.isNoiseType(stored.type);
    const record = isNoise ? undefined : stored.read();
    if (isNoise) tally.addType("noise", stored.type as string);
    else if (record === undefined) tally.add("broken");
    else this.#takeRecord(record, stored.offset);
  }

  #takeRecord(record: JsonObject, offset: number): void {
    const { history } = this.#plan.source;
    const { is, type } = history.sort(record);
    if (is !== "known") this.#ports.tally.addType(is, type);
    // Records of other types may be a part of the lineage, and tell when something was written.
    if (is === "noise" && history.isNoiseType(type)) return;
    const { copiedTo, isOwnCopy } = this.#state;
    const trace = history.trace(record);
    this.#passKey(trace, offset);
    this.#passAwaited(trace);
    const { memory } = this.#state;
    const parsed = this.#plan.isSubagent
      ? history.parseSubagent(record, memory)
      : history.parse(record, memory);
    this.#remember(parsed.memory, parsed.at);
    const unknown = is === "unknown" ? { type, record } : undefined;
    if (offset > copiedTo) this.#add(parsed, offset, unknown);
    else if (offset === copiedTo && !isOwnCopy) this.#remember(history.afterCopies);
  }

  #passKey({ key, isWeak, isRoot, answer }: RecordTrace, offset: number): void {
    if (key === undefined) return;
    if (isWeak !== true) this.#ports.passed(key);
    const { roots, copiedTo, isCopy } = this.#state;
    const mayRepeat = this.#plan.isSubagent && this.#plan.source.history.hasAsides && answer === undefined;
    if (isCopy && offset > copiedTo && !mayRepeat) this.#state = { ...this.#state, isCopy: false };
    const isNew = isRoot === true && roots.length < MOST_ROOTS && !roots.includes(key);
    if (isNew) this.#state = { ...this.#state, roots: [...roots, key] };
  }

  #passAwaited(trace: RecordTrace): void {
    const { awaited } = this.#plan.state;
    if (awaited.length === 0 || !namesOf(trace).some((name) => awaited.includes(name))) return;
    this.#state = { ...this.#state, isOutgrown: true };
    this.#ports.outgrown();
  }

  #remember(memory: Parsed["memory"], at?: Instant): void {
    this.#state = {
      ...this.#state,
      ...(memory === undefined ? {} : { memory: { ...this.#state.memory, ...memory } as JsonObject }),
      ...(at === undefined ? {} : { lastAt: at }),
    };
  }

  #add(parsed: Parsed, offset: number, unknown: UnknownRecord | undefined): void {
    // Words of a sub-agent between the lines of its session are in a history of their own.
    const own: Parsed = parsed.child === undefined ? parsed : { at: parsed.at ?? this.#plan.createdAt };
    const { at, entries = [], usage = [], totals, identity, turn, rewinds = 0 } = own;
    const rewoundSince = this.#visible.rewind(rewinds);
    const line = lineKey(offset, at);
    if (parsed.child === undefined)
      this.#visible.pass(this.#key, line, {
        begins: turn?.isBegun === true,
        speaks: entries.length > 0,
      });
    const marks = turn === undefined ? [] : this.#turns.mark(turn);
    // A sub-agent's totals go on from its parent's.
    const said = this.#plan.isSubagent ? undefined : totals;
    const names = { model: identity?.model, agentVersion: identity?.agentVersion };
    for (const request of usage) this.#addRequest(request);
    this.#noteTurns(marks);
    const known = Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined));
    const hasIdentity = Object.keys(known).length > 0;
    const isEmpty = [said, unknown, rewoundSince].every((one) => one === undefined) && !hasIdentity;
    if (isEmpty && entries.length + marks.length === 0) return;
    this.#batch.pieces.push({
      at: at ?? this.#state.lastAt ?? this.#plan.createdAt,
      key: `${this.#key}-${line}`,
      entries,
      ...(rewoundSince === undefined ? {} : { rewoundSince }),
      ...(hasIdentity ? { identity: known } : {}),
      ...(said === undefined ? {} : { totals: said }),
      ...(unknown === undefined ? {} : { unknown }),
      turns: turn?.isBegun ? { before: marks, after: [] } : { before: [], after: marks },
    });
    this.#ports.size.add({ events: entries.length + marks.length });
  }

  /** While an answer is streamed, its request is told with each block. */
  #addRequest(request: UsageEntry): void {
    const { requestKey } = request;
    const earlier = this.#batch.usage.get(requestKey);
    if (earlier === undefined && !this.#told.has(requestKey)) this.#ports.tally.add("requests");
    if (earlier === undefined || !isSuperseded(request, earlier))
      this.#batch.usage.set(requestKey, this.#ports.price(request));
  }

  #noteTurns(marks: readonly TurnEvent[]): void {
    for (const { body } of marks) {
      const event = body(1);
      const outcome = event.kind === "turn_ended" ? event.outcome : null;
      this.#state = { ...this.#state, outcome };
    }
    this.#state = { ...this.#state, ...this.#turns.count };
  }

  /** Whether that added anything. */
  async #commit(opened: OpenSource, isEnd: boolean): Promise<boolean> {
    const { context, tally, committed } = this.#ports;
    const { from } = this.#batch;
    const isOver = isEnd && this.#isOver;
    const rest = isOver ? this.#turnAtRest() : undefined;
    const done = await commitBatch(context, this.#plan, {
      ...this.#batch,
      to: this.#offset,
      file: this.#fileAt(opened, isOver),
      state: { ...this.#state, visible: this.#visible.kept },
      ...(rest === undefined ? {} : { rest }),
      isAtWork: isEnd && !isOver && this.#ports.isFresh && this.#turns.count.isOpen,
    });
    tally.add("entries", done.entries);
    this.#told = this.#batch.usage;
    this.#batch = this.#newBatch();
    this.#ports.size.written(done.ms);
    committed(this.#offset - from);
    return done.events > 0;
  }

  /** Nobody works on it any more, as far as its end tells. */
  get #isOver(): boolean {
    if (this.#plan.isBusy) return false;
    return !this.#ports.isFresh || !this.#turns.count.isOpen || this.#lastWord() !== undefined;
  }

  #lastWord(): TurnOver | undefined {
    return this.#plan.source.history.turnAtRest?.(this.#state.memory);
  }

  /** Without its time while it is not read to its end, not at rest there, or to be read again: it must not pass for unchanged. */
  #fileAt(opened: OpenSource, isOver: boolean): FileIdentity {
    const file = opened.identify(this.#offset);
    const { sizeBytes, mtimeMs } = this.#seen ?? file;
    return { ...file, sizeBytes, mtimeMs: isOver && !this.#state.isOutgrown ? mtimeMs : 0 };
  }

  /** Nobody works on it any more: the open turn is over, and how it went is what the last words say. */
  #turnAtRest(): NonNullable<Parameters<typeof commitBatch>[2]["rest"]> {
    const over = this.#lastWord() ?? { result: null, why: null };
    // Another id than that of the end in the file, should one come: it may say more.
    const ends = this.#turns.end(over).map(({ id, body }) => ({ id: `${id}-at-rest`, body }));
    const last = ends.at(-1)?.body(1);
    return { ends, outcome: last?.kind === "turn_ended" ? last.outcome : this.#state.outcome };
  }
}
