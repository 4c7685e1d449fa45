import { describe, expect, test } from "vitest";
import { simulateMany } from "./main.ts";
import { PLANTED } from "./planted.ts";
import { simulate } from "./run.ts";

const SEEDS = 1000;
/** Some mistakes need three things to happen at once. */
const SEEDS_TO_CATCH = 5000;

describe("the supervision of sessions", () => {
  test(`holds in ${SEEDS} worlds, whatever dies in them`, () => {
    expect(simulateMany(SEEDS).failed).toBeNull();
  });

  test("is the same in the same world", () => {
    expect(simulate(7, { isTraced: true })).toEqual(simulate(7, { isTraced: true }));
  });
});

/** Worlds in which an earlier set of rules said something false. */
const FORMER: readonly (readonly [seed: number, was: string])[] = [
  [0, "an end that was asked for before a reboot stayed unknown"],
  [1, "a late hook brought a lost session back to life"],
  [7, "an exit that was written was called unknown"],
  [10, "a holder on its way was taken for a leftover"],
  [23, "an exit that was written was not told with the end"],
  [57, "a limit ended what was lost long before"],
  [61, "a pause was recorded and never done"],
  [72, "a command that could not be executed hid the limit before it"],
  [150, "an end was recorded and never done"],
  [299, "an end with an outcome hid the limit before it"],
  [961, "an end with an outcome hid a failure before it"],
  [2664, "a continue was recorded and never done"],
];

describe("a world that once was misjudged", () => {
  test.each(FORMER)("seed %i: %s", (seed) => {
    expect(simulate(seed).violations).toEqual([]);
  });
});

describe("the simulation notices a daemon that", () => {
  test.each(Object.entries(PLANTED))("%s", (_, planted) => {
    const isCaught = (seed: number) => simulate(seed, { planted }).violations.length > 0;
    expect(Array.from({ length: SEEDS_TO_CATCH }, (_, seed) => seed).some(isCaught)).toBe(true);
  });
});
