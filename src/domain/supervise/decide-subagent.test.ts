import { describe, expect, test } from "vitest";
import { created, rowAfter, step, T1 } from "../../testing/events.ts";
import type { SessionRow } from "../session/session.ts";
import { decideSubagent, type SubagentObservation } from "./decide-subagent.ts";

const found = () =>
  rowAfter(
    created({
      ...{ origin: "subagent", state: "running" },
      evidence: { source: "transcript", rule: "subagent_found", excerpt: null },
    }),
  );
const turn = (row: SessionRow, number = 1): SessionRow =>
  step(row, { kind: "turn_began", number, generation: row.generation, by: "agent" }, T1);

function rowOf(row: SessionRow, ...observations: readonly SubagentObservation[]): SessionRow {
  return observations.reduce(
    (before, observation) =>
      decideSubagent(before, observation).reduce((now, body) => step(now, body, T1), before),
    row,
  );
}

const over = (result: "good" | "aborted" | "failed" | null): SubagentObservation => ({ saw: "over", result });
const BEGAN: SubagentObservation = { saw: "began" };
const PARENT_ENDED: SubagentObservation = { saw: "parent_ended" };
const PARENT_LOST: SubagentObservation = { saw: "parent_lost", endReason: "no_process" };

describe("a sub-agent", () => {
  test.each([
    ["good", "success"],
    ["aborted", "interrupted"],
    ["failed", "failure"],
    [null, null],
  ] as const)(
    "whose turn went %s has stopped with the outcome %s, and waits for nobody",
    (result, outcome) => {
      expect(rowOf(turn(found()), over(result))).toMatchObject({ state: "stopped", outcome, waiting: null });
    },
  );

  test("with another task goes on as a new generation", () => {
    const done = rowOf(turn(found()), over("good"));
    expect(rowOf(done, BEGAN)).toMatchObject({
      state: "running",
      generation: 2,
      outcome: null,
      endedAt: null,
    });
  });

  test("that runs already begins nothing", () => {
    expect(decideSubagent(found(), BEGAN)).toEqual([]);
  });

  test("in mid-turn is interrupted by the end of its parent", () => {
    expect(rowOf(turn(found()), PARENT_ENDED)).toMatchObject({
      ...{ state: "stopped", outcome: "interrupted" },
      turn: { state: "done", outcome: "interrupted" },
    });
  });

  test("that has not begun its first turn is interrupted by the end of its parent", () => {
    expect(rowOf(found(), PARENT_ENDED)).toMatchObject({ state: "stopped", outcome: "interrupted" });
  });

  test("that has done its turn ends with its parent, and nobody says how", () => {
    const rested = step(
      turn(found()),
      { kind: "turn_ended", number: 1, generation: 1, outcome: "success", error: null },
      T1,
    );
    expect(rowOf(rested, PARENT_ENDED)).toMatchObject({ state: "stopped", outcome: null });
  });

  test("ends once, also where its parent was lost meanwhile", () => {
    const lost = rowOf(turn(found()), PARENT_LOST);
    expect(rowOf(lost, over("good"))).toMatchObject({ state: "stopped", outcome: "success" });
    expect(decideSubagent(rowOf(turn(found()), over("good")), over("failed"))).toEqual([]);
  });

  test("that has ended before its parent stays as it is", () => {
    const done = rowOf(turn(found()), over("good"));
    expect(rowOf(done, PARENT_ENDED, PARENT_LOST, { saw: "at_work" })).toEqual(done);
  });

  test("is lost with its parent, and believed again when it shows work", () => {
    const lost = rowOf(turn(found()), PARENT_LOST);
    expect(lost).toMatchObject({ state: "unknown", endReason: "no_process" });
    expect(rowOf(lost, { saw: "at_work" }).state).toBe("running");
  });

  test("that was finalised is not brought back", () => {
    const final = step(
      found(),
      { kind: "finalized", phase: "completed", summary: null, inHistory: false },
      T1,
    );
    for (const observation of [BEGAN, over("failed"), PARENT_ENDED, PARENT_LOST])
      expect(decideSubagent(final, observation)).toEqual([]);
  });
});
