import { expect, test } from "vitest";
import { usageOf } from "./usage.ts";

const NAMED = { id: "a", at: "2026-11-18T20:00:00.000Z", model: "m" };

test.each([
  [
    "thoughts beside the output, and the cache inside the input",
    { input: 3100, output: 20, cached: 3000, thoughts: 7, tool: 0, total: 3127 },
    [100, 27, 3000, 7],
  ],
  [
    "thoughts inside the output, where the sum says so",
    { input: 100, output: 20, cached: 0, thoughts: 7, tool: 0, total: 120 },
    [100, 20, 0, 7],
  ],
  [
    "an input that is net of the cache, where the sum says so",
    { input: 100, output: 20, cached: 3000, thoughts: 7, tool: 0, total: 3127 },
    [100, 27, 3000, 7],
  ],
  [
    "the prompts of tools as input",
    { input: 100, output: 20, cached: 0, thoughts: 0, tool: 5, total: 125 },
    [105, 20, 0, 0],
  ],
  ["a count without a sum", { input: 100, output: 20, thoughts: 7 }, [100, 27, 0, 7]],
])("a request counts %s", (_, tokens, [input, output, read, reasoning]) => {
  expect(usageOf(tokens, NAMED)).toMatchObject({
    requestKey: "a",
    isShared: true,
    tokensInput: input,
    tokensOutput: output,
    tokensCacheRead: read,
    tokensCacheWrite: 0,
    tokensReasoning: reasoning,
  });
});
