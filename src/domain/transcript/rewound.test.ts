import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addSpan, isRewound, type Span } from "./rewound.ts";

describe("spans of a conversation that were taken back", () => {
  test("hold each seq that any of them held, and no other", () => {
    const span = fc.tuple(fc.nat(60), fc.nat(20)).map(([from, length]) => ({ from, to: from + length }));
    fc.assert(
      fc.property(fc.array(span), (given) => {
        const spans = given.reduce<readonly Span[]>(addSpan, []);
        for (let seq = 0; seq < 90; seq++)
          expect(isRewound(spans, seq)).toBe(given.some(({ from, to }) => from <= seq && seq <= to));
      }),
    );
  });

  test("are as few as they can be when a person goes back further each time", () => {
    const spans = [
      { from: 10, to: 12 },
      { from: 6, to: 15 },
      { from: 2, to: 20 },
    ].reduce<readonly Span[]>(addSpan, []);
    expect(spans).toEqual([{ from: 2, to: 20 }]);
  });
});
