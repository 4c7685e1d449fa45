import { statSync } from "node:fs";
import Database from "better-sqlite3";

const PAGE_BYTES = 4096;
const FRAME_HEADER_BYTES = 24;

/** Counts the pages that each piece of work writes to the journal of a store. */
export async function walPagesOf(
  path: string,
  times: number,
  work: (n: number) => Promise<unknown>,
): Promise<number[]> {
  const counts: number[] = [];
  const db = new Database(path);
  try {
    for (let n = 0; n < times; n++) {
      // Empty, so that its size is what the work wrote.
      db.pragma("wal_checkpoint(TRUNCATE)");
      await work(n);
      counts.push(Math.floor(statSync(`${path}-wal`).size / (PAGE_BYTES + FRAME_HEADER_BYTES)));
    }
  } finally {
    db.close();
  }
  return counts;
}

/** The usual count: a page that is split now and then writes a few more. */
export function medianOf(counts: readonly number[]): number {
  return counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0;
}
