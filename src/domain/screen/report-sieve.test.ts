import fc from "fast-check";
import { expect, test } from "vitest";
import { ReportSieve, reportFields } from "./report-sieve.ts";

const REPORT = "\x1b]7501;state=blocked:msg=c2VjcmV0\x07";

/** The text, the reports, and where each report ends. */
function sift(output: Buffer, sizes: readonly number[] = [output.length]) {
  const sieve = new ReportSieve(100);
  const pieces = [];
  for (let at = 0, n = 0; at < output.length; n++) {
    const size = Math.max(1, sizes[n % sizes.length] ?? 1);
    pieces.push(...sieve.push(output.subarray(at, at + size)));
    at += size;
  }
  pieces.push(...sieve.end());
  const texts = pieces.flatMap((piece) => (piece.kind === "text" ? [piece] : []));
  return {
    text: Buffer.concat(texts.map(({ bytes }) => bytes)).toString("latin1"),
    reports: pieces.flatMap((piece) => (piece.kind === "report" ? [[piece.text, piece.end]] : [])),
    places: texts.flatMap(({ at, bytes }) => [...bytes].map((byte, index) => [at + index - 100, byte])),
    end: sieve.at,
  };
}

test.each([
  ["by a BEL", `a${REPORT}b`, "ab", ["state=blocked:msg=c2VjcmV0"]],
  ["by ST", "a\x1b]7501;state=idle\x1b\\b", "ab", ["state=idle"]],
  ["twice", `${REPORT}${REPORT}`, "", ["state=blocked:msg=c2VjcmV0", "state=blocked:msg=c2VjcmV0"]],
  ["not at all: a query is no report", "a\x1b]7501;?\x07b", "ab", []],
  ["not at all: a title is text", "\x1b]0;7501;\x07b", "\x1b]0;7501;\x07b", []],
  ["not at all: another number is text", "\x1b]75011;x\x07b", "\x1b]75011;x\x07b", []],
  ["not at all: it was broken off by CAN", "a\x1b]7501;state=done\x18b", "ab", []],
  ["not at all: another sequence begins", "a\x1b]7501;state=done\x1b[31mb", "a\x1b[31mb", []],
  ["not at all: it never ends", "a\x1b]7501;state=done", "a", []],
  ["not at all: only an ESC came", "a\x1b", "a\x1b", []],
])("a report is told %s", (_, output, text, reports) => {
  const found = sift(Buffer.from(output));
  expect([found.text, found.reports.map(([report]) => report)]).toEqual([text, reports]);
});

test("wherever the output is cut, the same is found, and everything has its place", () => {
  const parts = fc.constantFrom(
    "plain",
    "\x1b[31m",
    REPORT,
    "\x1b",
    "\x1b]7501;",
    "\x07",
    "\x1b\\",
    "]7501;x",
    "é",
  );
  fc.assert(
    fc.property(
      fc.array(parts, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      (pieces, sizes) => {
        const output = Buffer.from(pieces.join(""));
        const found = sift(output, sizes);
        expect(found).toEqual(sift(output));
        expect(found.places.every(([at, byte]) => output[at as number] === byte)).toBe(true);
        expect(found.end).toBe(100 + output.length);
      },
    ),
  );
});

test("a report without an end does not swallow the rest of the output", () => {
  const found = sift(Buffer.from(`\x1b]7501;${"x".repeat(100_000)}and on`), [4096]);
  expect(found.text.length).toBeLessThan(100_000);
  expect(found.text.endsWith("and on")).toBe(true);
});

test("the fields of a report are its keys and values", () => {
  expect(reportFields("state=blocked:msg=YQ==:flag::kind=a=b")).toEqual({
    state: "blocked",
    msg: "YQ==",
    flag: "",
    kind: "a=b",
  });
});
