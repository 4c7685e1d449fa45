import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Agent, Notes, Seen } from "../../agents/agent.ts";
import { decideOutside, type OutsideSighting } from "../../domain/decide-outside.ts";
import type { EventBody } from "../../domain/event.ts";
import type { ProcessIdentity } from "../../domain/session.ts";
import type { Signal } from "../../domain/signal.ts";
import { nowOf, stamp } from "../../record/context.ts";
import { isProcessAlive } from "../../record/process.ts";
import { FileTail } from "../file-tail.ts";
import type { Services } from "../services.ts";

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
  readonly #services: Services;
  #notes: Notes;
  #tail: FileTail | undefined;
  #process: ProcessIdentity | null;
  #lastGrownMs = performance.now();
  #isCaughtUp = false;
  #lastSignal: Signal | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(services: Services, { id, agent, nativeId, process }: Found) {
    this.#services = services;
    this.#agent = agent;
    this.#notes = agent.outside?.notes ?? {};
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
    this.#tail = new FileTail(path, {
      line: async ({ text, offset }) => {
        const seen = this.#agent.observe.transcript?.(text, this.#notes) ?? {};
        await this.#takeLine(seen, `${this.id}-${basename(path)}-transcript-${offset}`);
      },
      caughtUp: async () => this.#catchUp(),
      failed: (error) =>
        this.#services.log.warn({ session: this.id, err: error }, "could not read its transcript"),
    });
    this.#tail.begin();
  }

  async take(parse: (notes: Notes) => Seen, key?: string): Promise<void> {
    const { notes, usage, identity, entries, signal } = parse(this.#notes);
    this.#lastGrownMs = performance.now();
    if (notes) this.#notes = { ...this.#notes, ...notes };
    if (identity) await this.#identify(identity);
    if (usage && usage.length > 0) await this.#services.rollcall.recordUsage(this.id, usage);
    if (entries && entries.length > 0) await this.#addEntries(entries, key);
    if (signal) await this.#sight({ saw: "signal", signal, trust: this.#trust });
  }

  async gone(): Promise<void> {
    await this.#tail?.readRest();
    await this.#sight({ saw: "gone", isTold: this.liveFile !== null && !existsSync(this.liveFile) });
    this.stop();
  }

  /** What it says in a terminal nobody hears but that terminal. */
  get #trust(): readonly Signal["source"][] {
    return this.#agent.trust("interactive").filter((source) => source !== "terminal" && source !== "screen");
  }

  /** What is in the file when it is first looked at was said before: only its last word counts. */
  async #takeLine({ signal, ...rest }: Seen, key: string): Promise<void> {
    this.#lastSignal = signal ?? this.#lastSignal;
    const isNew = this.#isCaughtUp && signal !== undefined;
    await this.take(() => (isNew ? { ...rest, signal } : rest), key);
  }

  async #catchUp(): Promise<void> {
    this.#isCaughtUp = true;
    const signal = this.#lastSignal;
    if (signal) await this.take(() => ({ signal }));
  }

  async #sight(sighting: OutsideSighting): Promise<void> {
    const at = nowOf(this.#services.context);
    await this.#append((row) => decideOutside(row, sighting, at));
  }

  async #identify(identity: NonNullable<Seen["identity"]>): Promise<void> {
    const names = Object.keys(identity) as (keyof typeof identity)[];
    await this.#append((row) =>
      names.some((name) => row[name] !== identity[name]) ? [{ kind: "identified", identity }] : [],
    );
  }

  async #addEntries(entries: NonNullable<Seen["entries"]>, key: string | undefined): Promise<void> {
    const { context } = this.#services;
    const events = entries.map((entry, index) => {
      const event = stamp(context, { kind: "entry_added", entry });
      return key === undefined ? event : { ...event, id: `${key}-${index}` };
    });
    await context.store.change(this.id, (row) => (row ? events : []));
  }

  /** One after the other; a record that was deleted stays deleted. */
  async #append(decide: (row: Parameters<typeof decideOutside>[0]) => readonly EventBody[]): Promise<void> {
    const { context } = this.#services;
    const done = this.#queue.then(async () =>
      context.store.change(this.id, (row) =>
        row ? decide(row).map((body) => ({ ...stamp(context, body), channel: null })) : [],
      ),
    );
    this.#queue = done.catch(() => {});
    await done;
  }
}
