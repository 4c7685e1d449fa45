import type { ModelTotal } from "../../domain/reported-totals.ts";

/** Tokens and money as people and programs are shown them. Null is "not known". */
export interface Figures {
  readonly tokensInput: number | null;
  readonly tokensOutput: number | null;
  readonly tokensCacheRead: number | null;
  readonly tokensCacheWrite: number | null;
  readonly tokensTotal: number | null;
  readonly costUsd: number | null;
}

export function figuresOf({ model: _, nanoUsd, ...tokens }: ModelTotal): Figures {
  const known = Object.values(tokens).filter((count) => count !== null);
  const tokensTotal = known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
  return { ...tokens, tokensTotal, costUsd: nanoUsd === null ? null : nanoUsd / 1e9 };
}
