import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lives } from "../../testing/arbitrary-events.ts";
import { created, replay, rowAfter } from "../../testing/events.ts";
import { readRow } from "./read-row.ts";

const row = rowAfter(created());

describe("reading a row that was kept", () => {
  test("gives back exactly what was written", () => {
    fc.assert(
      fc.property(lives, (events) => {
        const kept: unknown = JSON.parse(JSON.stringify(replay(events)));
        expect(readRow(kept)).toEqual(replay(events));
      }),
    );
  });

  test.each([
    ["agentType", "robot", "unknown"],
    ["kind", "batch", "interactive"],
    ["channel", "fax", "cli"],
    ["state", "dreaming", "unknown"],
    ["phase", "pondering", "initializing"],
    ["outcome", "so-so", null],
    ["origin", "dreamt", "created"],
    ["stateSource", "rumour", "declared"],
  ])("takes an unknown word of %s (%s) for %s", (field, word, neutral) => {
    expect(readRow({ ...row, [field]: word })).toEqual({ ...row, [field]: neutral });
  });

  test.each(["errorCount", "resumeCount", "turns"])("takes a negative %s for 0", (field) => {
    expect(readRow({ ...row, [field]: -1 })).toEqual({ ...row, [field]: 0 });
  });

  test("begins generations at 1 and mends what has the wrong form", () => {
    const kept = { ...row, generation: 0, history: null, metadata: [], lastActiveAt: undefined };
    expect(readRow(kept)).toEqual({ ...row, history: [], metadata: {}, lastActiveAt: row.createdAt });
  });

  test.each([
    ["nothing", null],
    ["a text", "row"],
    ["a list", []],
    ["an object without an id", { createdAt: row.createdAt }],
    ["an object without a beginning", { id: "s" }],
  ])("refuses %s", (_what, kept) => {
    expect(readRow(kept)).toBeUndefined();
  });
});
