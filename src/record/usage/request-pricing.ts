import type { PriceRequest, UsageEntry } from "../../domain/usage.ts";
import type { Config } from "../../home/settings.ts";

type LoadPrices = (config: Config) => Promise<PriceRequest>;

let loadPrices: LoadPrices | undefined;

/** Hands in the table of prices. The library does so; the command line, which records no requests, carries none. */
export function usePrices(load: LoadPrices): void {
  loadPrices = load;
}

/** Computes the cost of requests as the settings say. The table is loaded with the first request that needs it. */
export class RequestPricing {
  readonly #config: Config;
  #price: Promise<PriceRequest> | undefined;

  constructor(config: Config) {
    this.#config = config;
  }

  async price(requests: readonly UsageEntry[]): Promise<readonly UsageEntry[]> {
    if (loadPrices === undefined || !requests.some(isUncomputed)) return requests;
    this.#price ??= loadPrices(this.#config);
    const price = await this.#price;
    return requests.map((request) => (isUncomputed(request) ? price(request) : request));
  }
}

/** A cost that the caller computed stays as it is. */
function isUncomputed({ model, computedNanoUsd }: UsageEntry): boolean {
  return model !== null && computedNanoUsd === null;
}
