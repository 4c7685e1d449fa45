import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Key, KeyReader } from "./keys.ts";

const CASES: readonly (readonly [input: string, keys: string])[] = [
  ["ab", "a b"],
  ["漢🙂", "漢 🙂"],
  ["a\r\n", "a enter enter"],
  ["\x7f\x08\x15\x03\x04", "backspace backspace clear interrupt end"],
  ["\x00\x01\x1a", ""],
  ["\x1b[200~two\nlines\r\nhere\x1b[201~\r", "paste(two|lines|here) enter"],
  ["\x1b[A\x1b[1;5C\x1b[<0;10;5Mx", "x"],
  ["\x1bOPx", "x"],
  ["\x1bxy", "y"],
  ["\x1b\x1b[200~a\x1b[201~", "escape paste(a)"],
  ["\x1b]7501;?1\x07z", "status_heard z"],
  ["\x1b]7501;?1\x1b\\z", "status_heard z"],
  ["\x1b]11;rgb:0/0/0\x07z", "z"],
];

function show(keys: readonly Key[]): string {
  const names = keys.map((key) => {
    if (key.key === "text") return key.text;
    return key.key === "paste" ? `paste(${key.text.replaceAll("\n", "|")})` : key.key;
  });
  return names.join(" ");
}

describe("a terminal's bytes", () => {
  test.each(CASES)("%j are the keys %s", (input, keys) => {
    expect(show(new KeyReader().push(input))).toBe(keys);
  });

  test.each(CASES)("%j mean the same one by one", (input, keys) => {
    const reader = new KeyReader();
    expect(show([...input].flatMap((char) => reader.push(char)))).toBe(keys);
  });

  test.each([
    ["\x1b", "escape"],
    ["\x1b[", ""],
    ["\x1b]7501;?", ""],
  ])("%j with nothing behind it are: %s", (input, keys) => {
    const reader = new KeyReader();
    expect(reader.push(input)).toEqual([]);
    expect(show(reader.flush())).toBe(keys);
    expect(show(reader.push("a"))).toBe("a");
  });

  test("of a paste are waited for", () => {
    const reader = new KeyReader();
    reader.push("\x1b[200~half");
    expect(reader.flush()).toEqual([]);
    expect(show(reader.push(" done\x1b[201~"))).toBe("paste(half done)");
  });

  test("never hold up what comes after them", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary-ascii" }), (input) => {
        fc.pre(!input.includes("\x1b[200~"));
        const reader = new KeyReader();
        reader.push(input);
        reader.flush();
        expect(show(reader.push("a"))).toBe("a");
      }),
    );
  });
});
