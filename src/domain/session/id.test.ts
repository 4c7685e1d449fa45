import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkSessionId, isSessionId, isSuffix, makeSessionId, suffixOf } from "./id.ts";

describe("a session id", () => {
  test.each([
    "s",
    "7",
    "session-20260108-180530-abc123",
    "A.b_c-D",
    "a.b",
    "x".repeat(128),
    "last-one",
    "selfish",
  ])("may be %s", (id) => {
    expect(checkSessionId(id)).toBe(id);
  });

  test.each([
    ["nothing", ""],
    ["129 characters", "x".repeat(129)],
    ["the way out of a folder", "a..b"],
    ["a path", "a/b"],
    ["a path of the other kind", "a\\b"],
    ["two dots", ".."],
    ["a leading dot", ".hidden"],
    ["a leading dash", "-rf"],
    ["a leading underscore", "_a"],
    ["a space", "a b"],
    ["a newline at its end", "a\n"],
    ["a NUL", "a\0b"],
    ["an escape", "a\u001b[31m"],
    ["a Cyrillic look-alike", "sessi\u043en"],
    ["a full-width look-alike", "\uff41bc"],
    ["an accent", "é"],
    ["a zero-width space", "a\u200bb"],
    ["an emoji", "🙂"],
    ["the word for the newest", "last"],
    ["the word for the one around", "self"],
  ])("may not be %s", (_what, id) => {
    expect(isSessionId(id)).toBe(false);
    expect(() => checkSessionId(id)).toThrowError(expect.objectContaining({ code: "bad_id" }));
  });

  test("is refused without its control characters reaching the terminal", () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
    expect(() => checkSessionId("\u001b[2J")).toThrow(/^[^\u0000-\u001f]*$/);
  });

  test("made here is session-YYYYMMDD-HHMMSS and six digits, in UTC", () => {
    expect(makeSessionId("2025-12-08T14:30:52.123Z", "abc123")).toBe("session-20251208-143052-abc123");
  });

  test("made here is always allowed and shows its six digits", () => {
    const digits = fc.nat({ max: 0xffffff }).map((number) => number.toString(16).padStart(6, "0"));
    const times = fc.date({ min: new Date(0), max: new Date("2099-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(times, digits, (time, six) => {
        const id = makeSessionId(time.toISOString(), six);
        expect([isSessionId(id), suffixOf(id)]).toEqual([true, six]);
      }),
    );
  });

  test("that a caller brought has no suffix, also when it ends like one", () => {
    expect(suffixOf("mine-abc123")).toBeUndefined();
    expect(["abc123", "ABC123", "abc12", "abc1234"].map(isSuffix)).toEqual([true, false, false, false]);
  });
});
