import { describe, expect, test } from "vitest";
import {
  addTotals,
  type ModelTotal,
  noteTotals,
  plainModel,
  subtractTotals,
  sumOfTotals,
} from "./reported-totals.ts";

const T0 = "2026-01-08T18:45:00.000Z";
const T1 = "2026-01-08T18:46:00.000Z";

function total(model: string | null, tokensInput: number | null, nanoUsd: number | null = null): ModelTotal {
  return { model, tokensInput, tokensOutput: 0, tokensCacheRead: 0, tokensCacheWrite: 0, nanoUsd };
}

describe("reported totals", () => {
  test("keep the last running totals of each source, and the sum of what was new", () => {
    const first = noteTotals(
      null,
      { source: "stream", countsSubagents: true, total: [total("a", 5)], sinceLast: [total("a", 2)] },
      T0,
    );
    const more = {
      source: "stream",
      countsSubagents: true,
      total: [total("a", 9)],
      sinceLast: [total("a", 4)],
    } as const;
    const both = noteTotals(
      noteTotals(first, more, T1),
      { source: "transcript", countsSubagents: false, total: [], sinceLast: null },
      T1,
    );
    expect(both.stream).toEqual({
      at: T1,
      countsSubagents: true,
      total: [total("a", 9)],
      sinceFirst: [total("a", 6)],
    });
    expect(both.transcript).toEqual({ at: T1, countsSubagents: false, total: [], sinceFirst: null });
  });

  test("are added and subtracted by model; a model that one of them lacks is none there", () => {
    const [a, b] = [
      [total("a", 5, 7), total("b", 1, 2)],
      [total("a", 3, 4), total("c", 2, 1)],
    ];
    expect(addTotals(a, b)).toEqual([total("a", 8, 11), total("b", 1, 2), total("c", 2, 1)]);
    expect(subtractTotals(a, b).map(({ tokensInput, nanoUsd }) => [tokensInput, nanoUsd])).toEqual([
      [2, 3],
      [1, 2],
      [-2, -1],
    ]);
  });

  test("that are not said are not taken for zero", () => {
    expect(subtractTotals([total("a", null, 3)], [total("a", 3)])[0]).toMatchObject({
      tokensInput: null,
      nanoUsd: null,
    });
    expect(sumOfTotals([total("a", null), total("b", 4)])).toMatchObject({ tokensInput: 4, nanoUsd: null });
    expect(sumOfTotals([]).tokensInput).toBeNull();
  });

  test.each([
    ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
    ["claude-sonnet-4-5[1m]", "claude-sonnet-4-5"],
    ["anthropic/claude-opus-4-6", "claude-opus-4-6"],
    ["gpt-5.4-mini", "gpt-5.4-mini"],
    [null, null],
  ])("of %s are those of %s", (said, plain) => {
    expect(plainModel(said)).toBe(plain);
  });
});
