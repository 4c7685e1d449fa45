import { describe, expect, test } from "vitest";
import { excerptOf } from "./excerpt.ts";
import { parseWordQuery } from "./query.ts";

describe("an excerpt", () => {
  test.each([
    ["fox", "The Quick fox, a foxy FOX", ["fox", "FOX"]],
    ['"quick fox"', "The Quick\n\tfox was quick", ["Quick fox"]],
    ["fo*", "fox foxes of", ["fox", "foxes"]],
    ["cafe", "un café, deux cafe\u0301s, cafe\u0301", ["café", "cafe\u0301"]],
    ["run_tests", "call run_tests(x) or run, tests", ["run_tests", "run, tests"]],
    ["한국", "그 한국 말", ["한국"]],
    ["日本語", "「日本語テスト」は日本の語。日本語", ["日本語", "日本語"]],
    ["a b c", "c b a", ["c", "b", "a"]],
    ['"b c" "c d"', "a b c d", ["b c d"]],
  ])("for %j marks the words of %j", (query, text, words) => {
    expect(marked(query, text)).toEqual(words);
  });

  test("is the stretch with the most of the words, with an ellipsis where something was left out", () => {
    const text = `alpha ${"far ".repeat(200)}beta gamma ${"away ".repeat(200)}`;
    const { text: shown } = excerptOf(text, parseWordQuery("alpha beta gamma").wanted);
    expect(shown).toMatch(/^….*beta gamma.*…$/);
    expect(shown.length).toBeLessThan(170);
  });

  test("has no escape sequence, no control character and no line end", () => {
    const text = "one\u001b]52;c;aGk=\u0007 \u001b[31mneedle\u001b[0m\r\n\u0000two\u009b2J";
    expect(excerptOf(text, parseWordQuery("two").wanted).text).toBe("one needle two");
  });

  test("cuts no character in two", () => {
    const text = "🦊".repeat(200).concat(" needle ", "🦊".repeat(200));
    expect(excerptOf(text, parseWordQuery("needle").wanted).text.isWellFormed()).toBe(true);
  });

  test("of a text in which no word can be found again begins at its beginning, without marks", () => {
    expect(excerptOf("words", parseWordQuery("other").wanted)).toEqual({ text: "words", marks: [] });
  });
});

function marked(query: string, text: string): string[] {
  const { text: shown, marks } = excerptOf(text, parseWordQuery(query).wanted);
  return marks.map(([from, to]) => shown.slice(from, to));
}
