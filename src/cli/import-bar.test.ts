import { describe, expect, test } from "vitest";
import { progressLine } from "./import-bar.ts";

const MB = 1_000_000;

describe("the progress line of an import", () => {
  test("says share, sessions, rate and time left in the middle of one large file", () => {
    const progress = { doneBytes: 10 * MB, totalBytes: 40 * MB, sessions: 0 };
    expect(progressLine(progress, 2000)).toBe("25 % of 40.0 MB, 0 sessions, 5.0 MB/s, 6s left");
  });

  test("leaves out the time while nothing was read yet", () => {
    const progress = { doneBytes: 0, totalBytes: 40 * MB, sessions: 0 };
    expect(progressLine(progress, 500)).toBe("0 % of 40.0 MB, 0 sessions, 0 B/s");
  });

  test("never passes 100 %, however much a packed file unpacks to", () => {
    const progress = { doneBytes: 80 * MB, totalBytes: 40 * MB, sessions: 1 };
    expect(progressLine(progress, 1000)).toMatch(/^100 % of 40.0 MB, 1 session, .* 0ms left$/);
  });
});
