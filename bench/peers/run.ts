/** The figures of one session, its sub-agents included. */
export interface Counted {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly costUsd: number;
}

export const NOTHING: Counted = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 };

/** One program on one tree: what it says of each session, and how long it took. */
export interface Run {
  readonly name: string;
  readonly sessions: ReadonlyMap<string, Counted>;
  readonly steps: readonly { readonly name: string; readonly ms: number }[];
}

export function plus(a: Counted, b: Counted): Counted {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    costUsd: a.costUsd + b.costUsd,
  };
}

export function isSameTokens(a: Counted, b: Counted): boolean {
  return (["input", "output", "cacheRead", "cacheWrite"] as const).every((name) => a[name] === b[name]);
}

/** To a millionth of a dollar: the peer adds up floats. */
export function isSameCost(a: Counted, b: Counted): boolean {
  return Math.abs(a.costUsd - b.costUsd) < 1e-6;
}

export function totalOf(sessions: ReadonlyMap<string, Counted>): Counted {
  return [...sessions.values()].reduce(plus, NOTHING);
}
