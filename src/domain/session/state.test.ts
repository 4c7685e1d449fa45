import { describe, expect, test } from "vitest";
import { OUTCOMES, type Outcome } from "./outcome.ts";
import { DECLARED_STATUS, isEnded, isLive, STATES, STATUSES, type State, statusOf } from "./state.ts";

const ANY = [null, ...OUTCOMES] as const;
const LIVE: readonly State[] = ["starting", "running", "waiting_input", "paused", "resuming", "stopping"];

/** The paragraph on status of section 3, case by case. */
const EXPECTED: readonly (readonly [State, Outcome | null, string])[] = [
  ...LIVE.flatMap((state) => ANY.map((outcome) => [state, outcome, "active"] as const)),
  ["stopped", "success", "completed"],
  ["stopped", "failure", "failed"],
  ["stopped", "interrupted", "cancelled"],
  ["stopped", null, "unknown"],
  ...ANY.map((outcome) => ["failed", outcome, "failed"] as const),
  ...ANY.map((outcome) => ["unknown", outcome, "unknown"] as const),
];

describe("status", () => {
  test("is told for every combination of state and outcome", () => {
    expect(EXPECTED).toHaveLength(STATES.length * ANY.length);
  });

  test.each(EXPECTED)("of %s with outcome %s is %s", (state, outcome, status) => {
    expect(statusOf({ state, outcome })).toBe(status);
  });

  test.each(STATUSES)("%s, when it is declared, is what is read back", (status) => {
    expect(statusOf(DECLARED_STATUS[status])).toBe(status);
  });
});

describe("a state", () => {
  test.each(STATES)("%s is live, ended or unknown, and only one of them", (state) => {
    expect([isLive(state), isEnded(state), state === "unknown"].filter(Boolean)).toHaveLength(1);
    expect(isLive(state)).toBe(LIVE.includes(state));
  });
});
