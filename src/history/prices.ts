import type { PriceRequest } from "../domain/usage.ts";
import { priceOverridesOf } from "../home/settings.ts";
import type { Context } from "../record/context.ts";

/** Prices of model requests by the settings. The table of prices is large, and loaded only when it is needed. */
export async function loadPrices({ config }: Pick<Context, "config">): Promise<PriceRequest> {
  const { createPriceRequest } = await import("../telemetry/prices.ts");
  return createPriceRequest(priceOverridesOf(config));
}
