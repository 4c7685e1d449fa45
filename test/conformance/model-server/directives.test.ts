import { describe, expect, test } from "vitest";
import { answerOf, answersOf } from "./directives.ts";

describe("the directives of a prompt", () => {
  test.each([
    ["hello", [{ do: "text", pieces: ["ok"], gapMs: 0 }]],
    ["say [[text:a: b]] please", [{ do: "text", pieces: ["a: b"], gapMs: 0 }]],
    ["[[text:[a]]]", [{ do: "text", pieces: ["[a]"], gapMs: 0 }]],
    ["[[drip:2:5]]", [{ do: "text", pieces: ["word1 ", "word2 "], gapMs: 5 }]],
    ["[[tool:ls -l]]", [{ do: "run", command: "ls -l", isRisky: false }]],
    ["[[risky:ls]]", [{ do: "run", command: "ls", isRisky: true }]],
    ['[[call:X {"a":[[1]]}]]', [{ do: "call", name: "X", input: { a: [[1]] } }]],
    [
      '[[call:Task {"prompt":"[[text:b]]"}]]',
      [{ do: "call", name: "Task", input: { prompt: "[[text:b]]" } }],
    ],
    ['[[call:apply_patch "*** Begin"]]', [{ do: "call", name: "apply_patch", input: "*** Begin" }]],
    ["[[ask:Which?|A|B]]", [{ do: "ask", question: "Which?", options: ["A", "B"] }]],
  ])("%s", (prompt, steps) => {
    expect(answersOf(prompt).map((answer) => answer.steps)).toEqual([steps]);
  });

  test("are done in their order, and an answer says at least ok", () => {
    const { steps } = answerOf("[[gate:g]][[slow:2]][[err:529:2]][[cut:1]]", 0);
    expect(steps.map((step) => step.do)).toEqual(["gate", "wait", "fail", "cut", "text"]);
  });

  test("answer tool results by what stands behind then, and with done after that", () => {
    const prompt = "[[tool:a]][[then]][[tool:b]][[then:bye]]";
    const said = [0, 1, 2, 3].map((round) => answerOf(prompt, round).steps[0]);
    expect(said).toMatchObject([
      { command: "a" },
      { command: "b" },
      { pieces: ["bye"] },
      { pieces: ["done"] },
    ]);
  });

  test("give the usage of their answer and of those after it", () => {
    const prompt = "[[tool:a]][[usage:in=1,out=2,cacheRead=3]][[then:b]]";
    const usages = [0, 1, 2].map((round) => answerOf(prompt, round).usage);
    expect(new Set(usages.map((usage) => JSON.stringify(usage)))).toEqual(
      new Set(['{"in":1,"out":2,"cacheRead":3,"cacheWrite":0,"reasoning":0}']),
    );
  });

  test.each([
    ["[[nothing:x]]", /no directive/],
    ["[[text:open", /no end/],
    ["[[call:X {]]", /no end/],
    ["[[err:soon]]", /not a number/],
  ])("are refused where they are wrong: %s", (prompt, reason) => {
    expect(() => answersOf(prompt)).toThrow(reason);
  });
});
