import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOfStart, Utf8Chunks } from "./utf8.ts";

/** Bytes of every kind: whole characters, their parts, and what no decoder takes. */
const anyBytes = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 4 }).map((text) => Buffer.from(text)),
      fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(...["e0", "e282", "f09f98", "ed9f", "eda0", "f490", "c0", "efbfbd"]).map(hex),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts));

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}

test("bytes cut anywhere decode as they would in one piece", () => {
  fc.assert(
    fc.property(anyBytes, fc.array(fc.nat({ max: 60 })), (bytes, cuts) => {
      const chunks = new Utf8Chunks();
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const parts = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      expect(parts.map((part) => chunks.push(part)).join("") + chunks.end()).toBe(bytes.toString());
      expect(chunks.waiting).toBe(0);
    }),
    { numRuns: 2000 },
  );
});

test("only the beginning of a character waits, and never more than three bytes", () => {
  const waitsFor = (bytes: Buffer) => {
    const chunks = new Utf8Chunks();
    chunks.push(bytes);
    return chunks.waiting;
  };
  const cases = ["61", "e282", "f09f98", "f09f", "c3", "80", "ff", "c0", "e080", "f49080", "61e2"];
  expect(cases.map((bytes) => waitsFor(hex(bytes)))).toEqual([0, 2, 3, 2, 1, 0, 0, 0, 0, 0, 1]);
});

test("the bytes of the beginning of a text are told, whatever they were", () => {
  fc.assert(
    fc.property(anyBytes, fc.nat(), (bytes, place) => {
      const characters = [...bytes.toString()];
      const start = characters.slice(0, place % (characters.length + 1)).join("");
      const length = bytesOfStart(bytes, start);
      expect(bytes.toString("utf8", 0, length)).toBe(start);
      expect(bytes.toString("utf8", length)).toBe(characters.join("").slice(start.length));
    }),
    { numRuns: 2000 },
  );
});
