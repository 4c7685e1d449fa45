import type { Scratch } from "./scratch.ts";

/** One measured value and what it was measured against. `value` is what the budget judges. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** `x` is a ratio of ours to the baseline. */
  readonly valueUnit: "x" | "MB" | "count";
  readonly ours?: number;
  readonly baseline?: number;
  readonly unit?: "op/s" | "ms";
  readonly note?: string;
}

/** A figure that could not be measured, and what to do about it. */
export interface NotRun {
  readonly name: string;
  readonly notRun: string;
}

export interface Bench {
  /** The short form: fewer operations and sessions, the same rounds and bars. */
  readonly isQuick: boolean;
  readonly scratch: Scratch;
}

export type Group = (bench: Bench) => AsyncIterable<Figure | NotRun>;
