import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Session } from "../../index.ts";
import { request as reported } from "../../testing/events.ts";
import { tempWorld } from "../../testing/temp-rollcall.ts";

const MODEL = "claude-sonnet-4-5";

const request = (key: string, given: Parameters<typeof reported>[1]) =>
  reported(key, { reportedNanoUsd: null, ...given });

test("recordUsage prices a request by its model, and keeps a cost that was computed elsewhere", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  const { id } = await rollcall.create();
  const million = { model: MODEL, tokensInput: 100_000, tokensOutput: 0 };
  await rollcall.recordUsage(id, [
    request("table", million),
    request("given", { ...million, computedNanoUsd: 7e8, pricedBy: "mine" }),
  ]);
  expect((await rollcall.get(id)).usage).toMatchObject({
    costUsd: 1,
    costSource: "computed",
    partial: false,
  });
});

test("recordUsage leaves a request without a known price unpriced, never free", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  const { id } = await rollcall.create();
  await rollcall.recordUsage(id, [request("r", { model: "nobody-knows-it" }), request("s", { model: null })]);
  expect((await rollcall.get(id)).usage).toMatchObject({ costUsd: null, costSource: "unpriced" });
});

test("recordUsage prices by the user's own prices first", async () => {
  using world = tempWorld();
  mkdirSync(world.home);
  const prices = { [MODEL]: { input: 10, output: 20 } };
  writeFileSync(join(world.home, "config.json"), JSON.stringify({ prices }));
  await using rollcall = await world.open();
  const { id } = await rollcall.create();
  await rollcall.recordUsage(id, [request("r", { model: MODEL, tokensInput: 100_000, tokensOutput: 0 })]);
  expect((await rollcall.get(id)).usage.costUsd).toBe(1);
});

test("addUsage takes what has a price of its own: the hour in the cache, searches, tier and speed", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  const session = await Session.create({ model: "claude-opus-4-6" }, { rollcall });
  const more = { cacheWrite: 100_000, cacheWriteHour: 40_000, webSearches: 3 };
  await session.addUsage({
    ...{ requestKey: "r", input: 0, output: 0, cacheRead: 0, reasoning: 0 },
    ...{ ...more, serviceTier: "standard", speed: "fast" },
  });
  const [kept] = await rollcall.context.store.usageOf(session.id);
  expect(kept).toMatchObject({
    ...{ tokensCacheWriteHour: 40_000, webSearches: 3, serviceTier: "standard", speed: "fast" },
    // Six times the tokens, of which 60,000 at 6.25 and 40,000 at 10 dollars a million, and three searches at a cent.
    ...{ computedNanoUsd: 6 * (375e6 + 400e6) + 3e7, pricedBy: expect.stringContaining("genai-prices") },
  });
});
