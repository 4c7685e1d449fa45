import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionRow } from "../../domain/session/session.ts";
import { isEnded } from "../../domain/session/state.ts";
import { readTree } from "../../home/known-tree.ts";
import { LAUNCH_FILES, launchFolder, sessionOfLaunch } from "../../home/launch-folder.ts";
import { findSurvivors } from "../../home/survivors.ts";
import { connectHolder, endByFile } from "../../host/holder.ts";
import { findExitFile, findHolderFile } from "../../host/holder-files.ts";
import { STREAMS } from "../../host/holder-message.ts";
import { isProcessAlive } from "../../machine/process.ts";
import type { Places } from "../places.ts";
import type { Services } from "../services.ts";
import { removeHalfHooks } from "../sources/hook-spool.ts";

const STEP_MS = 20;
/** A holder leaves a moment after its last word; one that was killed has a guard that ends the rest. */
const LEAVING_MS = 200;

/** Processes that an agent with `--keep-children` left running, and that its holder watches over. */
export async function keptOf({ leftovers, places }: Services, row: SessionRow): Promise<readonly number[]> {
  if (!isEnded(row.state)) return [];
  const launches = keepingLaunches(places, row);
  const found = launches.map(async (marker) => leftovers.of(marker, launchFolder(places.home, marker)));
  return (await Promise.all(found)).flat().map(({ pid }) => pid);
}

/** A session that was resumed may have left something running each time. */
function keepingLaunches({ sessions }: Places, { id, carried }: SessionRow): string[] {
  if (!carried?.launch.keepsChildren) return [];
  const own = carried.launch.marker;
  const isEarlier = (name: string) => name !== own && sessionOfLaunch(join(sessions, name)) === id;
  return [own, ...readdirSync(sessions).filter(isEarlier)];
}

interface Patience {
  readonly graceMs: number;
  readonly withinMs: number;
}

/** Ends them with their session. False where they are still there after this time. */
export async function endKept(services: Services, row: SessionRow, patience: Patience): Promise<boolean> {
  if ((await keptOf(services, row)).length === 0) return true;
  const launches = keepingLaunches(services.places, row);
  const areGone = await Promise.all(
    launches.map(async (marker) => endLaunch(services.places, marker, patience)),
  );
  return areGone.every(Boolean) && (await keptOf(services, row)).length === 0;
}

async function endLaunch(places: Places, marker: string, { graceMs, withinMs }: Patience): Promise<boolean> {
  const folder = launchFolder(places.home, marker);
  if (isHeld(folder)) await endByFile(folder, graceMs);
  for (let waitedMs = 0; isHeld(folder); waitedMs += STEP_MS) {
    if (waitedMs > withinMs) return false;
    await sleep(STEP_MS);
  }
  removeLaunch(places, marker);
  return true;
}

/** Resolves when nothing is left of a launch that is over, its files included, however long what was kept runs on. */
export async function followKept({ places }: Services, marker: string): Promise<void> {
  const folder = launchFolder(places.home, marker);
  while (isHeld(folder)) {
    await letOutputGo(folder).catch(() => {});
    await sleep(LEAVING_MS);
  }
  removeLaunch(places, marker);
}

/** Once the agent has left nobody wants it any more, and a pipe that nobody reads would make its writer wait. */
async function letOutputGo(folder: string): Promise<void> {
  await using connection = await connectHolder(folder, { role: "control" });
  let isOver = false;
  for await (const message of connection) {
    if (message.type === "status") isOver = message.exit !== null;
    if (!isOver) continue;
    if (message.type === "output")
      connection.acknowledge(message.stream, message.offset + message.bytes.length);
    if (message.type === "status")
      for (const stream of STREAMS) connection.acknowledge(stream, message[stream].high);
  }
}

/** Files about processes that may still live stay: nothing else could name them later. */
export function removeLaunch({ home, hooks }: Places, marker: string): void {
  const folder = launchFolder(home, marker);
  if (hasSurvivors(folder)) removeAllBut(folder, [LAUNCH_FILES.tree, LAUNCH_FILES.session]);
  else rmSync(folder, { recursive: true, force: true });
  removeHalfHooks(hooks, marker);
}

function hasSurvivors(folder: string): boolean {
  if (isProvenEmpty(folder)) return false;
  const tree = readTree(folder);
  return tree !== undefined && findSurvivors(tree).length > 0;
}

function isProvenEmpty(folder: string): boolean {
  try {
    return findExitFile(folder)?.tree.state === "empty";
  } catch {
    return false;
  }
}

function removeAllBut(folder: string, kept: readonly string[]): void {
  for (const name of readdirSync(folder))
    if (!kept.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Whether the holder of a launch is there, or what guards it. */
export function isHeld(folder: string): boolean {
  const file = findHolderFile(folder);
  return [file?.guard, file?.holder].some(
    (process) => process && file && isProcessAlive({ ...process, bootId: file.bootId }),
  );
}
