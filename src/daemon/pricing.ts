import { statSync } from "node:fs";
import type { Logger } from "pino";
import type { PriceRequest } from "../domain/usage.ts";
import { configPath } from "../home/layout.ts";
import { loadConfig, priceOverridesOf } from "../home/settings.ts";

interface Parts {
  readonly home: string;
  readonly log: Logger;
}

/** Prices requests by the settings as they are now. The table of prices is large, and loaded with the first request. */
export class Pricing {
  readonly #parts: Parts;
  #settings: string | undefined;
  #price: Promise<PriceRequest> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Settings that cannot be read leave those before them in force. */
  async now(): Promise<PriceRequest> {
    const settings = this.#identity();
    if (this.#price === undefined || settings !== this.#settings) {
      this.#settings = settings;
      this.#price = this.#load(this.#price);
    }
    return this.#price;
  }

  async #load(before: Promise<PriceRequest> | undefined): Promise<PriceRequest> {
    const { createPriceRequest } = await import("../telemetry/prices.ts");
    try {
      return createPriceRequest(priceOverridesOf(loadConfig(this.#parts.home, undefined).config));
    } catch (error) {
      this.#parts.log.warn({ err: error }, "prices in the settings cannot be read");
      return before ?? createPriceRequest();
    }
  }

  /** Differs whenever the file of the settings may say something else. */
  #identity(): string {
    const found = statSync(configPath(this.#parts.home), { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "" : `${found.ino} ${found.mtimeNs} ${found.size}`;
  }
}
