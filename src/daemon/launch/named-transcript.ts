import { statSync } from "node:fs";
import { relative } from "node:path";
import type { Memory } from "../../agents/parsed.ts";
import type { TranscriptSource } from "../../agents/sources.ts";
import { filesBelow } from "../../machine/files-below.ts";
import { firstLineOf } from "../../machine/first-line.ts";

/** Deep enough for a folder of conversations in the folder of each project. */
const MOST_DEPTH = 2;

/** The transcript that is named for a conversation; of several the longest, for the others are heads without any words. */
export function findNamed<M extends Memory>(
  source: TranscriptSource<M> | undefined,
  folder: string,
  nativeId: string,
): string | undefined {
  return allNamed(source, folder, nativeId)[0];
}

/** All of them, the longest first. */
export function allNamed<M extends Memory>(
  source: TranscriptSource<M> | undefined,
  folder: string,
  nativeId: string,
): string[] {
  const isIts = (path: string) =>
    source?.isNamedFor?.(relative(folder, path), nativeId) === true &&
    (source.isOwn?.(firstLineOf(path), nativeId) ?? true);
  const found = filesBelow(folder, MOST_DEPTH).filter(isIts);
  const sized = found.map((path) => ({ path, bytes: sizeOf(path) }));
  return sized.sort((a, b) => b.bytes - a.bytes).map(({ path }) => path);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
