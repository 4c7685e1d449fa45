import { describe, expect, test } from "vitest";
import { parseStream } from "./autonomous/stream.ts";
import { parseTranscript } from "./transcript/transcript.ts";

const MODEL = {
  ...{ inputTokens: 200, outputTokens: 40, cacheReadInputTokens: 6000, cacheCreationInputTokens: 800 },
  ...{ costUSD: 0.0068, contextWindow: 1_000_000, canonicalModel: "claude-opus-5-5", costBasis: "list" },
};
const TOTAL = {
  model: "claude-opus-5-5",
  ...{ tokensInput: 200, tokensOutput: 40, tokensCacheRead: 6000, tokensCacheWrite: 800 },
  nanoUsd: 6_800_000,
};
const result = (fields: object) => parseStream(JSON.stringify({ type: "result", ...fields }), {}).totals;
const costState = (fields: object) =>
  parseTranscript(JSON.stringify({ type: "cost-state", ...fields }), {}).totals;

describe("the totals of Claude", () => {
  test("are in each result of the stream, with what is new since the one before", () => {
    const said = {
      total_cost_usd: 0.0068,
      modelUsage: { "claude-opus-5-5": MODEL },
      model_usage_since_last_result: { "claude-opus-5-5": { ...MODEL, inputTokens: 100 } },
    };
    expect(result(said)).toEqual({
      source: "stream",
      countsSubagents: true,
      total: [TOTAL],
      sinceLast: [{ ...TOTAL, tokensInput: 100 }],
    });
  });

  test("of a release that does not say what is new are running totals alone", () => {
    expect(result({ modelUsage: { "claude-opus-5-5": MODEL } })).toMatchObject({ sinceLast: null });
  });

  test("are there also where more is to come before its turn is over", () => {
    const line = JSON.stringify({ type: "result", modelUsage: { "claude-opus-5-5": MODEL } });
    expect(parseStream(line, { hasStates: true }).totals?.total).toEqual([TOTAL]);
  });

  test("are in the transcript when it leaves", () => {
    const said = { totalCostUSD: 0.0068, modelUsage: { "claude-opus-5-5": MODEL } };
    expect(costState(said)).toEqual({
      source: "transcript",
      countsSubagents: true,
      total: [TOTAL],
      sinceLast: null,
    });
  });

  test("of a release without models are its cost alone", () => {
    expect(result({ total_cost_usd: 0.5 })?.total).toEqual([
      {
        ...{ model: null, tokensInput: null, tokensOutput: null, tokensCacheRead: null },
        ...{ tokensCacheWrite: null, nanoUsd: 500_000_000 },
      },
    ]);
  });

  test.each([{}, { modelUsage: 7, total_cost_usd: "0.1" }, { modelUsage: {}, total_cost_usd: -1 }])(
    "are not there in %o",
    (fields) => {
      expect(result(fields)).toBeUndefined();
      expect(costState(fields)).toBeUndefined();
    },
  );
});
