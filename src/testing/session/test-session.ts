import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Deed, Target } from "../../agents/deed.ts";
import { Intake } from "../../daemon/intake/intake.ts";
import { KeptMemory } from "../../daemon/intake/kept-memory.ts";
import { ActivityWatch } from "../../daemon/session/activity-watch.ts";
import type { Carrying } from "../../daemon/session/carrying.ts";
import type { AskedBy, Committed } from "../../daemon/session/committed.ts";
import type { DeliveryPort, ScreenPort, SourcesPort, TranscriptPort } from "../../daemon/session/ports.ts";
import { type Act, SessionLoop } from "../../daemon/session/session-loop.ts";
import type { EventBody } from "../../domain/session/event.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { firstTurn } from "../../domain/supervise/decide-turn.ts";
import type { Observation } from "../../domain/supervise/observation.ts";
import type { Entry } from "../../domain/transcript/entry.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import { type Context, nowOf, stamp } from "../../record/context.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { created } from "../events.ts";
import { tempWorld, type World } from "../temp-rollcall.ts";
import { factsOf, type GivenFacts, holderOf, KeptConnection, keptLog } from "./ports.ts";
import { Recorder } from "./recorder.ts";

/** A real store with one session in it, of which daemons come and go. */
export interface SessionPlace extends AsyncDisposable {
  readonly rollcall: Rollcall;
  readonly context: Context;
  readonly folder: string;
  /** One daemon that carries the session; the next one finds what it left. */
  daemon(given?: Omit<GivenFacts, "folder">): TestSession;
}

export async function sessionPlace(given: Omit<GivenFacts, "folder"> = {}): Promise<SessionPlace> {
  const world: World = tempWorld();
  const rollcall = await world.open({ now: () => Date.now() });
  const { context } = rollcall;
  const folder = join(world.home, "launch");
  mkdirSync(folder);
  const { id, carrying } = factsOf(given);
  const evidence = { source: "operator", rule: "start", excerpt: null } as const;
  const body = created({ origin: "started", state: "starting", evidence, launch: carrying.launch });
  const bodies = [body, ...firstTurn(carrying.launch, { turn: null, generation: 1 })];
  await context.store.change(id, () => bodies.map((each) => stamp(context, each)));
  return {
    rollcall,
    context,
    folder,
    daemon: (more = {}) => new TestSession(context, { ...given, ...more, folder }),
    [Symbol.asyncDispose]: async () => {
      await rollcall.close();
      world[Symbol.dispose]();
    },
  };
}

/**
 * The real loop, intake and memory of a carried session over a real store. All that lies outside (the agent, its
 * holder, what is done to it) is kept to be looked at.
 */
export class TestSession {
  readonly id: string;
  readonly folder: string;
  readonly carrying: Carrying;
  readonly context: Context;
  readonly log = keptLog().log;
  readonly observed = new Recorder<Observation>();
  readonly acts = new Recorder<Act>();
  readonly delivered = new Recorder<Deed>();
  readonly committed = new Recorder<SessionRow>();
  /** Follows the row after each commit, as the parts of a daemon's session do. */
  follow: (row: SessionRow) => void = () => {};
  /** Does what was decided, beside keeping it. */
  act: (action: Act) => void = () => {};
  /** Calls of the intake to the other parts. */
  readonly asked = new Recorder<string>();
  readonly connection = new KeptConnection();
  readonly holder = holderOf({ connection: this.connection, status: {} }).holder;
  readonly memory: KeptMemory;
  readonly activity = new ActivityWatch(
    () => this.now(),
    () => {},
  );
  readonly intake: Intake;
  readonly #loop: SessionLoop;
  sources: SourcesPort["sources"] = {
    catchUp: async () => this.asked.add("catch up"),
    readRest: async () => this.asked.add("read rest"),
  };
  transcript: TranscriptPort["transcript"] = {
    path: null,
    follow: (path) => this.asked.add(`follow ${path}`),
    readTurn: async () => {
      this.asked.add("read turn");
      return true;
    },
  };
  transcriptFinder = { begin: () => this.asked.add("find transcript") };
  subagents = {
    lookSoon: () => this.asked.add("look for sub-agents"),
    finish: (nativeIds: readonly string[]) => this.asked.add(`finish ${nativeIds.join(" ")}`),
  };
  screen: ScreenPort["screen"] = { now: async () => undefined, changed: () => {} };
  /** Every request keeps the price that it came with. */
  pricing = { now: async () => (request: UsageEntry) => request };
  delivery: DeliveryPort["delivery"] = {
    untilReadyMs: async () => 0,
    deliver: async (deed) => this.delivered.add(deed),
    implied: async () => {},
  };

  constructor(context: Context, given: GivenFacts & { readonly folder: string }) {
    const { id, folder, carrying } = factsOf(given);
    this.id = id;
    this.folder = folder;
    this.carrying = carrying;
    this.context = context;
    this.memory = new KeptMemory(folder);
    this.intake = new Intake(this);
    const stamper = () => (body: EventBody, at?: string) => stamp(context, body, at);
    this.#loop = new SessionLoop(
      {
        change: async (decide) => context.store.change(id, decide),
        now: () => nowOf(context),
        stamper,
        committed: (row) => this.#committed(row),
        act: (action) => {
          this.acts.add(action);
          this.act(action);
        },
      },
      carrying.generation,
    );
  }

  get target(): Target {
    return { nativeId: null, memory: this.memory.all };
  }

  now(): number {
    return this.context.now();
  }

  async observe(observation: Observation, asked?: AskedBy): Promise<Committed> {
    this.observed.add(observation);
    return this.#loop.observe(observation, asked);
  }

  async append(bodies: readonly EventBody[]): Promise<Committed> {
    const { row, events } = await this.context.store.change(this.id, () =>
      bodies.map((body) => stamp(this.context, body)),
    );
    return { row, events, seq: row.seq };
  }

  async row(): Promise<SessionRow | undefined> {
    return this.context.store.findRow(this.id);
  }

  look(afterMs: number): void {
    this.asked.add(`look ${afterMs}`);
  }

  async learned(row: SessionRow): Promise<void> {
    this.#committed(row);
  }

  #committed(row: SessionRow): void {
    this.committed.add(row);
    this.follow(row);
  }

  redact<T>(value: T): T {
    return this.carrying.redactor.value(value);
  }

  /** The transcript in the record, each entry as its role and text. */
  async said(): Promise<string[]> {
    const entries: Entry[] = await this.context.store.entries(this.id);
    return entries.map(({ role, text }) => `${role}: ${text}`);
  }

  /** The signals that were decided on, in order. */
  get signals(): string[] {
    return this.observed.all.flatMap((each) =>
      each.saw === "signal" ? [`${each.signal.says} ${each.signal.rule}`] : [],
    );
  }
}
