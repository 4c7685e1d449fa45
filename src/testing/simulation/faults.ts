import type { Launch } from "./launch.ts";
import type { Status } from "./tree-ending.ts";
import type { World } from "./world.ts";

/** Something that may happen at any time. `happens` tells whether it could. */
export interface Fault {
  readonly name: string;
  readonly weight: number;
  readonly happens: (world: World) => boolean;
}

const OWN_EXITS: readonly Status[] = [
  { code: 0, signal: null },
  { code: 0, signal: null },
  { code: 1, signal: null },
  { code: 42, signal: null },
  { code: null, signal: "SIGSEGV" },
  { code: null, signal: "SIGKILL" },
];

/** Actions of processes, and faults that happen to them. */
export const FAULTS: readonly Fault[] = [
  { name: "agent exits", weight: 2, happens: toAgent(exitAgent) },
  { name: "agent forks", weight: 6, happens: toAgent(fork) },
  { name: "child exits", weight: 4, happens: exitChild },
  { name: "child comes unstuck", weight: 2, happens: unstick },
  { name: "holder killed", weight: 2, happens: toLaunch(killHolder) },
  { name: "guard killed", weight: 2, happens: toLaunch(killGuard) },
  { name: "both killed", weight: 2, happens: toLaunch(killBoth) },
  { name: "connection broken", weight: 2, happens: toLaunch(breakConnection) },
  { name: "daemon killed", weight: 3, happens: killDaemon },
  { name: "daemon killed and back at once", weight: 2, happens: replaceDaemon },
  { name: "reboot", weight: 0.3, happens: reboot },
  { name: "clock set", weight: 0.5, happens: setClock },
  { name: "stranger comes", weight: 2, happens: bearStranger },
  { name: "stranger leaves", weight: 2, happens: endStranger },
];

function toLaunch(happens: (world: World, launch: Launch) => boolean): Fault["happens"] {
  return (world) => {
    const living = world.launches.filter(({ guard, holder }) => guard.isAlive || holder?.isAlive);
    return living.length > 0 && happens(world, world.random.pick(living));
  };
}

function toAgent(happens: (world: World, launch: Launch) => boolean): Fault["happens"] {
  return (world) => {
    const launch = world.speaker();
    return launch !== undefined && happens(world, launch);
  };
}

function exitAgent({ random }: World, launch: Launch): boolean {
  launch.exitAgent(random.pick(OWN_EXITS));
  return true;
}

function fork({ random, table }: World, { plan }: Launch): boolean {
  if (table.ofMarker(plan.marker).length > 6) return false;
  const ignoresTerm = random.chance(0.3);
  table.spawn({ role: "child", marker: plan.marker, ignoresTerm, isStuck: random.chance(0.1) });
  return true;
}

function exitChild({ random, table }: World): boolean {
  const children = [...table.living()].filter(({ role, isStuck }) => role === "child" && !isStuck);
  if (children.length > 0) table.die(random.pick(children));
  return children.length > 0;
}

export function unstick({ random, table }: World): boolean {
  const stuck = [...table.living()].filter(({ isStuck }) => isStuck);
  if (stuck.length > 0) random.pick(stuck).isStuck = false;
  return stuck.length > 0;
}

function killHolder(_: World, launch: Launch): boolean {
  const wasAlive = launch.holder?.isAlive === true;
  launch.killHolder();
  return wasAlive;
}

function killGuard(_: World, launch: Launch): boolean {
  const wasAlive = launch.guard.isAlive;
  launch.killGuard();
  return wasAlive;
}

function killBoth(_: World, launch: Launch): boolean {
  if (!launch.guard.isAlive || !launch.holder?.isAlive) return false;
  launch.killGuard();
  launch.killHolder();
  return true;
}

function breakConnection(_: World, launch: Launch): boolean {
  const wasConnected = launch.onMessage !== null;
  launch.breakConnection();
  return wasConnected;
}

function killDaemon(world: World): boolean {
  const wasAlive = world.daemon !== null;
  world.killDaemon();
  return wasAlive;
}

function replaceDaemon(world: World): boolean {
  const wasAlive = killDaemon(world);
  world.startDaemon();
  return wasAlive;
}

function reboot(world: World): boolean {
  world.reboot({ wipes: world.random.chance(0.5) });
  return true;
}

function setClock(world: World): boolean {
  world.wallOffsetMs = world.random.pick([0, -86_400_000, 86_400_000]);
  return true;
}

function bearStranger({ table, random }: World): boolean {
  if ([...table.living()].length > 60) return false;
  table.spawn({ role: "stranger", marker: null, ignoresTerm: random.chance(0.5) });
  return true;
}

function endStranger({ table, random }: World): boolean {
  const strangers = [...table.living()].filter(({ role }) => role === "stranger");
  if (strangers.length > 0) table.die(random.pick(strangers));
  return strangers.length > 0;
}
