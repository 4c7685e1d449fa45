import fc from "fast-check";
import { expect, test } from "vitest";
import { LineReader, LONGEST_LINE } from "./protocol.ts";

test("lines come out whole, however they are cut", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom("a", "\n", "é", "{") })), (chunks) => {
      const reader = new LineReader();
      const lines = chunks.flatMap((chunk) => reader.push(chunk));
      expect(lines).toEqual(chunks.join("").split("\n").slice(0, -1));
    }),
  );
});

test("half a line is no line", () => {
  const reader = new LineReader();
  expect([reader.push('{"id":'), reader.push("1}"), reader.push("\n")]).toEqual([[], [], ['{"id":1}']]);
});

test("a line that is too long to be a call is refused, and one at the limit is not", () => {
  const half = "x".repeat(LONGEST_LINE / 2);
  const reader = new LineReader();
  expect([...reader.push(half), ...reader.push(half), ...reader.push("\n")]).toHaveLength(1);
  reader.push(half);
  expect(() => [reader.push(half), reader.push("x")]).toThrow("too long");
});
