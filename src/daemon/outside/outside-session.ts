import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Agent, Outside } from "../../agents/agent.ts";
import type { Memory, Parsed, TurnMark } from "../../agents/parsed.ts";
import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import type { ReadCursor } from "../../domain/read-cursor.ts";
import type { EventBody } from "../../domain/session/event.ts";
import type { ProcessIdentity } from "../../domain/session/session.ts";
import { decideOutside, type OutsideObservation } from "../../domain/supervise/decide-outside.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import { isProcessAlive } from "../../machine/process.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { nowOf, stamp } from "../../record/context.ts";
import { decideParsed, type ParsedPiece, type Recordable, type TurnEvent } from "../intake/decide-parsed.ts";
import type { Services } from "../services.ts";
import { ActivityWatch } from "../session/activity-watch.ts";
import { FileTail } from "../sources/file-tail.ts";
import { TranscriptCursor } from "../sources/transcript-cursor.ts";
import { TranscriptTurns } from "./transcript-turns.ts";

/** A transcript may say that a turn is over a moment after the session shows itself at its prompt. */
const SILENCE_MS = 5000;

interface Found {
  readonly id: string;
  readonly agent: Agent;
  readonly nativeId: string;
  readonly process: ProcessIdentity | null;
}

/** A session that someone started without Rollcall: what it shows goes into its record, and nothing is done to it. */
export class OutsideSession {
  readonly nativeId: string;
  readonly id: string;
  /** Its own file of its state, which it takes away when it leaves in order. */
  liveFile: string | null = null;
  readonly #facts: Outside | undefined;
  readonly #services: Services;
  #memory: Memory;
  #tail: FileTail | undefined;
  #turns: TranscriptTurns | undefined;
  #cursor: TranscriptCursor | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;
  #process: ProcessIdentity | null;
  #lastGrownMs = performance.now();
  #isCaughtUp = false;
  #lastSignal: Signal | undefined;
  readonly #queue = new SerialQueue();
  readonly #activity: ActivityWatch;
  #observeTimer: NodeJS.Timeout | undefined;

  constructor(services: Services, { id, agent, nativeId, process }: Found) {
    this.#services = services;
    this.#activity = new ActivityWatch(services.context.now, () => this.#observeSoon());
    this.#facts = agent.outside;
    this.#memory = { ...agent.outside?.memory } as Memory;
    this.id = id;
    this.nativeId = nativeId;
    this.#process = process;
  }

  get transcript(): string | undefined {
    return this.#tail?.path;
  }

  get process(): ProcessIdentity | null {
    return this.#process;
  }

  /** How long nothing came from it, where no process of it is known. */
  get silentMs(): number {
    return performance.now() - this.#lastGrownMs;
  }

  get isProcessGone(): boolean {
    return this.#process !== null && !isProcessAlive(this.#process);
  }

  stop(): void {
    this.#tail?.stop();
    clearTimeout(this.#silenceTimer);
    if (this.#observeTimer) void this.#observe();
  }

  /** Its process, once it is known: written down, so that nobody takes the record for a stale one. */
  async runs(process: ProcessIdentity): Promise<void> {
    const isKnown = this.#process?.pid === process.pid && this.#process.startTime === process.startTime;
    this.#process = process;
    if (isKnown) return;
    await this.#append((row) => [{ kind: "launched", process, generation: row.generation }]);
  }

  follow(path: string): void {
    this.#lastGrownMs = performance.now();
    if (this.#tail?.path === path) return;
    this.#tail?.stop();
    this.#isCaughtUp = false;
    const key = `${this.id}-${basename(path)}`;
    const turns = new TranscriptTurns(key);
    const cursor = new TranscriptCursor({ id: this.id, context: this.#services.context }, path);
    this.#turns = turns;
    this.#cursor = cursor;
    this.#tail = new FileTail(path, {
      from: async () => this.#restore(cursor, turns),
      line: async ({ text, offset }) => {
        const parsed = this.#facts?.sources.transcript?.parse(text, this.#memory) ?? {};
        const cursors = this.#isCaughtUp ? cursor.before(this.#remembered()) : [];
        await this.#takeLine(parsed, `${key}-transcript-${offset}`, cursors);
        cursor.passed(offset);
      },
      caughtUp: async () => this.#catchUp(),
      failed: (error) =>
        this.#services.log.warn({ session: this.id, err: error }, "could not read its transcript"),
    });
    this.#tail.begin();
  }

  async take(
    parse: (memory: Memory) => Parsed,
    key?: string,
    cursors: readonly ReadCursor[] = [],
  ): Promise<void> {
    const parsed = parse(this.#memory);
    const { at, memory, usage, identity, entries, signal } = parsed;
    this.#lastGrownMs = performance.now();
    if (memory) this.#memory = { ...this.#memory, ...memory } as Memory;
    if (parsed.child !== undefined) return;
    await this.#write({ at, identity, entries, usage }, parsed.turn, { key, cursors });
    if (entries && entries.length > 0) this.#activity.addEntries(this.#services.context.redact(entries), at);
    if (!signal) return;
    await this.#observeState({ saw: "signal", signal, trust: this.#facts?.trust ?? [] });
    if (signal.says === "ready" && signal.source !== "transcript") this.#endTurnSoon();
  }

  /** Goes on where an earlier daemon stopped, with what the parser and the count of turns remembered there. */
  async #restore(cursor: TranscriptCursor, turns: TranscriptTurns): Promise<number> {
    const { from, memory: kept } = await cursor.restore();
    if (!isJsonObject(kept)) return from;
    const { memory, number, isOpen } = kept;
    if (isJsonObject(memory)) this.#memory = { ...this.#memory, ...memory };
    if (typeof number === "number") turns.restore({ number, isOpen: isOpen === true });
    return from;
  }

  #remembered(): JsonObject {
    return { memory: this.#memory, ...this.#turns?.count };
  }

  async gone(): Promise<void> {
    await this.#endTurnAtRest();
    await this.#observeState({ saw: "gone", isTold: this.liveFile !== null && !existsSync(this.liveFile) });
    this.stop();
  }

  /** What is in the file when it is first looked at was said before: only its last word counts. */
  async #takeLine({ signal, ...rest }: Parsed, key: string, cursors: readonly ReadCursor[]): Promise<void> {
    this.#lastSignal = signal ?? this.#lastSignal;
    const isNew = this.#isCaughtUp && signal !== undefined;
    await this.take(() => (isNew ? { ...rest, signal } : rest), key, cursors);
  }

  async #catchUp(): Promise<void> {
    this.#isCaughtUp = true;
    const signal = this.#lastSignal;
    if (signal) await this.take(() => ({ signal }));
    await this.#cursor?.keep(this.#remembered());
  }

  async #observeState(observation: OutsideObservation): Promise<void> {
    const at = nowOf(this.#services.context);
    await this.#append((row) => decideOutside(row, observation, at));
  }

  /** The words of a turn lie between its beginning and its end. */
  async #write(
    parsed: Recordable,
    turn: TurnMark | undefined,
    place: Pick<ParsedPiece, "key" | "cursors">,
  ): Promise<void> {
    const { identity, entries = [], usage = [] } = parsed;
    const marks = (turn && this.#turns?.mark(turn)) ?? [];
    if (identity === undefined && entries.length + usage.length + marks.length === 0) return;
    const { context, pricing } = this.#services;
    const piece: ParsedPiece = {
      ...parsed,
      price: usage.length === 0 ? undefined : await pricing.now(),
      now: nowOf(context),
      stamp: (body, at) => ({ ...stamp(context, body, at), channel: null }),
      ...place,
      turns: turn?.isBegun ? { before: marks, after: [] } : { before: [], after: marks },
    };
    await context.store.change(this.id, (row) => (row ? decideParsed(row, piece) : []));
  }

  /** Its prompt is there. Where the transcript does not say soon that the open turn is over, nobody knows how it went. */
  #endTurnSoon(): void {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => void this.#logged(this.#endTurnInSilence()), SILENCE_MS).unref();
    void this.#logged(this.#endTurnAtRest());
  }

  async #endTurnAtRest(): Promise<void> {
    await this.#tail?.catchUp();
    await this.#appendTurn(this.#turnAtRest());
  }

  async #endTurnInSilence(): Promise<void> {
    if (this.silentMs >= SILENCE_MS) await this.#observeState({ saw: "silence" });
  }

  async #logged(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      this.#services.log.warn({ session: this.id, err: error }, "the end of its turn could not be kept"),
    );
  }

  #turnAtRest(): readonly TurnEvent[] {
    const over = this.#facts?.turnAtRest?.(this.#memory);
    return (over && this.#turns?.end(over)) ?? [];
  }

  async #appendTurn(events: readonly TurnEvent[]): Promise<void> {
    const { context } = this.#services;
    if (events.length === 0) return;
    await context.store.change(this.id, (row) =>
      row ? events.map(({ id, body }) => ({ ...stamp(context, body(row.generation)), id })) : [],
    );
  }

  #observeSoon(): void {
    this.#observeTimer ??= setTimeout(() => void this.#observe(), this.#services.observations.msToTick);
  }

  async #observe(): Promise<void> {
    clearTimeout(this.#observeTimer);
    this.#observeTimer = undefined;
    const { observations, log } = this.#services;
    const observed = observations.note(this.id, { activity: this.#activity.current });
    await observed.catch((error: unknown) =>
      log.warn({ session: this.id, err: error }, "what was observed was not noted"),
    );
  }

  /** One after the other; a record that was deleted stays deleted. */
  async #append(decide: (row: Parameters<typeof decideOutside>[0]) => readonly EventBody[]): Promise<void> {
    const { context } = this.#services;
    await this.#queue.run(async () =>
      context.store.change(this.id, (row) =>
        row ? decide(row).map((body) => ({ ...stamp(context, body), channel: null })) : [],
      ),
    );
  }
}
