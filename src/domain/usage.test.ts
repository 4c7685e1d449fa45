import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { requests } from "../testing/arbitraries.ts";
import { created, entryAdded, request, rowAfter } from "../testing/events.ts";
import { usageOf } from "./session/record.ts";
import {
  addToLedger,
  combineUsage,
  EMPTY_LEDGER,
  NO_USAGE,
  takeFromLedger,
  type UsageEntry,
  usageOfLedger,
  usageOfTotals,
} from "./usage.ts";

const ledgerOf = (entries: readonly UsageEntry[]) => entries.reduce(addToLedger, EMPTY_LEDGER);
const usage = (...entries: readonly UsageEntry[]) => usageOfLedger(ledgerOf(entries), null);

describe("a ledger", () => {
  test("is exactly what it was after a request was added and taken away", () => {
    fc.assert(
      fc.property(fc.array(requests), requests, (entries, extra) => {
        const ledger = ledgerOf(entries);
        expect(takeFromLedger(addToLedger(ledger, extra), extra)).toEqual(ledger);
      }),
    );
  });

  test("does not depend on the order of its requests", () => {
    fc.assert(
      fc.property(fc.array(requests), (entries) => {
        expect(ledgerOf(entries.toReversed())).toEqual(ledgerOf(entries));
      }),
    );
  });

  test("is partial exactly when a token count or a price is missing somewhere", () => {
    fc.assert(
      fc.property(fc.array(requests, { minLength: 1 }), (entries) => {
        const isMissing = entries.some(
          (entry) =>
            [entry.tokensInput, entry.tokensOutput, entry.tokensCacheRead, entry.tokensCacheWrite].includes(
              null,
            ) ||
            (entry.reportedNanoUsd === null && entry.computedNanoUsd === null),
        );
        expect(usage(...entries).partial).toBe(isMissing);
      }),
    );
  });
});

describe("the usage of a ledger", () => {
  test("totals the four kinds of tokens; reasoning is part of the output and never added", () => {
    const all = request("a", {
      tokensInput: 1,
      tokensOutput: 20,
      tokensCacheRead: 300,
      tokensCacheWrite: 4000,
    });
    expect(usage({ ...all, tokensReasoning: 9 })).toMatchObject({ tokensTotal: 4321, tokensReasoning: 9 });
  });

  test("does not take what was not measured for zero", () => {
    const found = usage(request("a", { tokensCacheRead: null }), request("b", { tokensCacheRead: null }));
    expect(found).toMatchObject({ tokensInput: 20, tokensCacheRead: null, partial: true });
  });

  test.each([
    ["reported", { reportedNanoUsd: 1 }, { reportedNanoUsd: 2 }, 3e-9],
    ["computed", { computedNanoUsd: 1 }, { computedNanoUsd: 2 }, 3e-9],
    ["mixed", { reportedNanoUsd: 1 }, { computedNanoUsd: 2 }, 3e-9],
    ["unpriced", {}, {}, null],
  ])("has a cost that is %s", (costSource, first, second, costUsd) => {
    const unpriced = { reportedNanoUsd: null, computedNanoUsd: null };
    const found = usage(request("a", { ...unpriced, ...first }), request("b", { ...unpriced, ...second }));
    expect(found).toMatchObject({ costSource, costUsd, partial: costUsd === null });
  });

  test("prefers the cost that the agent reported over the computed one", () => {
    expect(usage(request("a", { reportedNanoUsd: 5e9, computedNanoUsd: 7e9 })).costUsd).toBe(5);
  });
});

describe("the usage of declared totals", () => {
  const NOTHING = {
    turns: null,
    tokensInput: null,
    tokensOutput: null,
    tokensCacheRead: null,
    tokensCacheWrite: null,
    tokensReasoning: null,
    costUsd: null,
  };

  test("is whole when everything was said", () => {
    const all = {
      ...NOTHING,
      tokensInput: 1,
      tokensOutput: 2,
      tokensCacheRead: 3,
      tokensCacheWrite: 4,
      costUsd: 1,
    };
    expect(usageOfTotals(all, null)).toMatchObject({
      tokensTotal: 10,
      costSource: "reported",
      partial: false,
    });
  });

  test("is partial when something was left out, and says that it has no price", () => {
    const some = usageOfTotals({ ...NOTHING, tokensInput: 1 }, null);
    expect(some).toMatchObject({
      tokensTotal: 1,
      tokensOutput: null,
      costUsd: null,
      costSource: "unpriced",
      partial: true,
    });
  });

  test("stands only where there is no ledger", () => {
    const row = { ...rowAfter(created()), totals: { ...NOTHING, tokensInput: 99 } };
    expect(usageOf(row).tokensInput).toBe(99);
    expect(usageOf(row, ledgerOf([request("a")])).tokensInput).toBe(10);
  });

  test("is unknown where nothing was said, but for the turns that were counted", () => {
    expect(usageOf(rowAfter(created()))).toEqual(NO_USAGE);
    const talked = rowAfter(created(), entryAdded("hi", { role: "user" }));
    expect(usageOf(talked)).toEqual({ ...NO_USAGE, turns: 1 });
  });
});

describe("the usage of a parent with its children", () => {
  test("is the sum of all that was measured", () => {
    const sum = combineUsage([
      usage(request("a")),
      usage(request("b", { reportedNanoUsd: null, computedNanoUsd: 1e9 })),
    ]);
    expect(sum).toMatchObject({ tokensInput: 20, tokensTotal: 30, costSource: "mixed", partial: false });
  });

  test("is partial when one of them measured nothing", () => {
    expect(combineUsage([usage(request("a")), NO_USAGE])).toMatchObject({ tokensInput: 10, partial: true });
  });

  test("counts the turns also of those that measured nothing else", () => {
    const turns = (count: number) => ({ ...NO_USAGE, turns: count });
    expect(combineUsage([turns(2), turns(3)]).turns).toBe(5);
    expect(combineUsage([usageOfLedger(ledgerOf([request("a")]), 1), turns(3)])).toMatchObject({
      turns: 4,
      partial: true,
    });
  });

  test("of one alone is its own, and of nothing measured is unknown", () => {
    const own = usage(request("a"));
    expect(combineUsage([own])).toEqual(own);
    expect(combineUsage([NO_USAGE, NO_USAGE])).toEqual(NO_USAGE);
  });
});
