import fc from "fast-check";
import { expect, test } from "vitest";
import { lineDiff } from "./line-diff.ts";

test("shows what goes and what comes, with three lines around it", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  expect(lineDiff(before, before.replace("5\n", "five\nand a half\n"))).toEqual([
    "@@ -2,7 +2,8 @@",
    " 2",
    " 3",
    " 4",
    "-5",
    "+five",
    "+and a half",
    " 6",
    " 7",
    " 8",
  ]);
});

test("changes that lie close are shown together, others apart", () => {
  const lines = Array.from({ length: 30 }, (_, number) => `${number}\n`);
  const changed = (...numbers: number[]) =>
    lines.map((line, number) => (numbers.includes(number) ? "x\n" : line)).join("");
  const heads = (after: string) => lineDiff(lines.join(""), after).filter((line) => line.startsWith("@@"));
  expect(heads(changed(5, 12))).toHaveLength(1);
  expect(heads(changed(5, 13))).toEqual(["@@ -3,7 +3,7 @@", "@@ -11,7 +11,7 @@"]);
});

test("is empty for the same text, and whole for a new one", () => {
  expect(lineDiff("a\n", "a\n")).toEqual([]);
  expect(lineDiff("", "{\n}\n")).toEqual(["@@ -1,0 +1,2 @@", "+{", "+}"]);
});

test("makes any text of any other", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "", "{"), { maxLength: 25 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(patched(before, lineDiff(before, after))).toBe(after);
    }),
  );
});

/** The text with a diff applied, as `patch` does it. */
function patched(before: string, diff: readonly string[]): string {
  const old = before.split("\n").slice(0, -1);
  const made: string[] = [];
  let at = 0;
  for (const line of diff) {
    const from = /^@@ -(\d+),/.exec(line)?.[1];
    if (from !== undefined) while (at < Number(from) - 1) made.push(old[at++] as string);
    else if (line.startsWith("+")) made.push(line.slice(1));
    else {
      expect(line.slice(1)).toBe(old[at++]);
      if (line.startsWith(" ")) made.push(line.slice(1));
    }
  }
  return [...made, ...old.slice(at)].map((line) => `${line}\n`).join("");
}
