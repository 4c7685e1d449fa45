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

/** Worse than twice its bar, which is no noise of a busy machine. A count has no noise: its bar stands. */
export function isFarOff(figure: Figure, bar: Bar): boolean {
  if (figure.valueUnit === "count") return !isWithin(figure, bar);
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = bar;
  return !isWithin(figure, { least: least / 2, most: most * 2 });
}

/** A figure without a bar is printed, and judged by people. */
export function showBar({ least, most }: Bar): string {
  if (least === undefined && most === undefined) return "none";
  return least === undefined ? `<= ${most}` : `>= ${least}`;
}
