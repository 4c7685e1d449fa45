import { describe, expect, test } from "vitest";
import { TRUST } from "../testing/carried.ts";
import { created, rowAfter, step, T1 } from "../testing/events.ts";
import { decideOutside, type OutsideSighting } from "./decide-outside.ts";
import type { SessionRow } from "./session.ts";
import type { Signal } from "./signal.ts";

const found = () =>
  rowAfter(
    created({
      origin: "observed",
      state: "unknown",
      evidence: { source: "file", rule: "seen_outside", excerpt: null },
    }),
  );

function says(signal: Pick<Signal, "says">): OutsideSighting {
  const evidence = { source: "terminal", rule: "test", excerpt: null } as const;
  return { saw: "signal", trust: TRUST, signal: { ...evidence, ...signal } as Signal };
}

function rowOf(row: SessionRow, ...sightings: readonly OutsideSighting[]): SessionRow {
  return sightings.reduce(
    (before, sighting) =>
      decideOutside(before, sighting, T1).reduce((now, body) => step(now, body, T1), before),
    row,
  );
}

const WORKING = says({ says: "working" });
const READY = says({ says: "ready" });
const LEFT: OutsideSighting = { saw: "gone", isTold: true };
const LOST: OutsideSighting = { saw: "gone", isTold: false };

describe("a session that someone started without Rollcall", () => {
  test.each([
    ["running", [WORKING]],
    ["waiting_input", [READY]],
    ["waiting_input", [WORKING, READY]],
    ["running", [READY, WORKING]],
  ] as const)("is %s by what it shows", (state, sightings) => {
    expect(rowOf(found(), ...sightings).state).toBe(state);
  });

  test("has ended when its own word says so, and nobody knows how", () => {
    expect(rowOf(found(), WORKING, LEFT)).toMatchObject({ state: "stopped", outcome: null, exitCode: null });
  });

  test("is unknown when its process cannot be found", () => {
    expect(rowOf(found(), WORKING, LOST)).toMatchObject({ state: "unknown", endReason: "no_process" });
  });

  test.each([
    ["ended", LEFT],
    ["was lost", LOST],
  ] as const)("that %s and is seen again goes on as a new generation, and its end is forgotten", (_, end) => {
    const before = rowOf(found(), WORKING, end);
    const again = rowOf(before, READY);
    expect(again).toMatchObject({ state: "waiting_input", endedAt: null, endReason: null });
    expect(again.generation).toBe(before.generation + 1);
  });

  test("says nothing new by saying it twice, nor by leaving twice", () => {
    expect(decideOutside(rowOf(found(), READY), READY, T1)).toEqual([]);
    expect(decideOutside(rowOf(found(), READY, LEFT), LEFT, T1)).toEqual([]);
  });
});
