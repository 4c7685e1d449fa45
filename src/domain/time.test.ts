import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { later, msBetween, parseDuration, parseInstant, toInstant } from "./time.ts";

describe("a time", () => {
  test.each([
    ["2026-01-08T18:05:30.123Z", "2026-01-08T18:05:30.123Z"],
    ["2026-01-08T18:05:30Z", "2026-01-08T18:05:30.000Z"],
    ["2026-01-08T18:05:30+00:00", "2026-01-08T18:05:30.000Z"],
    ["2026-01-08T18:05:30", "2026-01-08T18:05:30.000Z"],
    ["2026-01-08 18:05:30", "2026-01-08T18:05:30.000Z"],
    ["2026-01-08T18:05", "2026-01-08T18:05:00.000Z"],
    ["2026-01-08", "2026-01-08T00:00:00.000Z"],
    ["2026-01-08T18:05:30.123456789", "2026-01-08T18:05:30.123Z"],
    ["2026-01-08T18:05:30.5", "2026-01-08T18:05:30.500Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ])("written %s is %s", (text, instant) => {
    expect(parseInstant(text)).toBe(instant);
  });

  test.each([
    "2026-01-08T18:05:30+01:00",
    "2026-01-08T18:05:30-00:30",
    "2026-01-08T18:05:30 UTC",
    "2026-02-30",
    "2025-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-01-08T24:00:00Z",
    "2026-01-08T18:60:00Z",
    "2026-01-08T18:05:60Z",
    "0000-01-01",
    "0050-01-01",
    "26-01-08",
    "1767895530",
    "yesterday",
    "2026-01-08T18:05:30Z\n",
    "",
  ])("written %j is refused", (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  test("is the same after it was written and read", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (ms) => {
        expect(parseInstant(toInstant(ms))).toBe(toInstant(ms));
      }),
    );
  });

  test("compares as text, however far a sum goes", () => {
    const sums = fc.oneof(fc.integer(), fc.double({ min: -1e20, max: 1e20, noNaN: true }));
    fc.assert(
      fc.property(sums, sums, (a, b) => {
        expect(later(toInstant(a), toInstant(b))).toBe(toInstant(Math.max(a, b)));
      }),
    );
  });

  test("has a distance to another in milliseconds", () => {
    expect(msBetween("2026-01-08T18:05:30.000Z", "2026-01-08T18:05:31.001Z")).toBe(1001);
  });
});

describe("a duration", () => {
  test.each([
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["2d", 172_800_000],
    ["1w", 604_800_000],
    ["500ms", 500],
    ["5m", 300_000],
    ["1m500ms", 60_500],
    ["0s", 0],
  ])("of %s is %i ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(["", "90", "s", "1.5h", "-5m", "5 m", "30m1h", "1y", "5M", "1h\n"])(
    "cannot be written %j",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});
