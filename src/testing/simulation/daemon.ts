import type { SessionRow } from "../../domain/session/session.ts";
import { isEnded } from "../../domain/session/state.ts";
import type { Action, Leftover, Observation } from "../../domain/supervise/observation.ts";
import { type HolderMessage, identityOf, type Launch, type Word } from "./launch.ts";
import type { Proc } from "./process-table.ts";
import { Timers } from "./timers.ts";
import { findMarked, findTraces } from "./traces.ts";
import type { Hook, Spec, World } from "./world.ts";

/** Something to be dealt with, made into an observation only when its turn comes. */
interface Matter {
  readonly generation: number;
  readonly observe: () => Observation;
  readonly done?: () => void;
}

/** Yields where it stands. */
type Work = Generator<string, void>;

/** Agents are believed in this order. */
export const TRUST = ["terminal", "hook", "transcript", "screen"] as const;
/** The trees of leftovers are looked at again after this. */
const KILLED_MS = 50;
/** An end that is not proven is tried again after this. */
const UNPROVEN_MS = 5000;

/**
 * Observe, decide, commit, act; one matter of a session after the other. Killed at any `yield`, and all that it
 * has in memory may go with it.
 */
export class Daemon {
  readonly #world: World;
  readonly #queues = new Map<string, (() => Work)[]>();
  readonly #works = new Map<string, Work>();
  readonly timers = new Timers();
  /** What its last step left it at. */
  standing = "idle";

  constructor(world: World) {
    this.#world = world;
  }

  /** What is there is known before anything else is heard. */
  comeBack(): void {
    for (const id of this.#world.store.ids()) {
      const row = this.#world.store.row(id);
      if (!isEnded(row.state) && !this.#world.planted.forgetsToLook)
        this.#enqueue(id, () => this.#look(id, row.generation, true));
    }
  }

  /** One small step of one session; false where there is nothing to do now. */
  step(): boolean {
    const hasFired = this.timers.fire(this.#world.nowMs);
    const busy = [...this.#queues.keys()].filter((id) => this.#works.has(id) || this.#queue(id).length > 0);
    if (busy.length === 0) return hasFired;
    const id = this.#world.random.pick(busy);
    const work = this.#works.get(id) ?? (this.#queue(id).shift() as () => Work)();
    this.#works.set(id, work);
    const { done, value } = work.next();
    if (done) this.#works.delete(id);
    this.standing = done ? "idle" : (value as string);
    return true;
  }

  /** Someone asks, or a clock tells, of the session as it is now. */
  see(id: string, observation: Observation): void {
    const { generation } = this.#world.store.row(id);
    this.#take(id, { generation, observe: () => observation });
  }

  /** What an agent says over its connection. */
  hearSignal(
    { sessionId, generation }: Launch["plan"],
    observation: Extract<Observation, { saw: "signal" }>,
  ): void {
    this.#take(sessionId, { generation, observe: () => observation });
  }

  takeHook(hook: Hook): void {
    const observe = () => ({ saw: "signal", signal: hook.signal, trust: TRUST }) as const;
    const done = () => {
      this.#world.hooks = this.#world.hooks.filter((other) => other !== hook);
    };
    this.#take(hook.sessionId, { generation: hook.generation, observe, done });
  }

  start(spec: Spec): void {
    this.#enqueue(spec.id, () => this.#start(spec));
  }

  resume(id: string): void {
    this.#enqueue(id, () => this.#resume(id));
  }

  /** Whoever listened to a daemon before must not wake a later one. */
  get #isCurrent(): boolean {
    return this.#world.daemon === this;
  }

  #queue(id: string): (() => Work)[] {
    const queue = this.#queues.get(id) ?? [];
    this.#queues.set(id, queue);
    return queue;
  }

  #enqueue(id: string, work: () => Work): void {
    this.#queue(id).push(work);
  }

  #take(id: string, matter: Matter): void {
    this.#enqueue(id, () => this.#handle(id, matter));
  }

  *#handle(id: string, { generation, observe, done }: Matter): Work {
    const { store, oracle } = this.#world;
    const before = store.row(id);
    const stamped = { observation: observe(), generation, at: this.#world.instant };
    const actions = this.#world.decide(before, stamped);
    this.#world.log(() => `${id}/${generation} saw ${JSON.stringify(stamped.observation).slice(0, 300)}`);
    this.#world.log(() => `  ${before.state} → ${actions.map((action) => action.do).join(" ")}`);
    yield "decided";
    const bodies = actions.flatMap((action) => (action.do === "append" ? [action.body] : []));
    const acts = actions.filter((action) => action.do !== "append");
    if (this.#world.planted.actsFirst) for (const act of acts) yield* this.#act(id, generation, act);
    this.#world.commit(id, bodies);
    oracle.decided(before, stamped, store.row(id));
    yield "committed";
    if (!this.#world.planted.actsFirst) for (const act of acts) yield* this.#act(id, generation, act);
    done?.();
  }

  *#act(id: string, generation: number, action: Exclude<Action, { do: "append" }>): Work {
    const launch = this.#world.launchOf(id, generation);
    yield `about to ${action.do}`;
    this.#world.log(() => `${id}/${generation} acts: ${action.do}`);
    switch (action.do) {
      case "end_tree":
        return yield* this.#endTree(id, generation, action.graceMs);
      case "pause_tree":
        return yield* this.#signalTree(launch, (proc) => {
          proc.isStopped = true;
        });
      case "continue_tree":
        return yield* this.#signalTree(launch, (proc) => {
          proc.isStopped = false;
        });
      case "adopt":
        return this.#adopt(id, generation, launch);
      case "look_for_traces":
        return yield* this.#look(id, generation);
      case "kill":
        return yield* this.#kill(id, generation, action.leftovers);
      case "look_again":
        return this.#lookLater(id, generation, action.afterMs);
      case "close":
        launch?.removeFolder();
    }
  }

  *#endTree(id: string, generation: number, graceMs: number): Work {
    const launch = this.#world.launchOf(id, generation);
    const isConnected = launch?.onMessage && launch.isListening();
    const isByFile = this.#world.habits.endsByFile && launch?.folder.isRemoved === false;
    if (isConnected || isByFile) launch?.askEnd(graceMs);
    if (isConnected) return;
    if (isByFile) this.#lookLater(id, generation, graceMs + UNPROVEN_MS);
    else yield* this.#look(id, generation);
  }

  *#signalTree(launch: Launch | undefined, send: (proc: Proc) => void): Work {
    if (!launch?.folder.holder) return;
    for (const found of findMarked(this.#world, launch)) {
      yield "between two signals";
      this.#world.signal(found, launch, send);
    }
  }

  *#kill(id: string, generation: number, leftovers: readonly Leftover[]): Work {
    const launch = this.#world.launchOf(id, generation) as Launch;
    for (const leftover of leftovers) {
      yield "between two kills";
      this.#world.signal(leftover, launch, (proc) => this.#killProc(launch, proc));
    }
    this.#lookLater(id, generation, KILLED_MS);
  }

  #killProc(launch: Launch, proc: Proc): void {
    this.#world.count("leftover killed");
    if (proc.isStuck) return;
    if (proc === launch.agent) launch.exitAgent({ code: null, signal: "SIGKILL" });
    else if (proc === launch.holder) launch.killHolder();
    else this.#world.table.die(proc);
  }

  #lookLater(id: string, generation: number, afterMs: number): void {
    const fire = () => this.#enqueue(id, () => this.#look(id, generation));
    this.timers.set(this.#world.nowMs + afterMs, fire);
  }

  *#look(id: string, generation: number, isFirst = false): Work {
    const traces = yield* findTraces(this.#world, id, generation);
    const { tellsTurns } = this.#world.specs.get(id) as Spec;
    const matter = { generation, observe: () => ({ saw: "traces", traces, tellsTurns }) as const };
    if (this.#world.habits.looksAside && !isFirst) this.#take(id, matter);
    else yield* this.#handle(id, matter);
  }

  #adopt(id: string, generation: number, launch: Launch | undefined): void {
    if (!launch?.isListening()) {
      this.#take(id, { generation, observe: () => ({ saw: "holder_gone" }) });
      return;
    }
    this.#world.count("adopted");
    this.#listen(launch);
    const exit = launch.exitSoFar();
    const isKnown = this.#world.habits.tellsOnce && this.#world.store.row(id).process !== null;
    if (exit === null && !isKnown) this.#tellLaunched(launch);
    if (exit !== null) this.#hear(launch, { says: "exit", exit });
  }

  #listen(launch: Launch): void {
    launch.onMessage = (message) => {
      if (this.#isCurrent) this.#hear(launch, message);
    };
  }

  #hear(launch: Launch, message: HolderMessage): void {
    const { sessionId, generation } = launch.plan;
    const { tellsTurns } = this.#world.specs.get(sessionId) as Spec;
    if (message.says === "gone") {
      this.#take(sessionId, { generation, observe: () => ({ saw: "holder_gone" }) });
      return;
    }
    const { exit } = message;
    const observe = () => {
      const leftovers = exit.tree.state === "empty" ? findMarked(this.#world, launch) : [];
      return { saw: "exit", exit, leftovers, tellsTurns } as const;
    };
    this.#take(sessionId, { generation, observe });
  }

  #tellLaunched(launch: Launch): void {
    const { sessionId, generation } = launch.plan;
    const { isReady } = this.#world.specs.get(sessionId) as Spec;
    const process = identityOf(launch.agent as Proc);
    this.#take(sessionId, { generation, observe: () => ({ saw: "launched", process, isReady }) });
  }

  *#start(spec: Spec): Work {
    yield "about to record a start";
    this.#world.createSession(spec);
    yield "about to spawn";
    this.#launch(this.#world.store.row(spec.id));
  }

  *#resume(id: string): Work {
    const row = this.#world.store.row(id);
    const launch = this.#world.currentLaunch(row);
    const isFree = launch === undefined || this.#world.table.ofMarker(launch.plan.marker).length === 0;
    if (!(isEnded(row.state) || row.state === "unknown") || !isFree) return;
    yield "about to record a resume";
    this.#world.resumeSession(row);
    yield "about to spawn";
    this.#launch(this.#world.store.row(id));
  }

  #launch(row: SessionRow): void {
    const { id, generation } = row;
    const { random } = this.#world;
    if (random.chance(0.03)) {
      this.#world.count("spawn failed");
      const observe = () => ({ saw: "launch_failed", error: "EAGAIN", step: "spawn" }) as const;
      this.#take(id, { generation, observe });
      return;
    }
    const launch = this.#world.spawnLaunch(row);
    launch.onWord = (word) => {
      if (this.#isCurrent) this.#takeWord(launch, random.chance(0.05) ? "none" : word);
    };
  }

  /** Without a word it is not known what happened: look. */
  #takeWord(launch: Launch, word: Word): void {
    const { sessionId: id, generation } = launch.plan;
    if (word === "ok") {
      this.#listen(launch);
      this.#tellLaunched(launch);
    } else if (word === "failed") {
      const observe = () => ({ saw: "launch_failed", error: "ENOENT", step: "exec" }) as const;
      this.#take(id, { generation, observe });
    } else {
      this.#take(id, { generation, observe: () => ({ saw: "holder_gone" }) });
    }
  }
}
