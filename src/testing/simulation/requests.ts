import { TIME_LIMITS, type TimeLimit } from "../../domain/limits/limit.ts";
import { OUTCOMES } from "../../domain/session/outcome.ts";
import { isEnded } from "../../domain/session/state.ts";
import type { Observation } from "../../domain/supervise/observation.ts";
import type { Fault } from "./faults.ts";
import type { Random } from "./random.ts";
import { TRUST } from "./rim/rim.ts";
import { makeSignal } from "./signals.ts";
import type { World } from "./world.ts";

/** Requests of operators, clocks and agents. A request whose answer is lost is repeated. */
export const REQUESTS: readonly Fault[] = [
  { name: "session started", weight: 4, happens: start },
  { name: "end asked", weight: 1.5, happens: ask(() => ({ saw: "end_asked", graceMs: 10_000 })) },
  { name: "end asked with an outcome", weight: 1, happens: ask(endWithOutcome) },
  { name: "end asked by several at once", weight: 0.5, happens: endBySeveral },
  { name: "pause asked", weight: 3, happens: ask(() => ({ saw: "pause_asked" })) },
  { name: "continue asked", weight: 4, happens: ask(() => ({ saw: "continue_asked" })) },
  { name: "pause and continue asked at once", weight: 1, happens: pauseAndContinue },
  { name: "pause asked before it is followed", weight: 2, happens: pauseUnfollowed },
  { name: "limit reached", weight: 0.4, happens: ask(limit) },
  {
    name: "limit neared",
    weight: 0.4,
    happens: ask(() => ({
      saw: "limit_passed",
      limit: { kind: "timeout", allowed: 9, unit: "ms" },
      passedMs: 8,
      graceMs: 10_000,
    })),
  },
  { name: "not ready in time", weight: 1, happens: ask(() => ({ saw: "not_ready", afterMs: 60_000 })) },
  { name: "resume asked", weight: 4, happens: resume },
  { name: "agent tells by terminal", weight: 14, happens: tellByTerminal },
  { name: "agent tells by hook", weight: 10, happens: tellByHook },
  { name: "hook read", weight: 10, happens: readHook },
  { name: "hook doubled", weight: 2, happens: doubleHook },
];

const MOST_SESSIONS = 4;
const LOST_ANSWERS = 0.15;

function start(world: World): boolean {
  const { random, daemon, specs } = world;
  if (!daemon || specs.size >= MOST_SESSIONS) return false;
  const spec = {
    id: `s${specs.size + 1}`,
    isReady: random.chance(0.4),
    tellsTurns: random.chance(0.6),
    keepsChildren: random.chance(0.2),
    limits: makeLimits(random),
  };
  specs.set(spec.id, spec);
  daemon.start(spec);
  return true;
}

function makeLimits(random: Random): TimeLimit[] {
  const kinds = random.pick([[], [], [], TIME_LIMITS, ["timeout"], ["idle_timeout"]] as const);
  return kinds.map((kind) => ({ kind, allowed: random.pick([10_000, 60_000, 600_000]), unit: "ms" }));
}

function anySession({ store, random }: World): string | undefined {
  const ids = store.ids();
  return ids.length === 0 ? undefined : random.pick(ids);
}

/** A caller that hears nothing asks once more. */
function ask(make: (random: Random) => Observation): Fault["happens"] {
  return (world) => {
    const id = anySession(world);
    if (!world.daemon || id === undefined) return false;
    const observation = make(world.random);
    world.daemon.see(id, observation);
    if (!world.random.chance(LOST_ANSWERS)) return true;
    world.count("answer lost, asked again");
    world.daemon.see(id, observation);
    return true;
  };
}

function endWithOutcome(random: Random): Observation {
  return { saw: "end_asked", graceMs: random.pick([0, 10_000]), outcome: random.pick(OUTCOMES) };
}

function endBySeveral(world: World): boolean {
  const id = anySession(world);
  if (!world.daemon || id === undefined) return false;
  for (let asked = 0; asked < 4; asked += 1)
    world.daemon.see(
      id,
      world.random.chance(0.3) ? endWithOutcome(world.random) : { saw: "end_asked", graceMs: 10_000 },
    );
  return true;
}

function pauseAndContinue(world: World): boolean {
  const id = anySession(world);
  if (!world.daemon || id === undefined) return false;
  for (let asked = 0; asked < 3; asked += 1)
    world.daemon.see(id, { saw: world.random.pick(["pause_asked", "continue_asked"]) });
  return true;
}

/** Its process is known, and nobody is connected to its holder. */
function pauseUnfollowed(world: World): boolean {
  const { daemon, store } = world;
  const rows = store.ids().map((id) => store.row(id));
  const row = rows.find((one) => one.process !== null && world.currentLaunch(one)?.onMessage === null);
  if (!daemon || !row) return false;
  daemon.see(row.id, { saw: "pause_asked" });
  return true;
}

function limit(random: Random): Observation {
  const kind = random.pick(["timeout", "idle_timeout"] as const);
  return { saw: "limit_passed", limit: { kind, allowed: 9, unit: "ms" }, passedMs: 9, graceMs: 10_000 };
}

function resume(world: World): boolean {
  const id = anySession(world);
  if (!world.daemon || id === undefined) return false;
  const { state } = world.store.row(id);
  if (!isEnded(state) && state !== "unknown") return false;
  void world.daemon.resume(id);
  if (world.random.chance(LOST_ANSWERS)) void world.daemon.resume(id);
  return true;
}

function tellByTerminal(world: World): boolean {
  const launch = world.speaker();
  if (!launch?.onMessage || !world.daemon) return false;
  const signal = makeSignal(world.random, world.random.pick(["terminal", "transcript", "screen"]));
  world.daemon.hearSignal(launch, { saw: "signal", signal, trust: TRUST });
  return true;
}

function tellByHook(world: World): boolean {
  const launch = world.speaker();
  if (!launch || world.hooks.length > 12) return false;
  const { sessionId, generation } = launch.plan;
  world.hooks.push({ sessionId, generation, signal: makeSignal(world.random, "hook") });
  return true;
}

/** In any order, and each as often as a daemon dies before it has removed it. */
function readHook(world: World): boolean {
  if (!world.daemon || world.hooks.length === 0) return false;
  const hook = world.random.pick(world.hooks);
  if (hook.generation < world.store.row(hook.sessionId).generation)
    world.count("hook of an earlier generation");
  world.daemon.takeHook(hook);
  return true;
}

function doubleHook(world: World): boolean {
  if (world.hooks.length === 0) return false;
  world.hooks.push({ ...world.random.pick(world.hooks) });
  return true;
}
