import { expect, test } from "vitest";
import type { ModelTotal } from "../../domain/reported-totals.ts";
import { created, newEvent, request } from "../../testing/events.ts";
import { tempWorld } from "../../testing/temp-rollcall.ts";
import type { Rollcall } from "../rollcall.ts";
import { usageReportOf } from "../stats/usage-report.ts";
import { reconcileUsage } from "./reconcile-usage.ts";

const EARLY = "2026-01-08T18:00:00.000Z";
const LATE = "2026-01-08T19:00:00.000Z";
const MODEL = "claude-haiku-4-5";

/** As many requests as `requests` says, of ten tokens and one cent each. */
function total(requests: number, model = MODEL): ModelTotal {
  const tokens = { tokensInput: 10 * requests, tokensOutput: 0, tokensCacheRead: 0, tokensCacheWrite: 0 };
  return { model, ...tokens, nanoUsd: 1e7 * requests };
}

type Given = NonNullable<Parameters<typeof created>[0]>;

async function session(rollcall: Rollcall, id: string, requests: number, given: Given = {}): Promise<void> {
  const usage = Array.from({ length: requests }, (_, n) =>
    request(`${id}-${n}`, {
      ...{ model: `${MODEL}-20251001`, tokensInput: 10, tokensOutput: 0 },
      ...{ tokensCacheRead: 0, tokensCacheWrite: 0, reportedNanoUsd: 1e7 },
    }),
  );
  await rollcall.context.store.change(id, () => ({ events: [newEvent(created(given))], usage }));
}

async function reports(
  rollcall: Rollcall,
  id: string,
  all: readonly ModelTotal[],
  more: {
    source?: "stream" | "transcript";
    countsSubagents?: boolean;
    sinceLast?: readonly ModelTotal[];
    at?: string;
  } = {},
): Promise<void> {
  const { source = "stream", countsSubagents = true, sinceLast = null, at = LATE } = more;
  const body = { kind: "totals_reported", source, countsSubagents, total: all, sinceLast } as const;
  await rollcall.context.store.change(id, () => [newEvent(body, at)]);
}

test("usage that agent and ledger count alike agrees, whatever the name of its model", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await session(rollcall, "s", 3);
  await reports(rollcall, "s", [total(3)]);
  expect(await reconcileUsage(rollcall, "s")).toMatchObject({
    agrees: true,
    requests: 3,
    counted: { tokensTotal: 30, costUsd: 0.03 },
    sources: [{ source: "stream", agrees: true, difference: { tokensTotal: 0, costUsd: 0 } }],
  });
});

test("the difference is shown by model, and nothing of it is added to the usage", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await session(rollcall, "s", 3);
  await reports(rollcall, "s", [total(3), total(2, "title-model")]);
  const { agrees, sources } = await reconcileUsage(rollcall, "s");
  expect(agrees).toBe(false);
  expect(sources[0]?.difference).toMatchObject({ tokensInput: 20, costUsd: 0.02 });
  expect(sources[0]?.models).toMatchObject([
    { model: MODEL, difference: { tokensTotal: 0 } },
    { model: "title-model", counted: null, difference: { tokensTotal: 20 } },
  ]);
  const report = await usageReportOf(rollcall, "s");
  expect(report.usage).toMatchObject({ tokensTotal: 30, costUsd: 0.03 });
  expect(report.reported).toMatchObject([{ source: "stream", tokensTotal: 50, costUsd: 0.05 }]);
});

test("an agent's sub-agents are counted in at any depth, a session that it started with Rollcall is not", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await session(rollcall, "s", 1);
  await session(rollcall, "helper", 2, { origin: "subagent", identity: { parentId: "s" } });
  await session(rollcall, "nested", 4, { origin: "subagent", identity: { parentId: "helper" } });
  await session(rollcall, "other", 8, { identity: { parentId: "s" } });
  await reports(rollcall, "s", [total(7)]);
  expect(await reconcileUsage(rollcall, "s")).toMatchObject({
    agrees: true,
    subagents: ["helper", "nested"],
    requests: 7,
  });
});

test("sub-agents are left out where the agent counts them for themselves", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await session(rollcall, "s", 1);
  await session(rollcall, "helper", 2, { origin: "subagent", identity: { parentId: "s" } });
  await reports(rollcall, "s", [{ ...total(1), model: null }], { countsSubagents: false });
  expect(await reconcileUsage(rollcall, "s")).toMatchObject({ agrees: true, subagents: [], requests: 1 });
});

test("several results of a session that was resumed are not added up", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await session(rollcall, "s", 3);
  await reports(rollcall, "s", [total(1)], { sinceLast: [total(1)] });
  await reports(rollcall, "s", [total(3)], { sinceLast: [total(2)] });
  expect((await reconcileUsage(rollcall, "s")).agrees).toBe(true);
});

test("totals that began again after a crash give way to the sum of what was new", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await session(rollcall, "s", 3);
  await reports(rollcall, "s", [total(2)], { sinceLast: [total(2)] });
  await reports(rollcall, "s", [total(1)], { sinceLast: [total(1)] });
  expect((await reconcileUsage(rollcall, "s")).agrees).toBe(true);
});

test("a fork is compared by what is new in it", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await session(rollcall, "origin", 2);
  await session(rollcall, "fork", 1, { identity: { forkedFrom: "origin" } });
  await reports(rollcall, "fork", [total(3)], { sinceLast: [total(1)] });
  expect((await reconcileUsage(rollcall, "fork")).agrees).toBe(true);
});

test("of a fork that says running totals alone, those of its origin before the fork are taken off", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await session(rollcall, "origin", 5);
  await reports(rollcall, "origin", [total(2)], { source: "transcript", at: EARLY });
  const fork = { origin: "started", identity: { forkedFrom: "origin" } } as const;
  await session(rollcall, "fork", 1, fork);
  await reports(rollcall, "origin", [total(5)], { source: "transcript", at: LATE });
  await reports(rollcall, "fork", [total(3)], { source: "transcript" });
  expect((await reconcileUsage(rollcall, "fork")).agrees).toBe(true);
});

test("of an imported fork nothing is compared, for what was before it cannot be told", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await session(rollcall, "origin", 2);
  await session(rollcall, "fork", 1, { origin: "imported", identity: { forkedFrom: "origin" } });
  await reports(rollcall, "fork", [total(3)], { source: "transcript" });
  const { sources } = await reconcileUsage(rollcall, "fork");
  expect(sources).toMatchObject([{ reported: null, difference: null, agrees: null }]);
});

test("a session whose agent says no totals has nothing to compare", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await session(rollcall, "s", 1);
  await expect(reconcileUsage(rollcall, "s")).rejects.toMatchObject({ code: "not_offered" });
});
