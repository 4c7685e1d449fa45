import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isEnded, isLive, type State } from "../../domain/session/state.ts";
import { readTree } from "../../home/known-tree.ts";
import { runFolder } from "../../home/layout.ts";
import { findSurvivors } from "../../home/survivors.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { isHeld, launchesOf } from "./orphans.ts";

/** A daemon may be about to take them away, or a hook to finish. */
const YOUNG_MS = 60_000;

/** Folders of launches and files of hooks that belong to no session which could still need them. */
export async function findStrayFiles(rollcall: Rollcall): Promise<string[]> {
  const run = runFolder(rollcall.context.home);
  const folders = named(join(run, "sessions"), /^([0-9a-f]{32})$/);
  const hooks = named(join(run, "hooks"), /^\.?([0-9a-f]{32})\./);
  if (folders.length + hooks.length === 0) return [];
  const { rows, areAll } = await launchesOf(rollcall);
  const is = (marker: string, past: (state: State) => boolean) => {
    const row = rows.get(marker);
    return row ? past(row.state) : areAll;
  };
  return [
    // The folder of a session whose end is not known may hold the answer.
    ...folders.filter(({ path, marker }) => is(marker, isEnded) && !isHeld(path) && !hasSurvivors(path)),
    ...hooks.filter(({ marker }) => is(marker, (state) => !isLive(state))),
  ].map(({ path }) => path);
}

/** The file that names them is all that is left of such a launch. */
function hasSurvivors(folder: string): boolean {
  const tree = readTree(folder);
  return tree !== undefined && findSurvivors(tree).length > 0;
}

/** Returns how many were removed. */
export async function removeStrayFiles(rollcall: Rollcall): Promise<number> {
  const stray = await findStrayFiles(rollcall);
  for (const path of stray) rmSync(path, { recursive: true, force: true });
  return stray.length;
}

/** Files with a marker in their name that are not young. */
function named(folder: string, pattern: RegExp): { readonly path: string; readonly marker: string }[] {
  return namesIn(folder).flatMap((name) => {
    const marker = pattern.exec(name)?.[1];
    const path = join(folder, name);
    const found = marker === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
    if (marker === undefined || !found || Date.now() - found.mtimeMs < YOUNG_MS) return [];
    return [{ path, marker }];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
