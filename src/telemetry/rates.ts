import { calcPrice, type ModelInfo, type ModelPrice, type Provider } from "@pydantic/genai-prices";

/** Tokens of a request: all of its input, and the parts of it that the cache was read for or written with. */
export interface PricedTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** A part of `cacheWrite`. */
  readonly cacheWriteHour: number;
}

interface Asked {
  readonly model: string;
  readonly at: string;
  readonly provider: Provider | undefined;
}

/**
 * The price of the tokens of a request; undefined where the table has none. It is looked up once for each model and day:
 * to find a model among thousands and to check its prices takes a hundred times as long as to multiply.
 */
export class Rates {
  readonly #known = new Map<string, Rate>();

  usdFor(tokens: PricedTokens, asked: Asked): number | undefined {
    const isPlain = tokens.cacheWriteHour <= tokens.cacheWrite;
    const rate = isPlain ? this.#rateOf(asked) : "by time";
    if (rate === "none") return undefined;
    return rate === "by time" ? usdByTable(tokens, asked) : usdAt(tokens, rate);
  }

  #rateOf(asked: Asked): Rate {
    const key = `${asked.provider?.id ?? ""} ${asked.model} ${asked.at.slice(0, 10)}`;
    let rate = this.#known.get(key);
    if (rate === undefined) {
      rate = findRate(asked);
      this.#known.set(key, rate);
    }
    return rate;
  }
}

/** The prices of a model on one day, and the same in their order. `by time`: only the table itself can tell. */
type Rate =
  | { readonly price: ModelPrice; readonly units: readonly (readonly [string, ModelPrice[string]])[] }
  | "none"
  | "by time";

function findRate({ model, at, provider }: Asked): Rate {
  const found = priceIn({ input_tokens: 0, output_tokens: 0 }, { model, at, provider });
  if (found === undefined) return "none";
  const isByTable = isByTimeOfDay(found.model) || "requests_kcount" in found.model_price;
  const price = found.model_price;
  return isByTable ? "by time" : { price, units: Object.entries(price) };
}

function isByTimeOfDay({ prices }: ModelInfo): boolean {
  return (
    Array.isArray(prices) && prices.some(({ constraint }) => constraint && !("start_date" in constraint))
  );
}

/** In the order of the table and with its own arithmetic, so that the result is the same to the last bit. */
function usdAt(tokens: PricedTokens, { price, units }: Exclude<Rate, string>): number {
  const inputs = countsOf(tokens, price);
  let usd = 0;
  for (const [unit, rate] of units) usd += usdOf(rate, inputs[unit] ?? 0, tokens.input);
  return usd + usdOf(price.output_mtok, tokens.output, tokens.input);
}

/** A part without a price of its own counts for what it is a part of. */
function countsOf(tokens: PricedTokens, price: ModelPrice): Readonly<Record<string, number>> {
  const { input, cacheRead, cacheWrite, cacheWriteHour } = tokens;
  const priced = (unit: string, count: number) => (price[unit] === undefined ? 0 : count);
  const hour = priced("cache_write_1h_mtok", cacheWriteHour);
  const write = priced("cache_write_mtok", cacheWrite - hour);
  const read = priced("cache_read_mtok", cacheRead);
  return {
    input_mtok: input - read - write - hour,
    cache_read_mtok: read,
    cache_write_mtok: write,
    cache_write_1h_mtok: hour,
  };
}

/** The tier of a request is that of all of its input. */
function usdOf(rate: ModelPrice[string], count: number, input: number): number {
  if (rate === undefined || count <= 0) return 0;
  if (typeof rate === "number") return (rate * count) / 1e6;
  const tier = rate.tiers.findLast(({ start }) => input > start);
  return ((((tier?.price ?? rate.base) * count) / 1e6) * 1e6) / 1e6;
}

function usdByTable(tokens: PricedTokens, asked: Asked): number | undefined {
  const { input, output, cacheRead, cacheWrite, cacheWriteHour } = tokens;
  const usage = {
    input_tokens: input,
    output_tokens: output,
    ...(cacheRead === 0 ? {} : { cache_read_tokens: cacheRead }),
    ...(cacheWrite === 0 ? {} : { cache_write_tokens: cacheWrite }),
    ...(cacheWriteHour === 0 ? {} : { cache_write_1h_tokens: cacheWriteHour }),
  };
  return priceIn(usage, asked)?.total_price;
}

/** The price by the table itself; undefined where it has none, or none for a unit that was used. */
export function priceIn(
  usage: Record<string, number>,
  { model, at, provider }: Asked,
): NonNullable<ReturnType<typeof calcPrice>> | undefined {
  const timestamp = new Date(at);
  try {
    const found = calcPrice(usage, model, { timestamp, ...(provider === undefined ? {} : { provider }) });
    return found === null || !Number.isFinite(found.total_price) ? undefined : found;
  } catch {
    return undefined;
  }
}
