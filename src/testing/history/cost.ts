import type { JsonObject } from "../../domain/json.ts";
import type { RequestTruth } from "./truth.ts";

/** Billionths of a dollar for one token; the price of a long context holds for the whole request. */
interface Rates {
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly write: number;
  readonly hour: number;
  readonly long?: { readonly above: number; readonly until?: number; readonly output: number };
  readonly fast?: number;
}

const SEARCH = 10_000_000;
const OPUS = { input: 5000, output: 25_000, read: 500, write: 6250, hour: 10_000 };
/** Claude Opus 4.6 lost its price for long contexts on that day. */
export const OPUS_TIER_END = Date.UTC(2026, 2, 13);

/** List prices as their providers publish them, written down once more, independently of the table that is tested. */
const RATES: Readonly<Record<string, Rates>> = {
  "claude-sonnet-4-5": {
    ...{ input: 3000, output: 15_000, read: 300, write: 3750, hour: 6000 },
    long: { above: 200_000, output: 1.5 },
  },
  "claude-opus-4-6": { ...OPUS, long: { above: 200_000, until: OPUS_TIER_END, output: 1.5 }, fast: 6 },
  "claude-opus-4-8": { ...OPUS, fast: 2 },
  "claude-haiku-4-5": { input: 1000, output: 5000, read: 100, write: 1250, hour: 2000 },
  "gpt-5": { input: 1250, output: 10_000, read: 125, write: 1250, hour: 1250 },
  "gpt-5.4": {
    ...{ input: 2500, output: 15_000, read: 250, write: 2500, hour: 2500 },
    long: { above: 272_000, output: 1.5 },
  },
  "gemini-2.5-flash": { input: 300, output: 2500, read: 30, write: 300, hour: 300 },
  "chosen-model": { input: 7000, output: 31_000, read: 700, write: 9000, hour: 13_000, fast: 3 },
};

/** The prices that a user chose for a model which no table knows, as the configuration has them. */
export const CHOSEN_PRICES: JsonObject = {
  "chosen-model": {
    input: 7,
    output: 31,
    cache_read: 0.7,
    cache_write: 9,
    cache_write_hour: 13,
    web_search: 0.01,
    fast: 3,
  },
};

export const UNPRICED_MODEL = "model-of-tomorrow";

/** Null where the model has no price. The cost that the agent reported counts before the computed one. */
export function costOf(request: RequestTruth): number | null {
  if (request.reportedNanoUsd !== null) return request.reportedNanoUsd;
  const rates = RATES[(request.model ?? "").replace(/-\d{8}$/u, "")];
  if (rates === undefined) return null;
  const { input, output, cacheRead, cacheWrite, cacheWriteHour } = request;
  const isLong =
    rates.long !== undefined &&
    input + cacheRead + cacheWrite > rates.long.above &&
    request.at < (rates.long.until ?? Number.POSITIVE_INFINITY);
  const [inFactor, outFactor] = isLong ? [2, rates.long?.output ?? 1] : [1, 1];
  const tokens =
    inFactor *
      (input * rates.input +
        cacheRead * rates.read +
        (cacheWrite - cacheWriteHour) * rates.write +
        cacheWriteHour * rates.hour) +
    outFactor * output * rates.output;
  return tokens * (request.isFast ? (rates.fast ?? 1) : 1) + request.webSearches * SEARCH;
}

/** The cost of those requests that have one; null where none has. */
export function costOfAll(requests: readonly RequestTruth[]): number | null {
  const costs = requests.map(costOf).filter((cost) => cost !== null);
  return costs.length === 0 ? null : costs.reduce((total, cost) => total + cost, 0);
}
