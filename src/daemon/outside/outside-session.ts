import { existsSync } from "node:fs";
import type { Agent, Outside } from "../../agents/agent.ts";
import type { Memory, Parsed } from "../../agents/parsed.ts";
import type { EventBody } from "../../domain/session/event.ts";
import type { ProcessIdentity } from "../../domain/session/session.ts";
import { decideOutside, type OutsideObservation } from "../../domain/supervise/decide-outside.ts";
import { decideParsed, type ParsedPiece, type TurnEvent } from "../../history/decide-parsed.ts";
import { isProcessAlive } from "../../machine/process.ts";
import { SerialQueue } from "../../machine/serial-queue.ts";
import { nowOf, stamp } from "../../record/context.ts";
import type { Services } from "../services.ts";
import { ActivityNote } from "../subagents/activity-note.ts";
import { SubagentWatch } from "../subagents/subagent-watch.ts";
import { type LinePlace, OutsideTranscript } from "./outside-transcript.ts";

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
  readonly #agent: Agent;
  readonly #facts: Outside | undefined;
  readonly #services: Services;
  /** The memory of the parsers of its hooks and live file; that of its transcript belongs to the file. */
  #memory: Memory;
  #transcript: OutsideTranscript | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;
  #process: ProcessIdentity | null;
  #lastGrownMs = performance.now();
  #isStopped = false;
  readonly #queue = new SerialQueue();
  readonly #activity: ActivityNote;
  readonly #subagents: SubagentWatch;

  constructor(services: Services, { id, agent, nativeId, process }: Found) {
    this.#services = services;
    this.#activity = new ActivityNote(services, id);
    const { context, pricing, observations, log } = services;
    const places = agent.outside?.rows && agent.outside.places(context.env);
    this.#subagents = new SubagentWatch(
      {
        id,
        context,
        pricing,
        observations,
        log,
        redact: context.redact,
        transcript: pathIn(() => this.transcript),
        target: { nativeId },
        carrying: { agentPaths: { databases: places?.transcripts ?? null } },
      },
      agent,
    );
    this.#agent = agent;
    this.#facts = agent.outside;
    this.#memory = { ...agent.outside?.memory } as Memory;
    this.id = id;
    this.nativeId = nativeId;
    this.#process = process;
  }

  get transcript(): string | undefined {
    return this.#transcript?.path;
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
    this.#isStopped = true;
    this.#transcript?.stop();
    clearTimeout(this.#silenceTimer);
    this.#activity.stop();
    this.#subagents.stop();
  }

  /** Its process, once it is known: written down, so that nobody takes the record for a stale one. */
  async runs(process: ProcessIdentity): Promise<void> {
    const isKnown = this.#process?.pid === process.pid && this.#process.startTime === process.startTime;
    this.#process = process;
    if (isKnown) return;
    await this.#append((row) => [{ kind: "launched", process, generation: row.generation }]);
  }

  /** It writes this file from now on; what it wrote to the one before is read to its end. */
  follow(path: string): void {
    this.#lastGrownMs = performance.now();
    const before = this.#transcript;
    if (before?.path === path || this.#isStopped) return;
    void before?.catchUp().then(() => before.stop());
    this.#transcript = new OutsideTranscript(path, {
      id: this.id,
      agent: this.#agent,
      services: this.#services,
      take: async (parsed, place) => this.#take(parsed, place),
    });
    this.#transcript.begin();
    this.#subagents.begin();
  }

  /** The file or database that it is kept in has changed: there may be more of it. */
  async lookOn(): Promise<void> {
    await this.#transcript?.catchUp();
    await this.#subagents.catchUp();
  }

  /** A hook of it, or its live file. */
  async take(parse: (memory: Memory) => Parsed): Promise<void> {
    const parsed = parse(this.#memory);
    if (parsed.memory) this.#memory = { ...this.#memory, ...parsed.memory } as Memory;
    await this.#take(parsed, {});
  }

  async #take(parsed: Parsed, place: LinePlace): Promise<void> {
    const { at, entries, signal, doneChildren } = parsed;
    this.#lastGrownMs = performance.now();
    if (parsed.child !== undefined) return this.#subagents.lookSoon();
    await this.#write(parsed, place);
    if (doneChildren) this.#subagents.finish(doneChildren);
    if (entries) this.#activity.addEntries(this.#services.context.redact(entries), at);
    if (!signal) return;
    await this.#observeState({ saw: "signal", signal, trust: this.#facts?.trust ?? [] });
    if (signal.says === "ready" && signal.source !== "transcript") this.#endTurnSoon();
  }

  async gone(): Promise<void> {
    await this.#endTurnAtRest();
    await this.#subagents.catchUp();
    await this.#observeState({ saw: "gone", isTold: this.liveFile !== null && !existsSync(this.liveFile) });
    this.stop();
  }

  async #observeState(observation: OutsideObservation): Promise<void> {
    const at = nowOf(this.#services.context);
    await this.#append((row) => decideOutside(row, observation, at));
  }

  /** The words of a turn lie between its beginning and its end. */
  async #write(parsed: Parsed, place: LinePlace): Promise<void> {
    const { at, identity, totals, unknown, entries = [], usage = [], turn } = parsed;
    const { turns, ...piecePlace } = place;
    const marks = (turn && turns?.mark(turn)) ?? [];
    const isEmpty = [identity, totals, unknown, place.rewoundSince].every((one) => one === undefined);
    if (isEmpty && entries.length + usage.length + marks.length === 0) return;
    const { context, pricing } = this.#services;
    const piece: ParsedPiece = {
      ...{ at, identity, entries, usage, totals, unknown },
      price: usage.length === 0 ? undefined : await pricing.now(),
      now: nowOf(context),
      stamp: (body, at) => ({ ...stamp(context, body, at), channel: null }),
      ...piecePlace,
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
    await this.#transcript?.catchUp();
    await this.#appendTurn(this.#transcript?.turnAtRest() ?? []);
  }

  async #endTurnInSilence(): Promise<void> {
    if (this.silentMs >= SILENCE_MS) await this.#observeState({ saw: "silence" });
  }

  async #logged(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      this.#services.log.warn({ session: this.id, err: error }, "could not record the end of a turn"),
    );
  }

  async #appendTurn(events: readonly TurnEvent[]): Promise<void> {
    const { context } = this.#services;
    if (events.length === 0) return;
    await context.store.change(this.id, (row) =>
      row ? events.map(({ id, body }) => ({ ...stamp(context, body(row.generation)), id })) : [],
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

function pathIn(path: () => string | undefined): { readonly path: string | null } {
  return {
    get path() {
      return path() ?? null;
    },
  };
}
