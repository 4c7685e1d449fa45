import { type Act, type LoopPorts, SessionLoop } from "../../../daemon/session/session-loop.ts";
import type { SessionRow } from "../../../domain/session/session.ts";
import { isEnded } from "../../../domain/session/state.ts";
import type { Observation } from "../../../domain/supervise/observation.ts";
import { type HolderMessage, identityOf, type Launch, type Word } from "../launch.ts";
import type { Proc } from "../process-table.ts";
import type { Hook, Spec } from "../specs.ts";
import type { Daemon, World } from "../world.ts";
import { endTree, type Hands, killLeftovers, stopTree } from "./acts.ts";
import { change } from "./change.ts";
import { LimitClock } from "./limit-clock.ts";
import { Steps } from "./steps.ts";
import { Timers } from "./timers.ts";
import { findMarked, findTraces } from "./traces.ts";

/** One launch of one session while the daemon has to do with it. */
interface Carried {
  readonly loop: SessionLoop;
  readonly limits: LimitClock;
  cancelLook: () => void;
}

type Key = Pick<SessionRow, "id" | "generation">;

/** Agents are believed in this order. */
export const TRUST = ["terminal", "hook", "transcript", "screen"] as const;
/** A holder that cannot be reached is looked for again after this. */
const UNREACHED_MS = 200;
const GRACE_MS = 10_000;

/**
 * The rim of a simulated daemon: messages come in through it, and acts are done to simulated processes. One real
 * session loop for each launch decides, commits and orders. Each `wait` is a step at which the world may kill the daemon,
 * and all that it has in memory with it.
 */
export class Rim implements Daemon {
  readonly #world: World;
  readonly #carried = new Map<string, Carried>();
  /** The first look at each session that was there before this daemon. */
  readonly #found = new Map<string, Promise<void>>();
  readonly timers = new Timers();
  readonly steps = new Steps();
  isStirred = false;

  constructor(world: World) {
    this.#world = world;
  }

  comeBack(): void {
    const { store, planted } = this.#world;
    for (const row of store.ids().map((id) => store.row(id)))
      if (!isEnded(row.state) && !planted.forgetsToLook) this.#found.set(row.id, this.#look(row));
  }

  step(): boolean {
    const hasFired = this.timers.fire(this.#world.nowMs);
    const hasGoneOn = this.steps.goOn(this.#world.random);
    if (hasGoneOn) this.isStirred = true;
    return hasGoneOn || hasFired;
  }

  /** An immediate runs when no microtask is left. */
  async rest(): Promise<void> {
    this.isStirred = false;
    await new Promise(setImmediate);
  }

  see(id: string, observation: Observation): void {
    void this.#see(this.#world.store.row(id), observation);
  }

  hearSignal(launch: Launch, observation: Extract<Observation, { saw: "signal" }>): void {
    this.#observe(keyOf(launch), observation);
  }

  /** The file of a hook is removed when everything that follows from it is done. */
  takeHook(hook: Hook): void {
    const taken = this.#see(
      { id: hook.sessionId, generation: hook.generation },
      { saw: "signal", signal: hook.signal, trust: TRUST },
    );
    void taken.then(() => {
      this.#world.hooks = this.#world.hooks.filter((other) => other !== hook);
    });
  }

  /** Nothing is observed of a launch before its process is spawned. */
  start(spec: Spec): void {
    const { loop } = this.#of({ id: spec.id, generation: 1 });
    void loop.inOrder(async () => {
      await this.steps.wait(spec.id, "about to record a start");
      this.#world.createSession(spec);
      await this.#spawn(this.#world.store.row(spec.id));
    });
  }

  async resume(id: string): Promise<void> {
    const { store } = this.#world;
    this.isStirred = true;
    await this.#found.get(id);
    const { generation } = store.row(id);
    if (!this.#canResume(store.row(id))) return;
    await this.steps.wait(id, "about to record a resume");
    if (store.row(id).generation !== generation || !this.#canResume(store.row(id))) return;
    this.#world.resumeSession(store.row(id));
    const row = store.row(id);
    void this.#of(row).loop.inOrder(async () => this.#spawn(row));
  }

  #canResume(row: SessionRow): boolean {
    const launch = this.#world.currentLaunch(row);
    const isFree = launch === undefined || this.#world.table.ofMarker(launch.plan.marker).length === 0;
    return isFree && (isEnded(row.state) || row.state === "unknown");
  }

  #of({ id, generation }: Key): Carried {
    const name = `${id}/${generation}`;
    this.isStirred = true;
    const known = this.#carried.get(name);
    if (known) return known;
    const { Loop = SessionLoop } = this.#world.planted;
    const carried: Carried = {
      loop: new Loop(this.#portsOf({ id, generation }), generation),
      limits: new LimitClock(this.#world, this.timers, (seen) => this.#observe({ id, generation }, seen)),
      cancelLook: () => {},
    };
    this.#carried.set(name, carried);
    return carried;
  }

  #portsOf(key: Key): LoopPorts {
    const world = this.#world;
    const wait = async (standing: string) => this.steps.wait(key.id, standing);
    return {
      ...change(world, key.id, wait),
      now: () => world.instant,
      stamper: () => (body, at) => world.stamp(body, at),
      committed: async (row) => {
        this.#of(key).limits.follow(row);
        await wait("followed");
      },
      act: async (action) => this.#act(key, action),
    };
  }

  #observe(key: Key, observation: Observation): void {
    void this.#of(key).loop.observe(observation);
  }

  /** Looks at what is there of a session before anything else is heard of it. */
  async #see({ id, generation }: Key, observation: Observation): Promise<void> {
    this.isStirred = true;
    await this.#found.get(id);
    await this.#of({ id, generation }).loop.observe(observation);
  }

  async #act(key: Key, action: Act): Promise<void> {
    const hands: Hands = {
      world: this.#world,
      wait: async (standing) => this.steps.wait(key.id, standing),
      lookLater: (afterMs) => this.#lookLater(key, afterMs),
    };
    await hands.wait(`about to ${action.do}`);
    const launch = this.#world.launchOf(key.id, key.generation);
    this.#world.log(() => `${key.id}/${key.generation} acts: ${action.do}`);
    switch (action.do) {
      case "end_tree":
        return endTree(hands, launch, action.graceMs);
      case "pause_tree":
        return stopTree(hands, launch, true);
      case "continue_tree":
        return stopTree(hands, launch, false);
      case "adopt":
        return this.#adopt(key);
      case "look_for_traces":
        return this.#lookLater(key, 0);
      case "kill":
        return killLeftovers(hands, launch as Launch, action.leftovers);
      case "look_again":
        return this.#lookLater(key, action.afterMs);
      case "check_limit":
        return this.#of(key).limits.check(key, action.limit, action.afterMs);
      case "close":
        return launch?.removeFolder();
    }
  }

  /** One look is due at a time, as in the daemon itself. */
  #lookLater(key: Key, afterMs: number): void {
    const carried = this.#of(key);
    carried.cancelLook();
    carried.cancelLook = this.timers.set(this.#world.nowMs + afterMs, () => void this.#look(key));
  }

  /** Resolves when everything that follows from the look is done. */
  async #look({ id, generation }: Key): Promise<void> {
    const { loop } = this.#of({ id, generation });
    const find = async () =>
      findTraces(this.#world, { id, generation }, async (standing) => this.steps.wait(id, standing));
    const traces = this.#world.habits.looksAside ? await find() : await loop.inOrder(find);
    await loop.observe({ saw: "traces", traces, tellsTurns: this.#specOf(id).tellsTurns });
  }

  #adopt(key: Key): void {
    const launch = this.#world.launchOf(key.id, key.generation);
    if (!launch?.isListening()) {
      this.#lookLater(key, UNREACHED_MS);
      return;
    }
    this.#world.count("adopted");
    launch.onMessage = (message) => this.#hear(launch, message);
    const row = this.#world.store.row(key.id);
    const exit = launch.exitSoFar();
    if (exit !== null) this.#hear(launch, { says: "exit", exit });
    else if (!this.#world.habits.tellsOnce || row.process === null)
      this.#observe(key, this.#launched(launch));
    this.#of(key).limits.follow(row);
    this.#observe(key, { saw: "adopted", graceMs: GRACE_MS });
  }

  #hear(launch: Launch, message: HolderMessage): void {
    const key = keyOf(launch);
    if (message.says === "gone") {
      this.#observe(key, { saw: "holder_gone" });
      return;
    }
    const { exit } = message;
    const leftovers = exit.tree.state === "empty" ? findMarked(this.#world, launch) : [];
    this.#observe(key, { saw: "exit", exit, leftovers, tellsTurns: this.#specOf(key.id).tellsTurns });
  }

  #launched({ plan, agent }: Launch): Observation {
    return {
      saw: "launched",
      process: identityOf(agent as Proc),
      isReady: this.#specOf(plan.sessionId).isReady,
    };
  }

  #specOf(id: string): Spec {
    return this.#world.specs.get(id) as Spec;
  }

  async #spawn(row: SessionRow): Promise<void> {
    await this.steps.wait(row.id, "about to spawn");
    const { random } = this.#world;
    if (random.chance(0.03)) {
      this.#world.count("spawn failed");
      this.#observe(row, { saw: "launch_failed", error: "EAGAIN", step: "spawn" });
      return;
    }
    const launch = this.#world.spawnLaunch(row);
    launch.onWord = (word) => void this.#takeWord(launch, random.chance(0.05) ? "none" : word);
  }

  /** Without a word it is not known what happened: look. */
  async #takeWord(launch: Launch, word: Word): Promise<void> {
    const key = keyOf(launch);
    if (word === "failed") this.#observe(key, { saw: "launch_failed", error: "ENOENT", step: "exec" });
    if (word === "none") this.#observe(key, { saw: "holder_gone" });
    if (word !== "ok") return;
    await this.#of(key).loop.observe(this.#launched(launch));
    await this.steps.wait(key.id, "about to adopt");
    this.#adopt(key);
  }
}

function keyOf({ plan: { sessionId, generation } }: Launch): Key {
  return { id: sessionId, generation };
}
