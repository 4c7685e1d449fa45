import { lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { storePath } from "./layout.ts";

/** `store` is the database with its journal; `backups` also what a restore replaced; `live` what sessions need that run. */
type StateKind = "store" | "recordings" | "originals" | "backups" | "logs" | "live" | "files";

interface StateSizes {
  readonly bytes: Readonly<Record<StateKind, number>>;
  /** False where the time was not enough to look at all files: there are more bytes. */
  readonly isWhole: boolean;
}

/** Files that are looked at together: more would only wait for each other. */
const TOGETHER = 32;

/** How many bytes the files of the state folder have. Opens none of them, and follows no link. */
export async function stateSizes(home: string, { mostMs }: { readonly mostMs: number }): Promise<StateSizes> {
  const deadline = performance.now() + mostMs;
  const bytes = { store: 0, recordings: 0, originals: 0, backups: 0, logs: 0, live: 0, files: 0 };
  const folders: { readonly path: string; readonly kind?: StateKind }[] = [{ path: home }];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { path: folder, kind: ofFolder } = next;
    // A file that cannot be read, or has just gone, counts as nothing.
    const names = await readdir(folder).catch(() => []);
    for (let at = 0; at < names.length; at += TOGETHER) {
      if (performance.now() > deadline) return { bytes, isWhole: false };
      const some = names.slice(at, at + TOGETHER);
      const found = await Promise.all(some.map((name) => lstat(join(folder, name)).catch(() => undefined)));
      for (const [index, name] of some.entries()) {
        const kind = ofFolder ?? kindOf(name, basename(storePath(home)));
        const stats = found[index];
        if (stats?.isDirectory()) folders.push({ path: join(folder, name), kind });
        else if (stats?.isFile()) bytes[kind] += stats.size;
      }
    }
  }
  return { bytes, isWhole: true };
}

function kindOf(name: string, store: string): StateKind {
  if ([store, `${store}-wal`, `${store}-shm`, `${store}.bell`].includes(name)) return "store";
  if (name === "backups" || name.startsWith(`${store}.`)) return "backups";
  if (name === "recordings") return "recordings";
  if (name === "originals") return "originals";
  if (name === "run") return "live";
  return /^daemon\.(?:log|err)/.test(name) ? "logs" : "files";
}
