import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

export interface SizeOptions {
  /** The walk is given up after so long. */
  readonly mostMs: number;
  readonly signal?: AbortSignal;
}

/** Files that are looked at together: more would only wait for each other. */
const TOGETHER = 32;
const BLOCK_BYTES = 512;

/**
 * The disk space that a folder takes, as `du` counts it: blocks, hard links once, links not followed; on its own
 * filesystem only. Every file is looked at, because one that grows in place changes no folder. Null where the folder is
 * not there or the time was not enough. Never blocks: the waiting is done by threads.
 */
export async function workspaceSize(folder: string, { mostMs, signal }: SizeOptions): Promise<number | null> {
  const deadline = performance.now() + mostMs;
  const top = await lstat(folder).catch(() => undefined);
  if (!top?.isDirectory()) return null;
  const linked = new Set<number>();
  const folders = [folder];
  let blocks = top.blocks;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    // A file that cannot be read, or has just gone, counts as no space.
    const names = await readdir(next).catch(() => []);
    for (let at = 0; at < names.length; at += TOGETHER) {
      if (performance.now() > deadline || signal?.aborted) return null;
      const paths = names.slice(at, at + TOGETHER).map((name) => join(next, name));
      const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
      for (const [index, stats] of found.entries()) {
        if (!stats || stats.dev !== top.dev || isKnown(stats, linked)) continue;
        blocks += stats.blocks;
        if (stats.isDirectory()) folders.push(paths[index] as string);
      }
    }
  }
  return blocks * BLOCK_BYTES;
}

/** Whether another name of the same file was counted before. */
function isKnown(
  stats: { readonly nlink: number; readonly ino: number; isDirectory(): boolean },
  linked: Set<number>,
): boolean {
  if (stats.nlink < 2 || stats.isDirectory()) return false;
  if (linked.has(stats.ino)) return true;
  linked.add(stats.ino);
  return false;
}
