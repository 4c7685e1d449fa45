import { isJsonObject, type Json } from "./json.ts";

/** The user's own prices of a model, in dollars for a million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  /** As input, where absent. */
  readonly cacheRead?: number;
  /** As input, where absent. */
  readonly cacheWrite?: number;
  /** As cacheWrite, where absent. */
  readonly cacheWriteHour?: number;
  /** Dollars for one search. */
  readonly webSearch?: number;
  /** How much more the tokens of a fast request cost. */
  readonly fast?: number;
}

export type PriceOverrides = Readonly<Record<string, ModelPrices>>;

const FIELDS = {
  input: "input",
  output: "output",
  cache_read: "cacheRead",
  cache_write: "cacheWrite",
  cache_write_hour: "cacheWriteHour",
  web_search: "webSearch",
  fast: "fast",
} as const;

/** A setting is a dollar amount that a request can be multiplied by. */
const MOST = 1_000_000;

/** Reads what `prices` in the settings says of one model; undefined where it is not valid. */
export function readModelPrices(value: Json): ModelPrices | undefined {
  if (!isJsonObject(value)) return undefined;
  const prices: Partial<Record<keyof ModelPrices, number>> = {};
  for (const [name, amount] of Object.entries(value)) {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name as keyof typeof FIELDS] : undefined;
    const isAmount = typeof amount === "number" && amount >= 0 && amount <= MOST;
    if (field === undefined || !isAmount) return undefined;
    prices[field] = amount;
  }
  const { input, output } = prices;
  return input === undefined || output === undefined ? undefined : { ...prices, input, output };
}
