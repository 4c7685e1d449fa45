import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { instants } from "../../testing/arbitraries.ts";
import { carriedLives, lives } from "../../testing/arbitrary-events.ts";
import { actionsOf, bodiesOf, observe } from "../../testing/carried.ts";
import { replay } from "../../testing/events.ts";
import { illegalities, illegalStep } from "../../testing/legal-session.ts";
import { observations } from "../../testing/observations.ts";
import { runsOf } from "../../testing/runs.ts";
import { apply } from "../session/apply.ts";
import type { SessionRow } from "../session/session.ts";
import { isEnded } from "../session/state.ts";

const RUNS = { numRuns: runsOf(3000) };

describe("any session and anything seen of it", () => {
  test("have an answer that keeps the session legal", () => {
    fc.assert(
      fc.property(carriedLives, observations, instants, (events, observation, at) => {
        const row = replay(events) as SessionRow;
        bodiesOf(actionsOf(row, observation, { at })).reduce((before, body) => {
          const event = { id: "e", at, channel: null, sessionId: "s", seq: before.seq + 1, body };
          const after = apply(before, event) as SessionRow;
          expect([...illegalities(after), ...illegalStep(before, event, after)]).toEqual([]);
          return after;
        }, row);
      }),
      RUNS,
    );
  });

  test("have none where Rollcall does not carry the process, or an earlier generation is spoken of", () => {
    fc.assert(
      fc.property(lives, carriedLives, observations, (events, carried, observation) => {
        const row = replay(carried) as SessionRow;
        const other = { ...(replay(events) as SessionRow), carried: null };
        expect(actionsOf(other, observation)).toEqual([]);
        expect(actionsOf(row, observation, { generation: row.generation - 1 })).toEqual([]);
        expect(actionsOf(row, observation, { generation: row.generation + 1 })).toEqual([]);
      }),
      RUNS,
    );
  });

  test("never leave an end, nor begin a new generation", () => {
    fc.assert(
      fc.property(carriedLives, observations, (events, observation) => {
        const row = replay(events) as SessionRow;
        const after = observe(row, observation);
        expect(after.generation).toBe(row.generation);
        if (isEnded(row.state)) expect(after).toBe(row);
      }),
      RUNS,
    );
  });

  test("say it once: seen again, it changes nothing more", () => {
    fc.assert(
      fc.property(carriedLives, observations, (events, observation) => {
        const once = observe(replay(events) as SessionRow, observation);
        const { state, outcome, exitCode, exitSignal, waiting, endReason } = observe(once, observation);
        const isToggle = observation.saw === "signal";
        if (!isToggle)
          expect({ state, outcome, exitCode, exitSignal, waiting, endReason }).toEqual(pickEnd(once));
      }),
      RUNS,
    );
  });

  test("are decided by the row alone, also after it was written down and read again", () => {
    fc.assert(
      fc.property(carriedLives, observations, (events, observation) => {
        const row = replay(events) as SessionRow;
        const read = JSON.parse(JSON.stringify(row)) as SessionRow;
        expect(actionsOf(read, observation)).toEqual(actionsOf(row, observation));
      }),
      RUNS,
    );
  });
});

function pickEnd({ state, outcome, exitCode, exitSignal, waiting, endReason }: SessionRow) {
  return { state, outcome, exitCode, exitSignal, waiting, endReason };
}
