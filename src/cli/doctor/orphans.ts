import { setTimeout as sleep } from "node:timers/promises";
import type { SessionRow } from "../../domain/session/session.ts";
import { isLive } from "../../domain/session/state.ts";
import { launchFolder, sessionOfLaunch } from "../../home/launch-folder.ts";
import { signalMarked } from "../../host/holder.ts";
import { findHolderFile } from "../../host/holder-files.ts";
import { isStillMarked, type MarkedProcess, markedProcesses } from "../../machine/marked-process.ts";
import { isProcessAlive } from "../../machine/process.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { nativeProgram } from "../live.ts";

/** How long one that is about to leave by itself is waited for. */
const LEAVING_MS = 500;
const TERM_MS = 2000;
const KILL_MS = 1000;
/** One that is ended may have begun another. */
const ROUNDS = 3;

/**
 * Processes of launches of this state folder that nothing holds any more: their session has ended, is not known, or
 * was lost with its holder. Never one of a live session, nor one that was to be kept.
 */
export async function findOrphans(rollcall: Rollcall): Promise<MarkedProcess[]> {
  const { home } = rollcall.context;
  // Looked for first: whatever runs has its record already.
  const found = markedProcesses(home);
  if (found.length === 0) return [];
  const launches = await launchesOf(rollcall);
  const left = found.filter(({ marker }) => !mayLive(home, marker, launches));
  await gone(left, LEAVING_MS);
  return left.filter((orphan) => isStillMarked(orphan, home));
}

/** Ends them and returns those that are left. */
export async function endOrphans(rollcall: Rollcall): Promise<MarkedProcess[]> {
  const { home } = rollcall.context;
  let orphans = await findOrphans(rollcall);
  for (let round = 0; round < ROUNDS && orphans.length > 0; round++) {
    await signalAll(orphans, home, "TERM");
    await gone(orphans, TERM_MS);
    await signalAll(orphans, home, "KILL");
    await gone(orphans, KILL_MS);
    orphans = await findOrphans(rollcall);
  }
  return orphans;
}

export interface Launches {
  /** By the marker of their current launch. */
  readonly rows: ReadonlyMap<string, SessionRow>;
  /** Not where a record is damaged: any launch may be its. */
  readonly areAll: boolean;
}

export async function launchesOf({ context }: Rollcall): Promise<Launches> {
  const { items, corrupt = [] } = await context.store.list({ origins: ["started"], limit: 0 });
  const rows = items.flatMap(({ row }) => (row.carried ? [[row.carried.launch.marker, row] as const] : []));
  return { rows: new Map(rows), areAll: corrupt.length === 0 };
}

function mayLive(home: string, marker: string, { rows, areAll }: Launches): boolean {
  const row = rows.get(marker);
  if (!row) return !areAll || isKeptByEarlier(home, marker, rows);
  if (isLive(row.state) || row.carried?.launch.keepsChildren) return true;
  return row.state === "unknown" && isHeld(launchFolder(home, marker));
}

/** Processes that an earlier generation was told to keep are kept after a resume, too. */
function isKeptByEarlier(home: string, marker: string, rows: Launches["rows"]): boolean {
  const id = sessionOfLaunch(launchFolder(home, marker));
  return rows.values().some((row) => row.id === id && row.carried?.launch.keepsChildren === true);
}

/** Whether a holder, or the guard of one that died, lives for this launch. */
export function isHeld(folder: string): boolean {
  const file = findHolderFile(folder);
  return [file?.guard, file?.holder].some(
    (process) => process && file && isProcessAlive({ ...process, bootId: file.bootId }),
  );
}

async function signalAll(
  orphans: readonly MarkedProcess[],
  home: string,
  signal: "TERM" | "KILL",
): Promise<void> {
  const left = orphans.filter((orphan) => isStillMarked(orphan, home));
  for (const [marker, processes] of Map.groupBy(left, (orphan) => orphan.marker))
    await signalMarked(nativeProgram("rollcall-holder"), signal, { marker, processes });
}

async function gone(orphans: readonly MarkedProcess[], mostMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < mostMs && orphans.some(isProcessAlive); waitedMs += 10) await sleep(10);
}
