import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../record/context.ts";

/** Removes the copies of sessions of which no file was written for so long; says of how many. */
export function removeOriginals({ home, now }: Pick<Context, "home" | "now">, olderMs: number): number {
  const root = join(home, "originals");
  const until = now() - olderMs;
  const folders = namesIn(root).flatMap((type) =>
    namesIn(join(root, type)).map((id) => join(root, type, id)),
  );
  const old = folders.filter((folder) => notesIn(folder).every((note) => timeOf(note) < until));
  for (const folder of old) rmSync(folder, { recursive: true, force: true });
  return old.length;
}

function notesIn(folder: string): string[] {
  const names = namesIn(folder).filter((name) => name.endsWith(".json"));
  return names.map((name) => join(folder, name));
}

/** A note beside a copy has the time of the file that was copied, or none while that is new. */
function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs || Number.POSITIVE_INFINITY;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
