import { expect, test } from "vitest";
import { parseJson, readJsonObject } from "./json.ts";

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

test("a text of JSON is its object, and anything else is none", () => {
  expect(readJsonObject('{"a":[1]}')).toEqual({ a: [1] });
  for (const text of ["", "{", "[]", "null", "1", '"a"']) expect(readJsonObject(text)).toBeUndefined();
});

test("a text nested deeper than the engine can write again is no JSON", () => {
  expect(JSON.stringify(readJsonObject(nested(1000)))).toBe(nested(1000));
  for (const depth of [1001, 5000, 100_000]) expect(readJsonObject(nested(depth))).toBeUndefined();
  expect(() => parseJson(`${"[".repeat(2000)}${"]".repeat(2000)}`)).toThrow(SyntaxError);
});

test("a text with many brackets side by side, or in words, is not nested", () => {
  const list = Array.from({ length: 5000 }, () => ({ a: [] }));
  expect(parseJson(JSON.stringify(list))).toEqual(list);
  expect(readJsonObject(JSON.stringify({ words: "[{".repeat(5000) }))).toEqual({ words: "[{".repeat(5000) });
});
