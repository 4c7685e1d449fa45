import type { Launch as LaunchSpec } from "../../domain/session/carried.ts";
import type { EventBody, NewEvent, SessionEvent } from "../../domain/session/event.ts";
import { DEFAULT_IDENTITY, type ProcessIdentity, type SessionRow } from "../../domain/session/session.ts";
import type { Observation } from "../../domain/supervise/observation.ts";
import type { StampedObservation } from "../../domain/supervise/supervise.ts";
import { type Instant, toInstant } from "../../domain/time.ts";
import { FakeStore } from "./fake-store.ts";
import { Launch } from "./launch.ts";
import { type Proc, ProcessTable } from "./process-table.ts";
import { Random } from "./random.ts";
import type { Steps } from "./rim/steps.ts";
import type { Timers } from "./rim/timers.ts";
import type { Habits, Hook, Planted, Spec } from "./specs.ts";

/** A daemon, as the world and everybody in it see it. */
export interface Daemon {
  readonly steps: Steps;
  readonly timers: Timers;
  /** Something of it may go on before it waits for the world again. */
  readonly isStirred: boolean;
  /** Looks at everything that is there before anything else is heard. */
  comeBack(): void;
  /** One small step of one session; false where there is nothing to do now. */
  step(): boolean;
  /** Resolves when everything of it waits for the world. */
  rest(): Promise<void>;
  /** Someone asks, or a clock tells, of the session as it is now. */
  see(id: string, observation: Observation): void;
  /** An agent says something over its connection. */
  hearSignal(launch: Launch, observation: Extract<Observation, { saw: "signal" }>): void;
  takeHook(hook: Hook): void;
  start(spec: Spec): void;
  resume(id: string): Promise<void>;
}

/** Knows what is true, and what may be recorded of it. */
export interface Judge {
  readonly violations: readonly string[];
  fail(what: string): void;
  /** A signal of the daemon reached this process. */
  signalled(proc: Proc, marker: string): void;
  stored(before: SessionRow | null, event: SessionEvent, after: SessionRow): void;
  /** After an observation was decided and its events stored. */
  decided(before: SessionRow, stamped: StampedObservation, after: SessionRow): void;
  /** Holds at every moment. */
  checkNow(): void;
  /** Holds of each session that the daemon follows and has nothing left to do for. */
  checkIdle(daemon: Daemon): void;
  /** Holds when everything that was begun is done. */
  checkQuiet(): void;
}

/** The inhabitants of a world; they know it, and it knows them by their interfaces. */
export interface Makers {
  readonly daemon: (world: World) => Daemon;
  readonly oracle: (world: World) => Judge;
}

/** A machine with its clock, its processes and files, a store, and at most one daemon. */
export class World {
  readonly random: Random;
  readonly table: ProcessTable;
  readonly store = new FakeStore();
  readonly oracle: Judge;
  readonly planted: Planted;
  readonly habits: Habits;
  readonly specs = new Map<string, Spec>();
  readonly launches: Launch[] = [];
  /** Files that wait to be read; a daemon removes one when what it says is stored. */
  hooks: Hook[] = [];
  daemon: Daemon | null = null;
  nowMs = Date.UTC(2026, 0, 8);
  /** Someone sets the clock; timers do not notice. */
  wallOffsetMs = 0;
  readonly counts: Record<string, number> = {};
  readonly trace: string[] | null;
  readonly #makers: Makers;
  #markers = 0;
  #eventIds = 0;

  constructor(
    seed: number,
    makers: Makers,
    { planted = {}, isTraced = false }: { planted?: Planted; isTraced?: boolean },
  ) {
    this.#makers = makers;
    this.random = new Random(seed);
    this.table = new ProcessTable(this.random, () => this.nowMs);
    this.planted = planted;
    this.habits = {
      endsByFile: this.random.chance(0.5),
      agesByState: this.random.chance(0.5),
      tellsOnce: this.random.chance(0.5),
      looksAside: this.random.chance(0.7),
      pausesByHolder: this.random.chance(0.5),
    };
    this.trace = isTraced ? [] : null;
    this.oracle = makers.oracle(this);
  }

  get instant(): Instant {
    return toInstant(this.nowMs + this.wallOffsetMs);
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  log(tell: () => string): void {
    this.trace?.push(`${this.nowMs % 100_000_000} ${tell()}`);
  }

  launchOf(sessionId: string, generation: number): Launch | undefined {
    return this.launches.find(({ plan }) => plan.sessionId === sessionId && plan.generation === generation);
  }

  /** The launch that the row speaks of. */
  currentLaunch({ id, generation }: SessionRow): Launch | undefined {
    return this.launchOf(id, generation);
  }

  /** The launch of a living agent that can say something. */
  speaker(): Launch | undefined {
    const able = this.launches.filter((launch) => launch.isActing());
    return able.length === 0 ? undefined : this.random.pick(able);
  }

  launchSpec(given: Pick<LaunchSpec, "keepsChildren" | "tellsTurns" | "limits">): LaunchSpec {
    return {
      marker: `marker-${++this.#markers}`,
      host: "pty",
      mode: "interactive",
      view: null,
      args: [],
      cwd: "/",
      envNames: [],
      hasPrompt: false,
      at: toInstant(0),
      closesInput: false,
      waitPattern: null,
      ...given,
    };
  }

  createSession({ id, keepsChildren, tellsTurns, limits }: Spec): void {
    const evidence = { source: "operator", rule: "start", excerpt: null } as const;
    const launch = this.launchSpec({ keepsChildren, tellsTurns, limits });
    this.commit(id, [
      this.stamp({
        kind: "created",
        identity: DEFAULT_IDENTITY,
        origin: "started",
        state: "starting",
        evidence,
        process: null,
        hasFile: false,
        launch,
      }),
    ]);
  }

  resumeSession({ id, generation, carried }: SessionRow): void {
    const evidence = { source: "operator", rule: "resume", excerpt: null } as const;
    const { keepsChildren, tellsTurns, limits } = (carried as NonNullable<typeof carried>).launch;
    const launch = this.launchSpec({ keepsChildren, tellsTurns, limits });
    const resumed = {
      kind: "resumed",
      state: "resuming",
      evidence,
      generation: generation + 1,
      launch,
    } as const;
    this.commit(id, [this.stamp(resumed)]);
  }

  spawnLaunch({ id, generation, carried }: SessionRow): Launch {
    const { marker, keepsChildren } = (carried as NonNullable<typeof carried>).launch;
    const execFails = this.random.chance(0.04);
    const plan = { marker, sessionId: id, generation, keepsChildren, execFails };
    const launch = new Launch(plan, { table: this.table, random: this.random, nowMs: () => this.nowMs });
    this.launches.push(launch);
    return launch;
  }

  stamp(body: EventBody, at: Instant = this.instant): NewEvent {
    return { id: `e${++this.#eventIds}`, at, channel: null, body };
  }

  commit(sessionId: string, events: readonly NewEvent[]): ReturnType<FakeStore["append"]> {
    let before = this.store.has(sessionId) ? this.store.row(sessionId) : null;
    const stored = events.flatMap((event) => {
      this.log(() => `${sessionId} commit ${JSON.stringify(event.body).slice(0, 240)}`);
      const change = this.store.append(sessionId, [event]);
      for (const one of change.events) this.oracle.stored(before, one, change.row);
      before = change.row;
      return change.events;
    });
    return { row: this.store.row(sessionId), events: stored };
  }

  /** A signal of the daemon's: only to a process that still is who it was, which may just have changed. */
  signal(identity: ProcessIdentity, launch: Launch, send: (proc: Proc) => void): void {
    const { marker } = launch.plan;
    this.#endInTheLastMoment(identity.pid, launch);
    const proc = this.table.find(identity.pid);
    if (!proc) return;
    const isSame = proc.startTime === identity.startTime && proc.bootId === identity.bootId;
    const { skipsIdentity = false, skipsMarker = false } = this.planted;
    if (proc.marker !== marker) this.count(isSame ? "stranger with pid and start time met" : "stranger met");
    if (!isSame && !skipsIdentity) return;
    if (proc.marker !== marker && !skipsMarker && !skipsIdentity) return;
    this.oracle.signalled(proc, marker);
    send(proc);
  }

  #endInTheLastMoment(pid: number, launch: Launch): void {
    const proc = this.table.find(pid);
    if (proc?.marker !== launch.plan.marker || !this.random.chance(0.1)) return;
    this.log(() => `! pid ${pid} leaves just before the signal`);
    if (proc === launch.agent && launch.isActing()) launch.exitAgent({ code: 3, signal: null });
    else if (proc.role === "child") this.table.die(proc);
  }

  startDaemon(): void {
    if (this.daemon) return;
    this.log(() => "daemon starts");
    this.daemon = this.#makers.daemon(this);
    this.daemon.comeBack();
  }

  /** Nothing of its memory stays; who waited for it hears nothing. */
  killDaemon(): void {
    if (!this.daemon) return;
    this.log(() => "daemon killed");
    this.count(`daemon killed: ${this.daemon.steps.standing}`);
    this.daemon = null;
    for (const launch of this.launches) {
      launch.onMessage = null;
      launch.onWord = null;
    }
  }

  reboot({ wipes }: { readonly wipes: boolean }): void {
    this.log(() => `reboot${wipes ? ", folders wiped" : ""}`);
    this.killDaemon();
    this.table.reboot();
    for (const launch of this.launches) {
      if (!wipes) continue;
      if (!launch.folder.isRemoved) launch.isWiped = true;
      launch.folder.holder = null;
      launch.folder.exit = null;
    }
  }
}
