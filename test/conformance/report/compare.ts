import type { Moment } from "../moments.ts";
import { keyOf } from "./tally.ts";

/** The moments that were right when the scorecard was made. */
export interface Baseline {
  readonly versions: Readonly<Record<string, string>>;
  readonly moments: readonly string[];
  /** Those of them that the short run has, too. */
  readonly short: readonly string[];
}

export interface Asked {
  readonly isShort: boolean;
  /** Undefined: all of them. */
  readonly program: string | undefined;
}

export function baselineOf(moments: readonly Moment[]): Baseline {
  const right = moments.filter(({ verdict }) => verdict === "right");
  const keys = (some: readonly Moment[]) => [...new Set(some.map(keyOf))].sort();
  return {
    versions: Object.fromEntries(moments.map(({ program, version }) => [program, version])),
    moments: keys(right),
    short: keys(right.filter(({ isSlow }) => !isSlow)),
  };
}

/** What is worse than it was, in one sentence each. */
export function complaints(moments: readonly Moment[], baseline: Baseline, asked: Asked): string[] {
  const wrong = moments.filter(({ verdict }) => verdict !== "right");
  const reached = new Set(moments.map(keyOf));
  const wanted = (asked.isShort ? baseline.short : baseline.moments).filter(
    (key) => asked.program === undefined || key.startsWith(`${asked.program} `),
  );
  return [
    ...wrong.map((one) => `${one.verdict}: ${keyOf(one)}: expected ${one.expected}, got ${one.got}`),
    ...wanted.filter((key) => !reached.has(key)).map((key) => `not reached: ${key}`),
  ];
}
