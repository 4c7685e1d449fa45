import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../domain/json.ts";
import { type ModelPrices, readModelPrices } from "../../domain/price.ts";
import { createPriceRequest } from "../../telemetry/prices.ts";
import { CHOSEN_PRICES, costOf } from "./cost.ts";
import { countTree } from "./reference.ts";
import { SEEDS, seedsBelow } from "./seeds.ts";
import { generateTree } from "./tree.ts";
import { sumOf } from "./truth.ts";

describe("generated histories", () => {
  test("say in their files what is true of every session", () => {
    for (const seed of seedsBelow(SEEDS)) {
      const tree = generateTree(seed);
      const truth = tree.sessions.map(({ nativeId, requests }) => [nativeId, sumOf(requests)]);
      expect({ seed, sums: Object.fromEntries(countTree(tree)) }).toEqual({
        seed,
        sums: Object.fromEntries(truth),
      });
    }
  });

  test("lay every trap, each of them in several trees", () => {
    const counts = new Map<string, number>();
    for (const seed of seedsBelow(SEEDS))
      for (const trap of generateTree(seed).traps) counts.set(trap, (counts.get(trap) ?? 0) + 1);
    const known = trapsIn(join(import.meta.dirname));
    expect(known.filter((trap) => (counts.get(trap) ?? 0) < 3)).toEqual([]);
  });

  test("are the same for the same seed", () => {
    expect(generateTree(7)).toEqual(generateTree(7));
  });

  test("cost what the table and the chosen prices say", () => {
    const price = createPriceRequest({
      "chosen-model": readModelPrices(CHOSEN_PRICES["chosen-model"] as JsonObject) as ModelPrices,
    });
    for (const { requests } of generateTree(3).sessions) {
      for (const truth of requests) {
        const priced = price({
          requestKey: "r",
          at: new Date(truth.at).toISOString(),
          model: truth.model,
          tokensInput: truth.input,
          tokensOutput: truth.output,
          tokensCacheRead: truth.cacheRead,
          tokensCacheWrite: truth.cacheWrite,
          tokensCacheWriteHour: truth.cacheWriteHour,
          tokensReasoning: truth.reasoning,
          webSearches: truth.webSearches,
          serviceTier: null,
          speed: truth.isFast ? "fast" : null,
          reportedNanoUsd: truth.reportedNanoUsd,
          computedNanoUsd: null,
          pricedBy: null,
        });
        expect(priced.reportedNanoUsd ?? priced.computedNanoUsd).toBe(costOf(truth));
      }
    }
  });
});

/** The names of all traps that the generators can lay, as their source says. */
function trapsIn(folder: string): string[] {
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => /^(?:claude|codex)/u.test(name) && name.endsWith(".ts"),
  );
  return sources.flatMap((name) =>
    [...readFileSync(join(folder, name), "utf8").matchAll(/"((?:claude|codex): [^"]+)"/gu)].map(
      ([, trap = ""]) => trap,
    ),
  );
}
