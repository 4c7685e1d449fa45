import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainText } from "./plain-text.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be left.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

describe("plain text", () => {
  test.each([
    ["\u001b[31mred\u001b[0m", "red"],
    ["\u001b]0;title\u0007text", "text"],
    ["\u001b\u001b[0m]52;c;bmVzdA==\u0007after", "after"],
    ["\u001b\u001b\u001b[0m[0m]52;c;bmVzdA==\u0007after", "after"],
    ["\u009b31mred\u009b0m", "red"],
    ["\u009d52;c;bmVzdA==\u009cafter", "after"],
    ["a\u0085b\u0007c\bd\u0000", "abcd"],
    ["one\r\ntwo\tthree\rfour", "one\ntwo\tthree\rfour"],
  ])("of %j is %j", (text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  test("has nothing left that acts on a terminal, whatever was nested in what", () => {
    const part = fc.constantFrom(
      "\u001b",
      "[",
      "]",
      "0m",
      "52;c;",
      "\u0007",
      "\\",
      "\u009b",
      "\u009d",
      "P",
      "x",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        expect(plainText(parts.join(""))).not.toMatch(CONTROL);
      }),
    );
  });

  test("of deeply nested sequences takes no time that grows with their square", () => {
    const depth = 200_000;
    expect(plainText(`${"\u001b".repeat(depth)}${"[0m".repeat(depth)}`)).not.toMatch(CONTROL);
  });
});
