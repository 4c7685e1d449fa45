import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionRow } from "../domain/session.ts";
import { isEnded } from "../domain/state.ts";
import { endByFile } from "../host/holder.ts";
import { findHolderFile } from "../host/holder-files.ts";
import { launchFolder } from "../record/config.ts";
import { isProcessAlive } from "../record/process.ts";
import type { Services } from "./services.ts";

const STEP_MS = 20;

/** What an agent that was started with `--keep-children` left running, and its holder watches over. */
export async function keptOf({ leftovers, places }: Services, row: SessionRow): Promise<readonly number[]> {
  const { carried, state } = row;
  if (!carried?.launch.keepsChildren || !isEnded(state)) return [];
  const folder = launchFolder(places.home, carried.launch.marker);
  return (await leftovers.of(carried.launch.marker, folder)).map(({ pid }) => pid);
}

/** Who ends such a session means them, too. False where they are still there after this time. */
export async function endKept(
  services: Services,
  row: SessionRow,
  { graceMs, withinMs }: { readonly graceMs: number; readonly withinMs: number },
): Promise<boolean> {
  if (row.carried === null || (await keptOf(services, row)).length === 0) return true;
  const folder = launchFolder(services.places.home, row.carried.launch.marker);
  if (isHeld(folder)) await endByFile(folder, graceMs);
  for (let waitedMs = 0; isHeld(folder); waitedMs += STEP_MS) {
    if (waitedMs > withinMs) return false;
    await sleep(STEP_MS);
  }
  rmSync(folder, { recursive: true, force: true });
  return (await keptOf(services, row)).length === 0;
}

/** Whether the holder of a launch is there, or what guards it. */
export function isHeld(folder: string): boolean {
  const file = findHolderFile(folder);
  return [file?.guard, file?.holder].some(
    (process) => process && file && isProcessAlive({ ...process, bootId: file.bootId }),
  );
}
