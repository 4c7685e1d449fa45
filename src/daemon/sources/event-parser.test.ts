import fc from "fast-check";
import { expect, test } from "vitest";
import type { ServerEvent } from "../../agents/sources.ts";
import { EventParser } from "./event-parser.ts";

function parse(...pieces: readonly (string | Uint8Array)[]): ServerEvent[] {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.push(typeof piece === "string" ? Buffer.from(piece) : piece));
}

/** A text cut into bytes at arbitrary places, also within a character. */
function cut(text: string, places: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((to, index) => bytes.subarray(at[index], to));
}

const word = fc
  .string({ unit: "grapheme", maxLength: 12 })
  .map((text) => text.replace(/[\r\n\0\uFEFF]/gu, "x"));
const event = fc.record({
  id: fc.option(word.map((id) => `i${id}`)),
  name: word.map((name) => `n${name}`),
  data: fc.array(word, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n")),
});
const lineEnd = fc.constantFrom("\n", "\r\n");

function written({ id, name, data }: ServerEvent, end: string): string {
  const fields = [
    ...(id === null ? [] : [`id: ${id}`]),
    `event: ${name}`,
    ...data.split("\n").map((line) => `data: ${line}`),
  ];
  return [...fields, "", ""].join(end);
}

test("events are the same, wherever the pieces of their stream end", () => {
  fc.assert(
    fc.property(fc.array(event), lineEnd, fc.array(fc.nat()), (events, end, places) => {
      const stream = events.map((one) => written(one, end)).join("");
      expect(parse(...cut(stream, places))).toEqual(events);
    }),
  );
});

test("any bytes, in any pieces, give the same events as in one piece, and never an error", () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  const nearly = fc
    .array(fc.constantFrom("data:", "id:", "event:", ": ", "x", "é", "\0", "\r", "\n", "\n\n", "\r\n\r\n"))
    .map((words) => new Uint8Array(Buffer.from(words.join(""))));
  fc.assert(
    fc.property(fc.oneof(bytes, nearly), fc.array(fc.nat()), (all, places) => {
      const at = [0, ...places.map((place) => place % (all.length + 1)).sort((a, b) => a - b), all.length];
      const pieces = at.slice(1).map((to, index) => all.subarray(at[index], to));
      // A last carriage return waits for what follows it.
      expect(parse(...pieces, "\n\n")).toEqual(parse(all, "\n\n"));
    }),
  );
});

test("comments, unknown fields and events without data are none", () => {
  expect(parse(": hello\n\nretry: 10\n\nevent: empty\nid: 3\n\ndata: x\n\n")).toEqual([
    { id: null, name: "message", data: "x" },
  ]);
});

test("an event without an id of its own does not have that of the event before it", () => {
  expect(parse("id: 1\ndata: a\n\ndata: b\n\n").map(({ id }) => id)).toEqual(["1", null]);
});

test("one space behind the colon belongs to the field, and a second one to its value", () => {
  expect(parse("data:a\ndata: b\ndata:  c\ndata\n\n")[0]?.data).toBe("a\nb\n c\n");
});

test("a stream that begins in the middle of an event is read on from the next one", () => {
  expect(parse('half of it"}\n\nid: 2\ndata: whole\n\n')).toEqual([
    { id: "2", name: "message", data: "whole" },
  ]);
});

test.each([
  ["line", "x".repeat(1024 * 1024)],
  ["event", `data: ${"x".repeat(1024 * 1024)}\n`],
])("a server that never ends its %s is stopped before it fills the memory", (_, piece) => {
  expect(() => parse(...Array<string>(20).fill(piece))).toThrow("without an end");
});
