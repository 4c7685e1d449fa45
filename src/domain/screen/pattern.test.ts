import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { Pattern } from "./pattern.ts";

const chars = fc.constantFrom(
  "a",
  "b",
  ".",
  "[ab]",
  "[^a\\n]",
  "\\w",
  "\\s",
  "\\p{L}",
  "é",
  "🙂",
  "\\u{1f642}",
  "\\x61",
  "\\.",
);
const places = fc.constantFrom("^", "$", "\\b", "\\B");
const quantifiers = fc.constantFrom("", "", "", "*", "+", "?", "*?", "+?", "{2}", "{1,}", "{0,2}?");
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc
    .array(
      fc.array(tie("part"), { maxLength: 4 }).map((parts) => parts.join("")),
      { minLength: 1, maxLength: 3 },
    )
    .map((alternatives) => alternatives.join("|")),
  part: fc.oneof(
    { weight: 5, arbitrary: fc.tuple(chars, quantifiers).map(([char, times]) => char + times) },
    { weight: 1, arbitrary: places },
    {
      weight: 2,
      arbitrary: fc.tuple(tie("pattern"), quantifiers).map(([inside, times]) => `(?:${inside})${times}`),
    },
    { weight: 1, arbitrary: tie("pattern").map((inside) => `(?<n>${inside})`.replaceAll("?<n>", "")) },
  ),
})) as { pattern: Arbitrary<string> };
const texts = fc
  .array(fc.constantFrom("a", "b", " ", "\n", "é", "🙂", "."), { maxLength: 12 })
  .map((all) => all.join(""));

describe("a pattern", () => {
  test("is found where RegExp finds it", () => {
    fc.assert(
      fc.property(pattern, texts, (source, text) => {
        // V8 also finds \B inside a character of two units.
        fc.pre(source.length < 60 && !(source.includes("\\B") && text.includes("🙂")));
        expect(new Pattern(source).find(text)?.start).toBe(new RegExp(source, "mu").exec(text)?.index);
      }),
      { numRuns: Number(process.env.ROLLCALL_RUNS ?? 2000) },
    );
  });

  test.each([
    ["yes|no", "say no", [4, 6]],
    ["a+", "baaa", [1, 4]],
    ["a+?", "baaa", [1, 2]],
    ["^b$", "a\nb\nc", [2, 3]],
    ["(?<word>\\w+)!", "oh my!", [3, 6]],
    ["\\ud83d\\ude42", "a🙂", [1, 3]],
    ["[\\]\\[]{2}", "x[]", [1, 3]],
    ["\\cJ", "a\n", [1, 2]],
    ["", "abc", [0, 0]],
    ["nothing", "abc", undefined],
  ])("%s is found in %j from here to there", (source, text, range) => {
    const found = new Pattern(source).find(text);
    expect(found && [found.start, found.end]).toEqual(range);
  });

  test.each([
    ["(a+)+$", "a".repeat(8191).concat("!")],
    ["(a|a)*!!", "a".repeat(8191).concat("!")],
    ["(a|aa)+$", "a".repeat(8191).concat("!")],
    ["(?:a?){100}a{100}b", "a".repeat(8192)],
    [`${"(a|a)".repeat(90)}x`, "a".repeat(8192)],
    ["\\s*\\s*\\s*\\s*\\s*x", " ".repeat(8192)],
    [".*.*.*.*.*.*=", "x".repeat(8192)],
    ["^(\\w+\\s?)*$", `${"word ".repeat(1600)}!`],
  ])("%s, which would keep RegExp busy for years, is done at once", (source, text) => {
    const start = performance.now();
    expect(new Pattern(source).find(text)).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
