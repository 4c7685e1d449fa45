import { describe, expect, test } from "vitest";
import { ImportTally } from "./report.ts";

const REST = { found: 1, unchanged: 0, isStopped: false, ms: 1 };

describe("the report of an import", () => {
  test("counts a history once that was read a second time", () => {
    const tally = new ImportTally();
    for (const entries of [7, 5]) {
      const source = tally.begin("/a.jsonl");
      source.add("entries", entries);
      source.addType("noise", "mode");
      tally.addSession("session-a", { isNew: true });
      tally.takenOut("session-a");
    }
    const { imported, updated, entries, noise } = tally.report(REST);
    expect({ imported, updated, entries, noise }).toEqual({
      imported: 1,
      updated: 0,
      entries: 5,
      noise: [{ type: "mode", count: 1 }],
    });
  });

  test("counts a session as updated whose record of an earlier import was read again", () => {
    const tally = new ImportTally();
    tally.takenOut("session-a");
    tally.addSession("session-a", { isNew: true });
    expect(tally.report(REST)).toMatchObject({ imported: 0, updated: 1 });
  });

  test("names as many types as anybody can read, each in short", () => {
    const tally = new ImportTally();
    const source = tally.begin("/a.jsonl");
    source.addType("unknown", "x".repeat(1_000_000));
    for (let n = 0; n < 500; n++) source.addType("unknown", `type ${n % 250}`);
    const { unknown } = tally.report(REST);
    expect(unknown).toHaveLength(101);
    expect(unknown[0]).toEqual({ type: "other types", count: 302 });
    expect(unknown.some(({ type }) => type === `${"x".repeat(100)}…`)).toBe(true);
  });

  test("counts a session once that was left alone in two steps", () => {
    const tally = new ImportTally();
    tally.skip("/a.jsonl");
    tally.skip("/a.jsonl");
    expect(tally.report(REST)).toMatchObject({ skipped: 1 });
  });
});
