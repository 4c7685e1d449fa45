import { describe, expect, test } from "vitest";
import { runsOf } from "../runs.ts";
import { simulateMany } from "./main.ts";
import { PLANTED } from "./planted.ts";
import { simulate } from "./run.ts";
import type { Planted } from "./specs.ts";

const SEEDS = runsOf(1000);
/** Some mistakes need three things to happen at once. */
const SEEDS_TO_CATCH = 5000;

describe("the supervision of sessions", () => {
  test(`holds in ${SEEDS} worlds, whatever dies in them`, async () => {
    const { failed } = await simulateMany(SEEDS);
    expect(failed).toBeNull();
  });

  test("is the same in the same world", async () => {
    expect(await simulate(7, { isTraced: true })).toEqual(await simulate(7, { isTraced: true }));
  });
});

describe("the simulation notices a daemon that", () => {
  test.each(Object.entries(PLANTED))("%s", async (_, planted) => {
    expect(await isNoticed(planted)).toBe(true);
  });
});

async function isNoticed(planted: Planted): Promise<boolean> {
  for (let seed = 0; seed < SEEDS_TO_CATCH; seed += 1)
    if ((await simulate(seed, { planted })).violations.length > 0) return true;
  return false;
}
