import type { Leftover } from "../../../domain/supervise/observation.ts";
import type { Launch } from "../launch.ts";
import type { Proc } from "../process-table.ts";
import type { World } from "../world.ts";
import { findMarked } from "./traces.ts";

/** The trees of leftovers are looked at again after this. */
const KILLED_MS = 50;
/** An end that is not proven is tried again after this. */
const UNPROVEN_MS = 5000;

/** Everything that an act may use beside the processes of its launch. */
export interface Hands {
  readonly world: World;
  /** Resolves when the world lets the daemon go on. */
  wait(standing: string): Promise<void>;
  lookLater(afterMs: number): void;
}

export function endTree({ world, lookLater }: Hands, launch: Launch | undefined, graceMs: number): void {
  const isConnected = launch?.onMessage && launch.isListening();
  const isByFile = world.habits.endsByFile && launch?.folder.isRemoved === false;
  if (isConnected || isByFile) launch?.askEnd(graceMs);
  if (!isConnected) lookLater(isByFile ? graceMs + UNPROVEN_MS : 0);
}

export async function stopTree(
  { world, wait }: Hands,
  launch: Launch | undefined,
  isStopped: boolean,
): Promise<void> {
  if (world.habits.pausesByHolder) {
    if (launch?.onMessage && launch.isListening())
      for (const proc of launch.tree()) proc.isStopped = isStopped;
    return;
  }
  if (!launch?.folder.holder) return;
  for (const found of findMarked(world, launch)) {
    await wait("between two signals");
    world.signal(found, launch, (proc) => {
      proc.isStopped = isStopped;
    });
  }
}

export async function killLeftovers(
  { world, wait, lookLater }: Hands,
  launch: Launch,
  leftovers: readonly Leftover[],
): Promise<void> {
  for (const leftover of leftovers) {
    await wait("between two kills");
    world.signal(leftover, launch, (proc) => kill(world, launch, proc));
  }
  lookLater(KILLED_MS);
}

function kill(world: World, launch: Launch, proc: Proc): void {
  world.count("leftover killed");
  if (proc.isStuck) return;
  if (proc === launch.agent) launch.exitAgent({ code: null, signal: "SIGKILL" });
  else if (proc === launch.holder) launch.killHolder();
  else world.table.die(proc);
}
