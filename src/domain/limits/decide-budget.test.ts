import { describe, expect, test } from "vitest";
import { LAUNCH } from "../../testing/carried.ts";
import { created, happened, request, rowAfter, seen, step, T1 } from "../../testing/events.ts";
import type { EventBody } from "../session/event.ts";
import type { SessionRow } from "../session/session.ts";
import type { State } from "../session/state.ts";
import { decideNearing, decideSpent, findSpent } from "./decide-budget.ts";
import type { Budget, Spending } from "./limit.ts";

const COST: Budget = { kind: "max_cost", allowed: 50_000_000, unit: "nano_usd" };
const TOKENS: Budget = { kind: "max_tokens", allowed: 10_000, unit: "tokens" };

function budgeted(...limits: readonly Budget[]): SessionRow {
  const launch = { ...LAUNCH, limits };
  return rowAfter(created({ origin: "started", state: "starting", launch }), happened("at_work"));
}

const spent = (given: Partial<Spending>): Spending => ({
  ...{ nanoUsd: 0, tokens: 0, requests: 1, unpriced: 0 },
  ...given,
});

const kinds = (bodies: readonly EventBody[]) => bodies.map(({ kind }) => kind);

describe("a budget", () => {
  test.each([
    ["0 %", 0, [], false],
    ["79.99 %", 39_995_000, [], false],
    ["80 % less a billionth", 39_999_999, [], false],
    ["80 %", 40_000_000, ["limit_neared"], false],
    ["99.99 %", 49_995_000, ["limit_neared"], false],
    ["100 % less a billionth", 49_999_999, ["limit_neared"], false],
    ["100 %", 50_000_000, [], true],
    ["200 % at once", 100_000_000, [], true],
  ] as const)("of money of which %s are used", (_, nanoUsd, told, isSpent) => {
    const row = budgeted(COST);
    expect(kinds(decideNearing(row, spent({ nanoUsd }), []))).toEqual(told);
    expect(findSpent(row.id, [COST], spent({ nanoUsd })) !== undefined).toBe(isSpent);
  });

  test.each([
    ["79.99 %", 7999, [], false],
    ["80 %", 8000, ["limit_neared"], false],
    ["99.99 %", 9999, ["limit_neared"], false],
    ["100 %", 10_000, [], true],
    ["200 % at once", 20_000, [], true],
  ] as const)("of tokens of which %s are used", (_, tokens, told, isSpent) => {
    const row = budgeted(TOKENS);
    expect(kinds(decideNearing(row, spent({ tokens }), []))).toEqual(told);
    expect(findSpent(row.id, [TOKENS], spent({ tokens })) !== undefined).toBe(isSpent);
  });

  test("is announced once, each of several on its own", () => {
    const row = budgeted(COST, TOKENS);
    const [first, ...more] = decideNearing(row, spent({ nanoUsd: 45_000_000 }), []);
    expect([first, more]).toEqual([{ kind: "limit_neared", limit: COST, used: 45_000_000 }, []]);
    const after = step(row, first as EventBody, T1);
    const again = decideNearing(after, spent({ nanoUsd: 46_000_000, tokens: 8000 }), []);
    expect(again).toEqual([{ kind: "limit_neared", limit: TOKENS, used: 8000 }]);
  });

  test("of nothing is never used up", () => {
    expect(findSpent("s", [], spent({ nanoUsd: 1e15, tokens: 1e15 }))).toBeUndefined();
    expect(decideNearing(budgeted(), spent({ nanoUsd: 1e15 }), [])).toEqual([]);
  });
});

describe("a model without a price under a budget of money", () => {
  const unpriced = request("a", { model: "odd", reportedNanoUsd: null, computedNanoUsd: null });

  test("is told of once", () => {
    const row = budgeted(COST);
    const told = decideNearing(row, spent({ unpriced: 1 }), [unpriced, { ...unpriced, requestKey: "b" }]);
    expect(told).toEqual([{ kind: "limit_uncounted", limit: COST, model: "odd" }]);
    const after = step(row, told[0] as EventBody, T1);
    expect(decideNearing(after, spent({ unpriced: 2 }), [unpriced])).toEqual([]);
    expect(decideNearing(after, spent({ unpriced: 3 }), [{ ...unpriced, model: null }])).toEqual([
      { kind: "limit_uncounted", limit: COST, model: null },
    ]);
  });

  test.each([
    ["has a reported cost", { reportedNanoUsd: 0 }],
    ["has a computed cost", { computedNanoUsd: 7 }],
    ["used no tokens", { tokensInput: 0, tokensOutput: 0, tokensCacheRead: null, tokensCacheWrite: null }],
  ])("is not told of where a request %s", (_, given) => {
    expect(decideNearing(budgeted(COST), spent({}), [{ ...unpriced, ...given }])).toEqual([]);
  });

  test("does not matter to a budget of tokens", () => {
    expect(decideNearing(budgeted(TOKENS), spent({ unpriced: 1 }), [unpriced])).toEqual([]);
  });
});

describe("a budget that is used up", () => {
  const own = { sessionId: "s", budget: COST, used: 61_200_000 };

  test("ends its session, which says by which limit and how much was used", () => {
    const row = { ...budgeted(COST), id: "s" };
    const body = decideSpent(row, own) as EventBody;
    expect(body).toMatchObject({ kind: "end_began", ending: { how: "limit" }, generation: 1 });
    const after = step(row, body, T1);
    expect(after).toMatchObject({ state: "stopping", stateSource: "usage" });
    expect(after.carried?.endReason).toBe("max_cost: $0.0612 of $0.05");
  });

  test("ends a session below, which names the one above", () => {
    const body = decideSpent({ ...budgeted(), id: "c" }, { ...own, budget: TOKENS, used: 10_500 });
    expect(body).toMatchObject({ endReason: "max_tokens of s: 10500 of 10000 tokens" });
  });

  test.each(["stopping", "stopped", "failed", "unknown"] as const)("leaves one alone that is %s", (state) => {
    expect(decideSpent(step(budgeted(COST), seen(state), T1), own)).toBeUndefined();
  });

  test.each([["paused"], ["waiting_input"]] as [State][])("ends one that is %s", (state) => {
    expect(decideSpent(step(budgeted(COST), seen(state), T1), own)).toBeDefined();
  });

  test("leaves a record alone that Rollcall does not carry", () => {
    expect(decideSpent(rowAfter(created()), own)).toBeUndefined();
  });
});
