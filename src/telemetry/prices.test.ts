import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UsageEntry } from "../domain/usage.ts";
import { requests } from "../testing/arbitraries.ts";
import { request } from "../testing/events.ts";
import { createPriceRequest, PRICE_TABLE } from "./prices.ts";

const NOW = "2026-11-01T00:00:00.000Z";
const price = createPriceRequest();

/** A request with nothing but what is given. */
function asked(model: string | null, used: Partial<UsageEntry> = {}): UsageEntry {
  return request("r", { at: NOW, model, tokensInput: 0, tokensOutput: 0, reportedNanoUsd: null, ...used });
}

function nanoUsd(model: string | null, used: Partial<UsageEntry> = {}): number | null {
  return price(asked(model, used)).computedNanoUsd;
}

describe("a priced request", () => {
  test.each<[what: string, model: string, used: Partial<UsageEntry>, usd: number]>([
    ["input", "claude-sonnet-4-5", { tokensInput: 1_000_000 / 10 }, 0.3],
    ["output, reasoning included", "claude-sonnet-4-5", { tokensOutput: 1000, tokensReasoning: 900 }, 0.015],
    ["cache reads", "claude-sonnet-4-5", { tokensCacheRead: 100_000 }, 0.03],
    ["cache writes without a breakdown", "claude-sonnet-4-5", { tokensCacheWrite: 100_000 }, 0.375],
    [
      "cache writes for five minutes and for an hour",
      "claude-sonnet-4-5",
      { tokensCacheWrite: 100_000, tokensCacheWriteHour: 60_000 },
      0.04 * 3.75 + 0.06 * 6,
    ],
    ["web searches", "claude-sonnet-4-5", { webSearches: 3 }, 0.03],
    ["cache writes of a model that has a price for them", "gpt-5.6-sol", { tokensCacheWrite: 100_000 }, 0.5],
    ["cached input", "gpt-5.6-sol", { tokensInput: 100, tokensCacheRead: 3000 }, 0.0004 + 0.0012],
  ])("costs its %s", (_what, model, used, usd) => {
    expect(nanoUsd(model, used)).toBe(Math.round(usd * 1e9));
  });

  test("costs the price of a long context as a whole, once the input with its cache is beyond the border", () => {
    const used = { tokensInput: 10, tokensCacheWrite: 20_000, tokensCacheRead: 190_000, tokensOutput: 1000 };
    expect(nanoUsd("claude-sonnet-4-5", used)).toBe(286_560_000);
    const atBorder = { tokensCacheRead: 200_000 };
    expect(nanoUsd("claude-sonnet-4-5", atBorder)).toBe(60_000_000);
    expect(nanoUsd("claude-sonnet-4-5", { ...atBorder, tokensInput: 1 })).toBe(120_006_000);
  });

  test("costs what its model cost at the time of the request", () => {
    const used = { tokensInput: 300_000 };
    expect(nanoUsd("claude-opus-4-6", { ...used, at: "2026-03-12T00:00:00.000Z" })).toBe(3_000_000_000);
    expect(nanoUsd("claude-opus-4-6", { ...used, at: "2026-03-14T00:00:00.000Z" })).toBe(1_500_000_000);
  });

  test.each([
    ["claude-opus-4-6", 6],
    ["claude-opus-4-8", 2],
    ["gpt-5.5", 2.5],
    ["gpt-5.6-sol", 2],
  ])("of %s in fast mode costs its tokens %d times, and its searches once", (model, factor) => {
    const used = { tokensInput: 1000, webSearches: 1 };
    const tokens = nanoUsd(model, { tokensInput: 1000 }) as number;
    expect(nanoUsd(model, { ...used, speed: "fast" })).toBe(tokens * factor + 10_000_000);
    expect(nanoUsd(`${model}-fast`, used)).toBe(tokens * factor + 10_000_000);
    expect(nanoUsd(model, { ...used, speed: "standard" })).toBe(tokens + 10_000_000);
  });

  test.each([
    "claude-sonnet-4-5-20250929",
    "anthropic/claude-sonnet-4-5",
    "openrouter/anthropic/claude-sonnet-4-5",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "claude-sonnet-4-5[1m]",
  ])("names its model as agents and proxies do: %s", (model) => {
    expect(nanoUsd(model, { tokensInput: 1000 })).toBe(3_000_000);
  });

  test.each<[what: string, model: string | null, used: Partial<UsageEntry>]>([
    ["an unknown model", "model-of-tomorrow", { tokensInput: 10 }],
    ["no model", null, { tokensInput: 10 }],
    ["input that nobody measured", "claude-sonnet-4-5", { tokensInput: null }],
    ["output that nobody measured", "claude-sonnet-4-5", { tokensOutput: null }],
    ["a fast mode without a known price", "claude-sonnet-4-5", { tokensInput: 10, speed: "fast" }],
  ])("with %s has no price, rather than 0", (_what, model, used) => {
    expect(price(asked(model, used))).toMatchObject({ computedNanoUsd: null, pricedBy: null });
  });

  test("keeps the cost that the agent reported beside the computed one", () => {
    const both = price(asked("claude-sonnet-4-5", { tokensInput: 1000, reportedNanoUsd: 5 }));
    expect(both).toMatchObject({ reportedNanoUsd: 5, computedNanoUsd: 3_000_000 });
  });

  test("says by which table it was priced, which is the one that is installed", () => {
    const main = createRequire(import.meta.url).resolve("@pydantic/genai-prices");
    const { version } = JSON.parse(readFileSync(join(dirname(main), "..", "package.json"), "utf8")) as {
      version: string;
    };
    expect(PRICE_TABLE.version).toBe(version);
    expect(price(asked("gpt-5")).pricedBy).toBe(`genai-prices ${version}`);
  });

  test("is the same but for its price, whatever it used", () => {
    const models = fc.constantFrom("claude-opus-5", "gpt-5.6-sol", "gpt-5", "", "-fast", "a/b");
    fc.assert(
      fc.property(requests, models, (any, model) => {
        const given = { ...any, model };
        const { computedNanoUsd, pricedBy } = price(given);
        expect(price(given)).toEqual({ ...given, computedNanoUsd, pricedBy });
        expect(computedNanoUsd === null || Number.isSafeInteger(computedNanoUsd)).toBe(true);
      }),
    );
  });
});

describe("the user's own prices", () => {
  const own = createPriceRequest({
    "my-model": {
      input: 2,
      output: 10,
      cacheRead: 0.5,
      cacheWrite: 3,
      cacheWriteHour: 4,
      webSearch: 0.02,
      fast: 3,
    },
    plain: { input: 1, output: 2 },
    "claude-sonnet-4-5": { input: 0, output: 0 },
  });
  const cost = (model: string, used: Partial<UsageEntry>) => own(asked(model, used));

  test("price a model that the table does not know", () => {
    const used = { tokensInput: 1000, tokensOutput: 100, tokensCacheRead: 10, tokensCacheWrite: 20 };
    const all = { ...used, tokensCacheWriteHour: 5, webSearches: 1 };
    const nano = 2_000_000 + 1_000_000 + 5000 + 15 * 3000 + 5 * 4000;
    expect(cost("my-model", all)).toMatchObject({ computedNanoUsd: nano + 20_000_000, pricedBy: "config" });
    expect(cost("proxy/my-model", { ...all, speed: "fast" }).computedNanoUsd).toBe(nano * 3 + 20_000_000);
  });

  test("count the cache as input where they say nothing of it", () => {
    const used = { tokensCacheRead: 10, tokensCacheWrite: 20, tokensCacheWriteHour: 5 };
    expect(cost("plain", used).computedNanoUsd).toBe(30_000);
  });

  test("win over the table, 0 included", () => {
    const free = cost("claude-sonnet-4-5-20250929", { tokensInput: 1000 });
    expect(free).toMatchObject({ computedNanoUsd: 0, pricedBy: "config" });
    expect(cost("claude-opus-5", { tokensInput: 1000 }).computedNanoUsd).toBe(5_000_000);
  });
});
