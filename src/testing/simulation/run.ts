import { isEnded } from "../../domain/session/state.ts";
import { FAULTS, type Fault, unstick } from "./faults.ts";
import { Oracle } from "./oracle.ts";
import { REQUESTS } from "./requests.ts";
import { Rim } from "./rim/rim.ts";
import type { Planted } from "./specs.ts";
import { type Makers, World } from "./world.ts";

export interface Run {
  readonly seed: number;
  readonly steps: number;
  readonly violations: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly trace: readonly string[];
}

const MAKERS: Makers = { daemon: (world) => new Rim(world), oracle: (world) => new Oracle(world) };
const CHAOS_STEPS = 3000;
/** More than any world needs to come to rest. */
const SETTLE_STEPS = 3000;

/** One life of a machine, from its seed alone: disorder, then rest, then the end of everything, then a new daemon. */
export async function simulate(
  seed: number,
  options: { readonly planted?: Planted; readonly isTraced?: boolean } = {},
): Promise<Run> {
  const world = new World(seed, MAKERS, options);
  let steps = 0;
  for (const part of [makeChaos, settle, endAll, replaceDaemon]) steps += await part(world);
  const { counts, trace, oracle } = world;
  return { seed, steps, violations: oracle.violations, counts, trace: trace ?? [] };
}

async function makeChaos(world: World): Promise<number> {
  const { random } = world;
  const faults = pickFaults(world);
  const disorder = random.pick([0.05, 0.15, 0.3]);
  const killRate = random.pick([0, 0.01, 0.05]);
  const steps = 100 + random.int(CHAOS_STEPS);
  world.startDaemon();
  for (let step = 0; step < steps && world.oracle.violations.length === 0; step += 1) {
    if (random.chance(disorder)) happen(world, random.weighted(faults));
    else if (random.chance(0.5)) await stepDaemon(world, killRate);
    else goOnAtRandom(world);
    if (world.daemon?.isStirred) await world.daemon.rest();
    world.oracle.checkNow();
  }
  return steps;
}

/** Some worlds kill it in the middle of what it does, above all between its word and its deed. */
async function stepDaemon(world: World, killRate: number): Promise<void> {
  const { daemon, oracle, random } = world;
  if (!daemon?.step()) return;
  await daemon.rest();
  oracle.checkIdle(daemon);
  const { standing } = daemon.steps;
  if (standing === "idle") return;
  const rate = standing.startsWith("about to") ? killRate * 4 : killRate;
  if (random.chance(rate)) world.killDaemon();
}

function goOnAtRandom(world: World): void {
  const roll = world.random.next();
  if (roll < 0.7) advanceLaunch(world);
  else if (roll < 0.9) passTime(world);
  else world.startDaemon();
}

/** Each seed has its own disorder: some faults never, some often. */
function pickFaults({ random }: World): Fault[] {
  const faults = [...FAULTS, ...REQUESTS].map((fault) => ({
    ...fault,
    weight: fault.weight * random.pick([0, 0.5, 1, 1, 3]),
  }));
  return faults.some(({ weight }) => weight > 0) ? faults : [...REQUESTS];
}

function happen(world: World, { name, happens }: Fault): void {
  if (!happens(world)) return;
  world.count(name);
  world.log(() => `! ${name}`);
}

function advanceLaunch({ random, launches }: World): boolean {
  return launches.length > 0 && random.pick(launches).advance();
}

function passTime(world: World): void {
  const { random } = world;
  const ms = random.chance(0.3) ? nextDue(world) : null;
  world.nowMs = Math.max(world.nowMs + random.pick([0, 1, 5, 200, 3000]), ms ?? 0);
}

function nextDue({ daemon, launches }: World): number | null {
  const dues = [daemon?.timers.dueAt() ?? null, ...launches.map((launch) => launch.dueAt())];
  const known = dues.filter((due): due is number => due !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Nothing new happens, and everybody does what is left to do. */
async function settle(world: World): Promise<number> {
  world.startDaemon();
  for (let step = 0; step < SETTLE_STEPS; step += 1) {
    if (world.daemon?.isStirred) await world.daemon.rest();
    world.oracle.checkNow();
    if (world.oracle.violations.length > 0) return step;
    if (!goOn(world)) {
      world.oracle.checkQuiet();
      return step;
    }
  }
  world.oracle.fail("it does not come to rest");
  return SETTLE_STEPS;
}

function goOn(world: World): boolean {
  const { random, daemon, launches } = world;
  const isDaemonFirst = random.chance(0.5);
  if (isDaemonFirst && daemon?.step()) return true;
  for (const launch of launches) if (launch.advance()) return true;
  if (daemon?.step() || unstick(world)) return true;
  const hook = world.hooks[0];
  if (hook && daemon) {
    daemon.takeHook(hook);
    return true;
  }
  const due = nextDue(world);
  if (due === null) return false;
  world.nowMs = Math.max(world.nowMs + 1, due);
  return true;
}

/** After an end that was asked for nothing is left. */
async function endAll(world: World): Promise<number> {
  for (const id of world.store.ids()) world.daemon?.see(id, { saw: "end_asked", graceMs: 10_000 });
  const steps = await settle(world);
  if (world.oracle.violations.length > 0) return steps;
  for (const id of world.store.ids()) {
    const { state, endReason } = world.store.row(id);
    if (!isEnded(state) && endReason !== "not_proven")
      world.oracle.fail(`${id}: still ${state} after its end`);
  }
  const left = world.launches.filter(
    (launch) => !launch.wasKept && world.table.ofMarker(launch.plan.marker).length > 0,
  );
  for (const { plan } of left)
    world.oracle.fail(`${plan.sessionId}: something is left of generation ${plan.generation}`);
  return steps;
}

/** A daemon that comes back finds nothing to change. */
async function replaceDaemon(world: World): Promise<number> {
  const { oracle, store } = world;
  if (oracle.violations.length > 0) return 0;
  const before = store.ids().map((id) => store.row(id));
  world.killDaemon();
  const steps = await settle(world);
  const isSame = store.ids().every((id, index) => store.row(id) === before[index]);
  if (!isSame) oracle.fail("a new daemon changed what was settled");
  return steps;
}
