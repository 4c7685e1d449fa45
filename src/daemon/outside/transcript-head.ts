import { closeSync, readSync } from "node:fs";
import { basename } from "node:path";
import type { Outside, OutsideIdentity } from "../../agents/agent.ts";
import { openForeign } from "../../machine/foreign-file.ts";

const HEAD_BYTES = 64 * 1024;

/** Whose transcript a file is, as its first lines tell. */
export function identityIn(facts: Outside, path: string): OutsideIdentity | undefined {
  for (const line of firstLines(path)) {
    const identity = facts.ofTranscript(basename(path), line);
    if (identity) return identity;
  }
  return undefined;
}

/** Whole lines only. */
function firstLines(path: string): string[] {
  try {
    const file = openForeign(path);
    try {
      const bytes = Buffer.alloc(HEAD_BYTES);
      const text = bytes.subarray(0, readSync(file, bytes, 0, HEAD_BYTES, 0)).toString("utf8");
      return text.split("\n").slice(0, -1);
    } finally {
      closeSync(file);
    }
  } catch {
    return [];
  }
}
