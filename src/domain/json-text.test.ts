import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { append, memberOf, type Place, placeOf, takeOut } from "./json-text.ts";

const GROUP = { hooks: [{ type: "command" }] };

/** What is there, where to append, and what comes of it. */
const APPENDED: readonly (readonly [what: string, text: string, path: readonly string[], result: string])[] =
  [
    [
      "nothing",
      "{}\n",
      [],
      '{\n  "k": {\n    "hooks": [\n      {\n        "type": "command"\n      }\n    ]\n  }\n}\n',
    ],
    [
      "two spaces",
      '{\n  "a": 1\n}\n',
      [],
      '{\n  "a": 1,\n  "k": {\n    "hooks": [\n      {\n        "type": "command"\n      }\n    ]\n  }\n}\n',
    ],
    [
      "tabs, and an empty object inside",
      '{\n\t"a": {}\n}',
      ["a"],
      '{\n\t"a": {\n\t\t"k": {\n\t\t\t"hooks": [\n\t\t\t\t{\n\t\t\t\t\t"type": "command"\n\t\t\t\t}\n\t\t\t]\n\t\t}\n\t}\n}',
    ],
    [
      "lines that end as on Windows",
      '{\r\n  "a": 1\r\n}\r\n',
      [],
      '{\r\n  "a": 1,\r\n  "k": {\r\n    "hooks": [\r\n      {\r\n        "type": "command"\r\n      }\r\n    ]\r\n  }\r\n}\r\n',
    ],
    ["one line", '{"a":1}', [], '{"a":1,"k":{"hooks":[{"type":"command"}]}}'],
    [
      "one line inside many",
      '{\n  "a": { "b": [1, 2], "c": 1.0 }\n}',
      ["a"],
      '{\n  "a": { "b": [1, 2], "c": 1.0, "k":{"hooks":[{"type":"command"}]} }\n}',
    ],
  ];

describe("append", () => {
  test.each(APPENDED)("keeps to the layout of %s", (_what, text, path, result) => {
    expect(append(text, at(text, path), GROUP, "k")).toBe(result);
  });

  test("leaves every other byte as it was, also what a parser would write otherwise", () => {
    const text =
      '{ "2": 1e400, "1": 12345678901234567890,\n\n "\\u0061": "\\/ } , \\" ]", "list":[ 1 ,2 ] }\n';
    const appended = append(text, at(text, ["list"]), 3);
    expect(appended).toBe(text.replace("2 ]", "2, 3 ]"));
    expect(memberOf(placeOf(text), "a")).toMatchObject({ parts: [] });
  });
});

describe("takeOut", () => {
  const text = '{\n  "a": 1,\n  "b": [2],\n  "c": 3\n}\n';

  test.each([
    ["a", '{\n  "b": [2],\n  "c": 3\n}\n'],
    ["b", '{\n  "a": 1,\n  "c": 3\n}\n'],
    ["c", '{\n  "a": 1,\n  "b": [2]\n}\n'],
  ])("takes out %s with its comma", (key, result) => {
    const root = placeOf(text);
    const part = root.parts.find((candidate) => candidate.key === key);
    expect(part && takeOut(text, root, part)).toBe(result);
  });

  test("leaves an empty container behind the last part", () => {
    const place = at(text, ["b"]);
    expect(place.parts[0] && takeOut(text, place, place.parts[0])).toBe(text.replace("[2]", "[]"));
  });
});

describe("of any JSON in any layout", () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue());
  const layout = fc.constantFrom<string | number | undefined>(undefined, 1, 2, 4, "\t");
  const written = fc.tuple(object, layout).map(([value, indent]) => JSON.stringify(value, null, indent));

  test("what was appended is there, and nothing else has changed", () => {
    fc.assert(
      fc.property(written, fc.string(), fc.jsonValue(), (text, key, value) => {
        const before = JSON.parse(text) as Record<string, unknown>;
        fc.pre(!Object.hasOwn(before, key) && key !== "__proto__");
        const after = JSON.parse(append(text, placeOf(text), value, key)) as Record<string, unknown>;
        const { [key]: added, ...rest } = after;
        expect([added, rest]).toEqual([JSON.parse(JSON.stringify(value)), { ...before }]);
      }),
    );
  });

  test("taking out what was appended gives the text back, byte for byte", () => {
    fc.assert(
      fc.property(written, fc.string(), fc.jsonValue(), (text, key, value) => {
        const appended = append(text, placeOf(text), value, key);
        const root = placeOf(appended);
        const last = root.parts.at(-1);
        expect(last && takeOut(appended, root, last)).toBe(text);
      }),
    );
  });

  test("each value stands where its place says", () => {
    fc.assert(
      fc.property(written, (text) => {
        const value = JSON.parse(text) as Record<string, unknown>;
        const parts = placeOf(text).parts.map(
          ({ key, value: { start, end } }) => [key, JSON.parse(text.slice(start, end))] as const,
        );
        expect(Object.fromEntries(parts)).toEqual({ ...value });
      }),
    );
  });
});

function at(text: string, path: readonly string[]): Place {
  return path.reduce((place, key) => memberOf(place, key) as Place, placeOf(text));
}
