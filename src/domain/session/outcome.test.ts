import { describe, expect, test } from "vitest";
import { bodiesTo, happened, rowAfter, seen } from "../../testing/events.ts";
import { type Ending, endOf, OUTCOMES, type Outcome, outcomeOf } from "./outcome.ts";

const asked = (atPrompt: boolean, lastTurn: "good" | "aborted" | "failed" | null): Ending => ({
  how: "asked",
  atPrompt,
  lastTurn,
  outcome: null,
});
const left = (clean: boolean, lastTurn: "good" | "aborted" | "failed" | null): Ending => ({
  how: "left",
  clean,
  tellsTurns: true,
  lastTurn,
});

/** The outcome table of section 3, row by row. */
const TABLE: readonly (readonly [string, Ending, "stopped" | "failed", Outcome | null])[] = [
  ["an explicit end at its prompt after a good turn", asked(true, "good"), "stopped", "success"],
  ["an explicit end at its prompt after an aborted turn", asked(true, "aborted"), "stopped", "interrupted"],
  ["an explicit end at its prompt after a failed turn", asked(true, "failed"), "stopped", "failure"],
  ["an explicit end in mid-turn or at a request", asked(false, "good"), "stopped", "interrupted"],
  ["an explicit end in mid-turn after a failed turn", asked(false, "failed"), "stopped", "interrupted"],
  ["an explicit end before any turn or of a plain command", asked(true, null), "stopped", "interrupted"],
  ["leaving with 0 after a good turn", left(true, "good"), "stopped", "success"],
  ["leaving with 0 after an aborted turn", left(true, "aborted"), "stopped", "interrupted"],
  ["leaving with 0 after an API error", left(true, "failed"), "stopped", "failure"],
  ["leaving with 0 of an agent before any turn", left(true, null), "stopped", null],
  [
    "leaving with 0 of a plain command",
    { how: "left", clean: true, tellsTurns: false, lastTurn: null },
    "stopped",
    "success",
  ],
  ["a non-zero exit or a signal that nobody asked for", left(false, "good"), "failed", "failure"],
  ["a budget or time-out", { how: "limit" }, "stopped", "interrupted"],
];

describe("the outcome", () => {
  test.each(TABLE)("of %s", (_how, ending, state, outcome) => {
    expect(endOf(ending)).toEqual({ state, outcome });
    const ended = { ...happened("ended"), ...endOf(ending) };
    expect(rowAfter(...bodiesTo("running"), ended)).toMatchObject({ state, outcome });
  });

  test("of a session that was lost is not told", () => {
    expect(rowAfter(...bodiesTo("running"), seen("unknown"))).toMatchObject({
      state: "unknown",
      outcome: null,
    });
  });

  test("of a budget keeps the reason", () => {
    const row = rowAfter(...bodiesTo("running"), happened("ended", { how: "limit", endReason: "budget" }));
    expect(row.endReason).toBe("budget");
  });

  test.each(OUTCOMES)("is %s where the one who ends it says so", (outcome) => {
    expect(outcomeOf({ how: "asked", atPrompt: true, lastTurn: "good", outcome })).toBe(outcome);
  });
});
