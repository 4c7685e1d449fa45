import { describe, expect, test } from "vitest";
import { TRUST } from "../../testing/carried.ts";
import { created, entryAdded, rowAfter, step, T1 } from "../../testing/events.ts";
import type { SessionRow } from "../session/session.ts";
import { decideOutside, type OutsideObservation } from "./decide-outside.ts";
import type { Signal } from "./signal.ts";

const found = () =>
  rowAfter(
    created({
      origin: "observed",
      state: "unknown",
      evidence: { source: "file", rule: "seen_outside", excerpt: null },
    }),
  );

function says(signal: Pick<Signal, "says">): OutsideObservation {
  const evidence = { source: "terminal", rule: "test", excerpt: null } as const;
  return { saw: "signal", trust: TRUST, signal: { ...evidence, ...signal } as Signal };
}

function rowOf(row: SessionRow, ...sightings: readonly OutsideObservation[]): SessionRow {
  return sightings.reduce(
    (before, sighting) =>
      decideOutside(before, sighting, T1).reduce((now, body) => step(now, body, T1), before),
    row,
  );
}

const WORKING = says({ says: "working" });
const READY = says({ says: "ready" });
const LEFT: OutsideObservation = { saw: "gone", isTold: true };
const SILENT: OutsideObservation = { saw: "silence" };
const LOST: OutsideObservation = { saw: "gone", isTold: false };

describe("a session that someone started without Rollcall", () => {
  test.each([
    ["running", [WORKING]],
    ["waiting_input", [READY]],
    ["waiting_input", [WORKING, READY]],
    ["running", [READY, WORKING]],
  ] as const)("is %s by what it shows", (state, sightings) => {
    expect(rowOf(found(), ...sightings)).toMatchObject({ state, generation: 1, resumeCount: 0 });
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

  describe("in a turn", () => {
    const inTurn = (given: Partial<SessionRow> = {}) =>
      step({ ...found(), ...given }, { kind: "turn_began", number: 1, generation: 1, by: "agent" }, T1);

    test.each(["interactive", "autonomous"] as const)(
      "that shows its prompt waits there (%s), and its transcript tells how the turn went",
      (kind) => {
        const row = rowOf(inTurn({ kind }), WORKING, READY);
        expect(row).toMatchObject({ state: "waiting_input", turn: { number: 1, state: "running" } });
      },
    );

    test("that is silent at its prompt for a while is done with it, and nobody knows how it went", () => {
      const done = { number: 1, state: "done", outcome: null };
      expect(rowOf(inTurn(), WORKING, READY, SILENT).turn).toMatchObject(done);
      expect(decideOutside(rowOf(inTurn(), WORKING), SILENT, T1)).toEqual([]);
    });

    test.each([LEFT, LOST])("that leaves is done with it, also where its state was never known", (end) => {
      const done = { number: 1, state: "done", outcome: null };
      expect(rowOf(inTurn(), WORKING, end).turn).toMatchObject(done);
      expect(rowOf(inTurn(), end)).toMatchObject({ state: "unknown", turn: done });
    });

    test("of which the end is known later has the outcome then, and is counted once", () => {
      const lost = rowOf(inTurn(), WORKING, LOST);
      const ended = {
        kind: "turn_ended",
        number: 1,
        generation: 1,
        outcome: "success",
        error: null,
      } as const;
      const row = step(lost, ended, T1);
      expect(row).toMatchObject({ turns: 1, turn: { state: "done", outcome: "success" } });
      expect(step(row, { ...ended, outcome: "failure" }, T1).turn?.outcome).toBe("success");
    });
  });

  test("counts its turns by their ends, not by what a person typed", () => {
    const typed = step(found(), entryAdded("go", { role: "user" }), T1);
    expect(typed.turns).toBe(0);
  });
});
