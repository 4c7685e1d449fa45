import type { Instant } from "./time.ts";

/** Where an agent says what it has used in all: in its stream, or in its transcript. */
export const TOTALS_SOURCES = ["stream", "transcript"] as const;
export type TotalsSource = (typeof TOTALS_SOURCES)[number];

/** The usage of one model. Null is "not said", never zero. Money in billionths of a dollar. */
export interface ModelTotal {
  readonly model: string | null;
  readonly tokensInput: number | null;
  readonly tokensOutput: number | null;
  readonly tokensCacheRead: number | null;
  readonly tokensCacheWrite: number | null;
  readonly nanoUsd: number | null;
}

/** The running totals of an agent, as it says them. They never count: the ledger does. */
export interface AgentTotals {
  readonly source: TotalsSource;
  /** Helpers in its own process are part of them. */
  readonly countsSubagents: boolean;
  /** Since the conversation began; in a fork that is before the session. */
  readonly total: readonly ModelTotal[];
  /** Since the agent said them last, or was launched; null where it does not say that. */
  readonly sinceLast: readonly ModelTotal[] | null;
}

/** The totals of one source, as they stand. */
export interface ReportedTotals {
  readonly at: Instant;
  readonly countsSubagents: boolean;
  readonly total: readonly ModelTotal[];
  /** The sum of all that was said to be new; null where it was never said. */
  readonly sinceFirst: readonly ModelTotal[] | null;
}

export type ReportedBySource = { readonly [source in TotalsSource]?: ReportedTotals };

const COUNTS = ["tokensInput", "tokensOutput", "tokensCacheRead", "tokensCacheWrite", "nanoUsd"] as const;
export type Counted = (typeof COUNTS)[number];

export function noteTotals(
  kept: ReportedBySource | null | undefined,
  { source, countsSubagents, total, sinceLast }: AgentTotals,
  at: Instant,
): ReportedBySource {
  const before = kept?.[source];
  const sinceFirst = sinceLast === null ? null : addTotals(before?.sinceFirst ?? [], sinceLast);
  return { ...kept, [source]: { at, countsSubagents, total, sinceFirst } };
}

export function addTotals(a: readonly ModelTotal[], b: readonly ModelTotal[]): ModelTotal[] {
  return combine(a, b, (x, y) => (x === null || y === null ? (x ?? y) : x + y));
}

/** The first without the second. What one of them does not say is not known. */
export function subtractTotals(a: readonly ModelTotal[], b: readonly ModelTotal[]): ModelTotal[] {
  return combine(a, b, (x, y) => (x === null || y === null ? null : x - y), nothingOf);
}

/** The sum over all models, under no name. */
export function sumOfTotals(totals: readonly ModelTotal[]): ModelTotal {
  return totals
    .map((total) => ({ ...total, model: null }))
    .reduce((sum, total) => addTotals([sum], [total])[0] as ModelTotal, UNKNOWN);
}

/** Names of one model: with a date, a size of its context or the prefix of a provider it is the same. */
export function plainModel(model: string | null): string | null {
  return (
    model
      ?.replace(/^.*\//u, "")
      .replace(/\[\w+\]$/u, "")
      .replace(/-\d{8}$/u, "") ?? null
  );
}

const UNKNOWN: ModelTotal = {
  ...{ model: null, tokensInput: null, tokensOutput: null, tokensCacheRead: null, tokensCacheWrite: null },
  nanoUsd: null,
};

function nothingOf(model: string | null): ModelTotal {
  return { model, tokensInput: 0, tokensOutput: 0, tokensCacheRead: 0, tokensCacheWrite: 0, nanoUsd: 0 };
}

function combine(
  a: readonly ModelTotal[],
  b: readonly ModelTotal[],
  count: (x: number | null, y: number | null) => number | null,
  missing: (model: string | null) => ModelTotal = (model) => ({ ...UNKNOWN, model }),
): ModelTotal[] {
  const models = new Set([...a, ...b].map(({ model }) => model));
  return [...models].map((model) => {
    const [x, y] = [a, b].map((all) => all.find((one) => one.model === model) ?? missing(model));
    const counts = COUNTS.map((name) => [name, count((x as ModelTotal)[name], (y as ModelTotal)[name])]);
    return { model, ...(Object.fromEntries(counts) as Record<Counted, number | null>) };
  });
}
