import { expect, test } from "vitest";
import { totalsOfTurn, usageOfTurn } from "./usage.ts";

const usageOf = (model: string, inputTokens: number) => ({
  model,
  token_count: { inputTokens, outputTokens: 1 },
});
const ofModels = (...models: readonly object[]) => ({ _meta: { quota: { model_usage: models } } }) as never;

/** Model, input and cost of each row. */
function rowsOf(result: object, memory: object) {
  return usageOfTurn("prompt-1", result as never, memory as never).rows.map((row) => [
    ...[row.model, row.tokensInput, row.reportedNanoUsd],
  ]);
}

test("the cost of a turn with several models stands in one row alone", () => {
  expect(rowsOf(ofModels(usageOf("a", 10), usageOf("b", 20)), { cost: 500, counted: 200 })).toEqual([
    ["a", 10, 300],
    ["b", 20, 0],
  ]);
});

test.each([
  ["its agent reports no cost", { counted: 200 }],
  ["nobody knows the cost before it", { cost: 500 }],
])("the cost of a turn is unknown where %s", (_, memory) => {
  expect(rowsOf(ofModels(usageOf("a", 10), usageOf("b", 20)), memory)).toEqual([
    ["a", 10, null],
    ["b", 20, null],
  ]);
});

test("a cost without tokens is a row, and a turn that used nothing is none", () => {
  expect(rowsOf({}, { cost: 500, counted: 200 })).toEqual([[null, null, 300]]);
  expect(rowsOf({}, { cost: 500, counted: 500 })).toEqual([]);
  expect(rowsOf({}, {})).toEqual([]);
});

test("a cost that has become smaller is not taken back", () => {
  expect(rowsOf(ofModels(usageOf("a", 10)), { cost: 100, counted: 200 })).toEqual([["a", 10, 0]]);
});

test("a model without tokens of its own is left out", () => {
  expect(rowsOf(ofModels({ model: "a", token_count: { inputTokens: 0 } }, { model: "b" }), {})).toEqual([]);
});

test("a turn that used nothing says no totals", () => {
  const { rows } = usageOfTurn("prompt-1", ofModels(usageOf("a", 10)), {});
  expect(totalsOfTurn(rows, { countsSubagents: true }).totals).toMatchObject({
    countsSubagents: true,
    sinceLast: [{ model: "a", tokensInput: 10 }],
  });
  expect(totalsOfTurn([], { countsSubagents: true })).toEqual({});
});
