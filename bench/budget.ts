import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Figure } from "./figure.ts";

export interface Bar {
  readonly least?: number;
  readonly most?: number;
  /** It holds on a busy machine too. */
  readonly must?: boolean;
  /** A count that depends on how busy the machine is. */
  readonly timed?: boolean;
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

/** Whether a miss is a fault even on a busy machine: a count that no clock goes into, or what must hold always. */
export function isFault(figure: Figure, bar: Bar): boolean {
  const isSteady = figure.valueUnit === "count" && !bar.timed;
  return (isSteady || bar.must === true) && !isWithin(figure, bar);
}

/** A figure without a bar is printed, and judged by people. */
export function showBar({ least, most }: Bar): string {
  if (least === undefined && most === undefined) return "none";
  return least === undefined ? `<= ${most}` : `>= ${least}`;
}
