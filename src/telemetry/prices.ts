import type { ModelPrice, Provider } from "@pydantic/genai-prices";
import type { ModelPrices, PriceOverrides } from "../domain/price.ts";
import type { PriceRequest, UsageEntry } from "../domain/usage.ts";
import { type PricedTokens, priceIn, Rates } from "./rates.ts";

/** The table of prices that comes with Rollcall; it is never fetched. A test holds it against the installed package. */
export const PRICE_TABLE = { name: "genai-prices", version: "0.1.8", date: "2026-09-23" } as const;

const TABLE = `${PRICE_TABLE.name} ${PRICE_TABLE.version}`;
const OWN = "config";

/** How much more the tokens of a fast request cost, by the beginning of the model's name: the table has no such prices. */
const FAST: readonly (readonly [prefix: string, factor: number])[] = [
  ["claude-opus-4-6", 6],
  ["claude-opus-4-7", 6],
  ["claude-opus-4-8", 2],
  ["gpt-5.4", 2],
  ["gpt-5.5", 2.5],
  ["gpt-5.6", 2],
];

/**
 * Prices requests by their model and time, by the user's own prices first. The result is the list price: with a
 * subscription it says what the same requests would have cost.
 */
export function createPriceRequest(overrides: PriceOverrides = {}): PriceRequest {
  const own = new Map(
    Object.entries(overrides).map(([model, prices]) => [model, ownProvider(model, prices)]),
  );
  const known: Known = { own, rates: new Rates(), names: new Map() };
  return (request) => {
    const found = request.model === null ? undefined : priceOf(request, request.model, known);
    return found === undefined
      ? { ...request, computedNanoUsd: null, pricedBy: null }
      : { ...request, computedNanoUsd: found.nanoUsd, pricedBy: found.pricedBy };
  };
}

interface Priced {
  readonly nanoUsd: number;
  readonly pricedBy: string;
}

interface Own {
  readonly provider: Provider;
  readonly fast: number | undefined;
}

interface Known {
  readonly own: ReadonlyMap<string, Own>;
  readonly rates: Rates;
  /** The names of each model that was asked for. */
  readonly names: Map<string, readonly string[]>;
}

function priceOf(request: UsageEntry, model: string, { own, rates, ...asked }: Known): Priced | undefined {
  const names = asked.names.get(model) ?? namesOf(model);
  asked.names.set(model, names);
  const overridden = names.find((name) => own.has(name));
  for (const name of overridden === undefined ? names : [overridden]) {
    const override = own.get(name);
    const factor = fastFactor(request, name, override?.fast);
    const priced = { model: name, at: request.at, provider: override?.provider };
    const usd = factor === undefined ? undefined : costOf(request, priced, factor, rates);
    if (usd !== undefined) return rounded(usd, override === undefined ? TABLE : OWN);
  }
  return undefined;
}

/** A name as it is, and without what people, proxies and agents put around it. */
function namesOf(model: string): string[] {
  const bare = model
    .replace(/\[1m\]$/u, "")
    .replace(/^.*\//u, "")
    .replace(/^(?:[a-z]{2,6}\.)?anthropic\./u, "");
  const undated = bare.replace(/-\d{8}(?:-v\d+(?::\d+)?)?$/u, "");
  return [...new Set([model, bare, undated, undated.replace(/-fast$/u, "")])];
}

/** 1 for a request at the usual speed; undefined where the price of a fast one is not known. */
function fastFactor(request: UsageEntry, name: string, own: number | undefined): number | undefined {
  const isFast = request.speed === "fast" || (request.model ?? "").endsWith("-fast");
  if (!isFast) return 1;
  const known = own ?? FAST.find(([prefix]) => name.startsWith(prefix))?.[1];
  return known ?? (request.speed === "fast" ? undefined : 1);
}

/** Undefined where the model or an amount is not known, and where the prices do not fit the request. */
function costOf(
  request: UsageEntry,
  asked: Parameters<typeof priceIn>[1],
  factor: number,
  rates: Rates,
): number | undefined {
  const tokens = tokensOf(request);
  const usd = tokens && rates.usdFor(tokens, asked);
  if (usd === undefined || !request.webSearches) return usd === undefined ? undefined : usd * factor;
  const searches = priceIn({ web_searches: request.webSearches }, asked)?.total_price;
  return searches === undefined ? undefined : usd * factor + searches;
}

/** The table counts the cache as a part of the input, and the hour as a part of the writes. */
function tokensOf(request: UsageEntry): PricedTokens | undefined {
  const { tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite, tokensCacheWriteHour } = request;
  if (tokensInput === null || tokensOutput === null) return undefined;
  const [cacheRead, cacheWrite] = [tokensCacheRead ?? 0, tokensCacheWrite ?? 0];
  return {
    input: tokensInput + cacheRead + cacheWrite,
    output: tokensOutput,
    cacheRead,
    cacheWrite,
    cacheWriteHour: tokensCacheWriteHour ?? 0,
  };
}

function rounded(usd: number, pricedBy: string): Priced | undefined {
  const nanoUsd = Math.round(usd * 1e9);
  return Number.isSafeInteger(nanoUsd) ? { nanoUsd, pricedBy } : undefined;
}

function ownProvider(model: string, prices: ModelPrices): Own {
  const price: ModelPrice = {
    input_mtok: prices.input,
    output_mtok: prices.output,
    cache_read_mtok: prices.cacheRead ?? prices.input,
    cache_write_mtok: prices.cacheWrite ?? prices.input,
    cache_write_1h_mtok: prices.cacheWriteHour ?? prices.cacheWrite ?? prices.input,
    web_searches_kcount: (prices.webSearch ?? 0) * 1000,
  };
  const models = [{ id: model, match: { contains: "" }, prices: price }];
  return { provider: { id: OWN, name: OWN, api_pattern: "", models }, fast: prices.fast };
}
