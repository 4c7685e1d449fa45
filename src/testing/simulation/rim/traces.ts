import type { SessionRow } from "../../../domain/session/session.ts";
import { wasProvenEmpty } from "../../../domain/supervise/decide-end.ts";
import type { Leftover, Traces } from "../../../domain/supervise/observation.ts";
import { msBetween } from "../../../domain/time.ts";
import { identityOf, type Launch } from "../launch.ts";
import type { World } from "../world.ts";

/** Reads the traces of a launch. The exit is read last: a process that is found dead has written all it ever will by then. */
export async function findTraces(
  world: World,
  { id, generation }: Pick<SessionRow, "id" | "generation">,
  wait: (standing: string) => Promise<void>,
): Promise<Traces> {
  const launch = world.launchOf(id, generation);
  const early = launch?.folder.exit ?? null;
  for (let late = world.planted.readsExitFirst ? 8 : 0; late > 0; late -= 1) await wait("looking");
  const file = launch?.folder.holder ?? null;
  const isHolderAlive = world.planted.trustsPids
    ? file !== null && world.table.find(file.holder.pid)?.startTime === file.holder.startTime
    : (launch?.isListening() ?? false);
  const isGuardAlive = file !== null && launch?.guard.isAlive === true;
  await wait("looking");
  return {
    bootId: world.table.bootId,
    ageMs: msBetween(launchedAt(world, id), world.instant),
    holderBootId: file?.bootId ?? null,
    isHolderAlive,
    isGuardAlive,
    agent: file?.agent ?? null,
    wasEmpty: wasProvenEmpty(
      world.store.events(id).map(({ body }) => body),
      generation,
    ),
    survivors: launch ? findUnmarked(launch) : [],
    leftovers: launch ? findMarked(world, launch, file) : [],
    exit: world.planted.readsExitFirst ? early : (launch?.folder.exit ?? null),
  };
}

/** All that carry the marker but the guard and the holder, where those are known. */
export function findMarked(world: World, launch: Launch, file = launch.folder.holder): Leftover[] {
  return world.table
    .ofMarker(launch.plan.marker)
    .filter(({ role }) => file === null || (role !== "guard" && role !== "holder"))
    .map(identityOf);
}

/** Those that only the knowledge of the tree finds. */
function findUnmarked(launch: Launch): Leftover[] {
  return launch
    .tree()
    .filter(({ marker }) => marker === null)
    .map(identityOf);
}

function launchedAt(world: World, id: string): string {
  if (world.habits.agesByState) return world.store.row(id).stateSince;
  const launched = world.store.events(id).findLast(({ body }) => "launch" in body);
  return launched?.at ?? world.instant;
}
