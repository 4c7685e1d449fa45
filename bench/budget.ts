import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "./figure.ts";

export interface Bar {
  readonly least?: number;
  readonly most?: number;
}

const BARS = JSON.parse(readFileSync(join(import.meta.dirname, "budget.json"), "utf8")) as Record<
  string,
  Bar
>;

export function barOf(name: string): Bar {
  const bar = BARS[name];
  if (bar) return bar;
  throw new Error(`budget.json has no bar for ${name}.`);
}

/** Not a number is never within. */
export function isWithin({ value }: Figure, { least, most }: Bar): boolean {
  return (least === undefined || value >= least) && (most === undefined || value <= most);
}

export function showBar({ least, most }: Bar): string {
  return least === undefined ? `<= ${most}` : `>= ${least}`;
}
