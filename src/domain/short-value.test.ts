import { expect, test } from "vitest";
import { shortParams, shortText, shortTexts } from "./short-value.ts";

test("a text is cut where it is too long, and never inside a character", () => {
  expect([shortText("abc", 3), shortText("abcd", 3)]).toEqual(["abc", "abc…"]);
  expect(shortText("ab😀", 3)).toBe("ab\ufffd…");
});

test("each long text in a value is cut, wherever it stands", () => {
  expect(shortTexts({ a: ["xxxx", 1, null], b: { c: "yy" } }, 2)).toEqual({
    a: ["xx…", 1, null],
    b: { c: "yy" },
  });
});

test("parameters that are short stay as they are, long ones lose the rest of their texts, and others everything", () => {
  const text = "x".repeat(60_000);
  expect(shortParams({ text })).toEqual({ text });
  expect(shortParams({ text: text + text, path: "/a" })).toEqual({
    text: `${"x".repeat(4096)}…`,
    path: "/a",
  });
  expect(shortParams({ list: Array.from({ length: 40_000 }, () => 1) })).toEqual({});
});
