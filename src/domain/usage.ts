import { checkCount, checkInstant, checkText } from "./check.ts";
import { RollcallError } from "./errors.ts";
import type { Instant } from "./time.ts";

/** One model request as the ledger keeps it. Null is "not measured", never zero. Money in billionths of a dollar. */
export interface UsageEntry {
  /** Names the request: writing it again replaces it, so that each is counted once. */
  readonly requestKey: string;
  /**
   * The provider gave the key, so that it names one request over all sessions. The session that reports it first owns
   * it: in a fork or a resumed copy of the conversation it counts no second time.
   */
  readonly isShared?: true;
  readonly at: Instant;
  readonly model: string | null;
  readonly tokensInput: number | null;
  readonly tokensOutput: number | null;
  readonly tokensCacheRead: number | null;
  readonly tokensCacheWrite: number | null;
  /** The part of `tokensCacheWrite` that the cache keeps for an hour, at a price of its own. */
  readonly tokensCacheWriteHour: number | null;
  readonly tokensReasoning: number | null;
  /** Searches that the provider ran for this request and bills by number. */
  readonly webSearches: number | null;
  readonly serviceTier: string | null;
  /** `fast` costs more with some models. */
  readonly speed: string | null;
  readonly reportedNanoUsd: number | null;
  readonly computedNanoUsd: number | null;
  /** The prices behind `computedNanoUsd`: a table with its version, or the user's own. */
  readonly pricedBy: string | null;
}

/** Adds the computed cost to a request. A model without a known price leaves it null. */
export type PriceRequest = (request: UsageEntry) => UsageEntry;

/** By what usage can be summed up. */
export const USAGE_GROUPS = ["agent", "name", "model", "day", "purpose", "folder"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export const COST_SOURCES = ["reported", "computed", "mixed", "unpriced"] as const;
export type CostSource = (typeof COST_SOURCES)[number];

/** Usage as a record shows it. `tokensReasoning` is part of the output and never added. */
export interface Usage {
  readonly turns: number | null;
  readonly tokensInput: number | null;
  readonly tokensOutput: number | null;
  readonly tokensCacheRead: number | null;
  readonly tokensCacheWrite: number | null;
  readonly tokensReasoning: number | null;
  readonly tokensTotal: number | null;
  readonly costUsd: number | null;
  readonly costSource: CostSource | null;
  /** Something that belongs into a sum was not measured. */
  readonly partial: boolean;
}

/** Totals said by a writer that keeps no ledger. */
export interface DeclaredTotals {
  readonly turns: number | null;
  readonly tokensInput: number | null;
  readonly tokensOutput: number | null;
  readonly tokensCacheRead: number | null;
  readonly tokensCacheWrite: number | null;
  readonly tokensReasoning: number | null;
  readonly costUsd: number | null;
}

const SUMMED = ["tokensInput", "tokensOutput", "tokensCacheRead", "tokensCacheWrite"] as const;
const MEASURED = [
  ...SUMMED,
  ...([
    "tokensCacheWriteHour",
    "tokensReasoning",
    "webSearches",
    "reportedNanoUsd",
    "computedNanoUsd",
  ] as const),
] as const;
type Summed = (typeof SUMMED)[number] | "tokensReasoning";

/** The sum of a ledger, in whole numbers, so that adding and taking away are exact. */
export interface LedgerSum {
  readonly requests: number;
  readonly sums: Readonly<Record<Summed, number>>;
  /** How many requests measured each bucket. */
  readonly measured: Readonly<Record<Summed, number>>;
  readonly nanoUsd: number;
  readonly reported: number;
  readonly computed: number;
}

export const EMPTY_LEDGER: LedgerSum = {
  requests: 0,
  sums: { tokensInput: 0, tokensOutput: 0, tokensCacheRead: 0, tokensCacheWrite: 0, tokensReasoning: 0 },
  measured: { tokensInput: 0, tokensOutput: 0, tokensCacheRead: 0, tokensCacheWrite: 0, tokensReasoning: 0 },
  nanoUsd: 0,
  reported: 0,
  computed: 0,
};

export const NO_USAGE: Usage = {
  turns: null,
  tokensInput: null,
  tokensOutput: null,
  tokensCacheRead: null,
  tokensCacheWrite: null,
  tokensReasoning: null,
  tokensTotal: null,
  costUsd: null,
  costSource: null,
  partial: false,
};

/**
 * Whether a later report of a request that the provider named is worth less than the earlier one. While an answer is
 * streamed, each of its blocks repeats the request with the output so far.
 */
export function isSuperseded(request: UsageEntry, earlier: UsageEntry): boolean {
  return request.isShared === true && (request.tokensOutput ?? -1) < (earlier.tokensOutput ?? -1);
}

/** Refuses a request that could not be summed up: counts are whole and not negative, or unknown. */
export function checkRequest(request: UsageEntry): UsageEntry {
  if (checkText(request.requestKey, "requestKey", 512) === "")
    throw new RollcallError("bad_input", "A request needs a key that names it.");
  for (const name of MEASURED) if (request[name] !== null) checkCount(request[name], name);
  for (const name of ["serviceTier", "speed", "pricedBy"] as const)
    if (request[name] !== null) checkText(request[name], name, 100);
  if ((request.tokensCacheWriteHour ?? 0) > (request.tokensCacheWrite ?? 0))
    throw new RollcallError("bad_input", "tokensCacheWriteHour is a part of tokensCacheWrite.");
  return { ...request, at: checkInstant(request.at, "a request") };
}

export function addToLedger(sum: LedgerSum, entry: UsageEntry): LedgerSum {
  return moveLedger(sum, entry, 1);
}

export function takeFromLedger(sum: LedgerSum, entry: UsageEntry): LedgerSum {
  return moveLedger(sum, entry, -1);
}

export function mergeLedgers(a: LedgerSum, b: LedgerSum): LedgerSum {
  return {
    requests: a.requests + b.requests,
    sums: bucketsBy((name) => a.sums[name] + b.sums[name]),
    measured: bucketsBy((name) => a.measured[name] + b.measured[name]),
    nanoUsd: a.nanoUsd + b.nanoUsd,
    reported: a.reported + b.reported,
    computed: a.computed + b.computed,
  };
}

/** Declared totals as the sum of one request, so that they can stay when their session is removed. */
export function ledgerOfTotals({ costUsd, ...counts }: DeclaredTotals): LedgerSum {
  const known = (name: Summed) => (counts[name] === null ? 0 : 1);
  const isPriced = costUsd !== null;
  return {
    requests: 1,
    sums: bucketsBy((name) => counts[name] ?? 0),
    measured: bucketsBy(known),
    nanoUsd: isPriced ? Math.round(costUsd * 1e9) : 0,
    reported: isPriced ? 1 : 0,
    computed: 0,
  };
}

function bucketsBy(of: (name: Summed) => number): LedgerSum["sums"] {
  return {
    tokensInput: of("tokensInput"),
    tokensOutput: of("tokensOutput"),
    tokensCacheRead: of("tokensCacheRead"),
    tokensCacheWrite: of("tokensCacheWrite"),
    tokensReasoning: of("tokensReasoning"),
  };
}

/** Whether a sum holds a request without any cost. */
export function hasUnpriced(sum: LedgerSum): boolean {
  return sum.reported + sum.computed < sum.requests;
}

/** The names of models with requests that have no price, in order. */
export function unpricedOf(
  totals: readonly { readonly group: string | null; readonly ledger: LedgerSum }[],
): string[] {
  return totals.flatMap(({ group, ledger }) => (group !== null && hasUnpriced(ledger) ? [group] : [])).sort();
}

/** The reported cost counts before the computed one. */
export function costSourceOfRequest(request: UsageEntry): CostSource {
  const isReported = request.reportedNanoUsd !== null;
  return costSourceOf(isReported, !isReported && request.computedNanoUsd !== null);
}

export function usageOfLedger(sum: LedgerSum, turns: number | null): Usage {
  const bucket = (name: Summed) => (sum.measured[name] === 0 ? null : sum.sums[name]);
  const priced = sum.reported + sum.computed;
  return withTotal({
    turns,
    tokensInput: bucket("tokensInput"),
    tokensOutput: bucket("tokensOutput"),
    tokensCacheRead: bucket("tokensCacheRead"),
    tokensCacheWrite: bucket("tokensCacheWrite"),
    tokensReasoning: bucket("tokensReasoning"),
    costUsd: priced === 0 ? null : sum.nanoUsd / 1e9,
    costSource: costSourceOf(sum.reported > 0, sum.computed > 0),
    partial: hasUnpriced(sum) || SUMMED.some((name) => sum.measured[name] < sum.requests),
  });
}

export function usageOfTotals(totals: DeclaredTotals, turns: number | null): Usage {
  const { costUsd, ...counts } = totals;
  const knowsTokens = SUMMED.some((name) => totals[name] !== null);
  return withTotal({
    ...counts,
    turns: turns ?? totals.turns,
    costUsd,
    costSource: costUsd === null ? (knowsTokens ? "unpriced" : null) : "reported",
    partial: costUsd === null || SUMMED.some((name) => totals[name] === null),
  });
}

/** A parent together with its children. A member that measured nothing makes the sum partial. */
export function combineUsage(members: readonly Usage[]): Usage {
  if (members.length === 1) return members[0] as Usage;
  const known = members.filter((member) => !isUnmeasured(member));
  const sum = (name: "turns" | Summed | "costUsd") => {
    const values = members.map((member) => member[name]).filter((value) => value !== null);
    return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
  };
  if (known.length === 0) return { ...NO_USAGE, turns: sum("turns") };
  const sources = known.map((member) => member.costSource);
  const is = (...wanted: CostSource[]) =>
    sources.some((source) => source !== null && wanted.includes(source));
  return withTotal({
    turns: sum("turns"),
    tokensInput: sum("tokensInput"),
    tokensOutput: sum("tokensOutput"),
    tokensCacheRead: sum("tokensCacheRead"),
    tokensCacheWrite: sum("tokensCacheWrite"),
    tokensReasoning: sum("tokensReasoning"),
    costUsd: sum("costUsd"),
    costSource: costSourceOf(is("reported", "mixed"), is("computed", "mixed")),
    partial: known.length < members.length || known.some((member) => member.partial),
  });
}

function isUnmeasured(usage: Usage): boolean {
  return usage.tokensTotal === null && usage.costUsd === null;
}

function costSourceOf(reported: boolean, computed: boolean): CostSource {
  if (reported && computed) return "mixed";
  if (reported) return "reported";
  return computed ? "computed" : "unpriced";
}

function withTotal(usage: Omit<Usage, "tokensTotal">): Usage {
  const known = SUMMED.map((name) => usage[name]).filter((value) => value !== null);
  const tokensTotal = known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
  const { costUsd, costSource, partial, ...counts } = usage;
  return { ...counts, tokensTotal, costUsd, costSource, partial };
}

function moveLedger(sum: LedgerSum, entry: UsageEntry, sign: 1 | -1): LedgerSum {
  const sums = { ...sum.sums };
  const measured = { ...sum.measured };
  for (const name of [...SUMMED, "tokensReasoning"] as const) {
    const value = entry[name];
    if (value === null) continue;
    sums[name] += sign * value;
    measured[name] += sign;
  }
  const isReported = entry.reportedNanoUsd !== null;
  const isComputed = !isReported && entry.computedNanoUsd !== null;
  return {
    requests: sum.requests + sign,
    sums,
    measured,
    nanoUsd: sum.nanoUsd + sign * (entry.reportedNanoUsd ?? entry.computedNanoUsd ?? 0),
    reported: sum.reported + (isReported ? sign : 0),
    computed: sum.computed + (isComputed ? sign : 0),
  };
}
