import { describe, expect, test } from "vitest";
import { pipeable, printable, printableLines } from "./text.ts";

describe("text in a table", () => {
  test.each([
    ["a\u200bb", "a\\u200bb"],
    ["pay\u2060pal\u00ad", "pay\\u2060pal\\u00ad"],
    ["\u202egpj.exe", "\\u202egpj.exe"],
    ["\u2066x\u2069", "\\u2066x\\u2069"],
    ["a\u3164b\u115f", "a\\u3164b\\u115f"],
    ["tag\u{e0041}", "tag\\udb40\\udc41"],
    ["a\u200db", "a\\u200db"],
    ["one\ntwo\u2028three", "one two\\u2028three"],
    ["\u001b[31m\u009b", "\\u001b[31m\\u009b"],
  ])("of %j shows what cannot be seen", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test.each(["👩‍👩‍👧‍👦", "❤️", "👍🏽‍🚀", "1️⃣", "naïve Ωμέγα 日本語 العربية"])(
    "of %j is left as it is",
    (text) => {
      expect(printable(text)).toBe(text);
    },
  );

  test("means the same to JSON when it is written out", () => {
    const value = { text: "a\u200b\u{e0041}\u009b" };
    expect(JSON.parse(printableLines(JSON.stringify(value)))).toEqual(value);
    expect(JSON.parse(pipeable(JSON.stringify(value)))).toEqual(value);
  });
});

test("text in a pipe has no escape sequence, however they were nested", () => {
  expect(pipeable("\u001b\u001b[0m]52;c;bmVzdA==\u0007a\u009b31m\r\nb\tc")).toBe("a\\u009b31m\r\nb\tc");
  expect(pipeable("\u0085x\u200b")).toBe("\\u0085x\u200b");
});
