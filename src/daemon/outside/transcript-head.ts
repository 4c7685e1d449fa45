import { closeSync, readSync } from "node:fs";
import { basename } from "node:path";
import type { Outside, OutsideIdentity } from "../../agents/agent.ts";
import { openForeign } from "../../machine/foreign-file.ts";

const HEAD_BYTES = 64 * 1024;

/** The session of a transcript, as its first lines tell; undefined for one in which nothing was said yet. */
export function identityIn(facts: Outside, path: string): OutsideIdentity | undefined {
  const { lines, isAll } = firstLines(path);
  if (isAll && facts.isWord && !lines.some((line) => facts.isWord?.(line))) return undefined;
  for (const line of lines) {
    const identity = facts.ofTranscript(basename(path), line);
    if (identity) return identity;
  }
  return undefined;
}

/** Whole lines only. */
function firstLines(path: string): { readonly lines: readonly string[]; readonly isAll: boolean } {
  try {
    const file = openForeign(path);
    try {
      const bytes = Buffer.alloc(HEAD_BYTES);
      const size = readSync(file, bytes, 0, HEAD_BYTES, 0);
      const lines = bytes.subarray(0, size).toString("utf8").split("\n").slice(0, -1);
      return { lines, isAll: size < HEAD_BYTES };
    } finally {
      closeSync(file);
    }
  } catch {
    return { lines: [], isAll: true };
  }
}
