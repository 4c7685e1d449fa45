import { describe, expect, test } from "vitest";
import { RollcallError } from "../errors.ts";
import { checkPattern, matchScreen, type ScreenRule } from "./screen-rules.ts";

const RULES: readonly ScreenRule[] = [
  { name: "trust", says: "waiting", for: "trust", pattern: "^ *Do you trust the files in this folder\\?" },
  {
    name: "permission",
    says: "waiting",
    for: "permission",
    pattern: "Do you want to .+\\?\\n(?:.*\\n)*?.*❯ 1\\. Yes",
  },
  { name: "busy", says: "working", pattern: "esc to interrupt", lastLines: 3 },
  { name: "prompt", says: "ready", pattern: "^❯", not: "queued", lastLines: 2, quiet: true },
];

describe("the rules of a screen", () => {
  test.each([
    [
      "a question over lines",
      "Edit a.ts\nDo you want to edit it?\n  a\n❯ 1. Yes\n  2. No",
      "permission",
      "Do you want to edit it?\n  a\n❯ 1. Yes",
    ],
    [
      "the first that holds",
      "Do you trust the files in this folder?\n❯ ",
      "trust",
      "Do you trust the files in this folder?",
    ],
    [
      "one in the last lines",
      "a\n* Thinking (esc to interrupt)\n\n❯",
      "busy",
      "* Thinking (esc to interrupt)",
    ],
    ["none above the last lines", "esc to interrupt\n\n\n\n❯ hello", "prompt", "❯ hello"],
    ["none where the exception holds too", "❯ hello\n1 message queued", undefined, undefined],
    ["none", "text", undefined, undefined],
    ["none on an empty screen", "", undefined, undefined],
  ])("find %s", (_, text, name, excerpt) => {
    const match = matchScreen(RULES, text);
    expect([match?.rule.name, match?.excerpt]).toEqual([name, excerpt]);
  });

  test("show at most 300 characters of what matched, none of them cut", () => {
    const [rule] = [{ name: "long", says: "ready", pattern: "🙂+" } as const];
    expect(matchScreen([rule], "🙂".repeat(1000))?.excerpt).toBe("🙂".repeat(300));
  });

  test("look at the last 8 KB in whole lines", () => {
    const rule: ScreenRule = { name: "top", says: "ready", pattern: "^x+$" };
    expect(matchScreen([rule], `${"x".repeat(100)}\n${"y".repeat(8150)}`)).toBeUndefined();
    expect(matchScreen([rule], `${"x".repeat(100)}\n${"y".repeat(8000)}`)?.excerpt).toBe("x".repeat(100));
  });

  test("that cannot be had are refused when they are used, too", () => {
    expect(() => matchScreen([{ name: "bad", says: "ready", pattern: "a(?=b)" }], "")).toThrow(RollcallError);
  });
});

describe("a pattern", () => {
  test.each([
    "Do you want to .+\\?",
    "^\\s*❯ \\d+\\. Yes",
    "\\(y/n\\)\\s*$",
    "(?:a|b){2,5}c*?",
    "[\\p{L}\\d]+",
    "(a+)+$",
    "",
  ])("is accepted: %s", (source) => {
    expect(() => checkPattern(source)).not.toThrow();
  });

  test.each([
    ["(", "is not a regular expression"],
    ["a{2,1}", "is not a regular expression"],
    ["\\q", "is not a regular expression"],
    ["a(?=b)", "looks ahead or behind"],
    ["(?<!a)b", "looks ahead or behind"],
    ["(a)\\1", "refers back"],
    ["(?<x>a)\\k<x>", "refers back"],
    ["(?i:a)", "changes flags"],
    ["a{1,2000}", "repeats too much"],
    ["(?:(?:){1000}){1000}", "repeats too much"],
    ["(((a{9}){9}){9}){9}", "repeats too much"],
    ["a".repeat(501), "is longer than 500 characters"],
  ])("is refused: %s", (source, problem) => {
    const error = caught(() => checkPattern(source));
    expect(error.code).toBe("bad_input");
    expect(error.message).toMatch(/^The pattern ".*" .*[^.]\.$/);
    expect(error.message).toContain(problem);
    expect(error.hint).toMatch(/\.$/);
  });
});

function caught(action: () => void): RollcallError {
  try {
    action();
  } catch (error) {
    if (error instanceof RollcallError) return error;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}
