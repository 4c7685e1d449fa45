import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { instants } from "../../testing/arbitraries.ts";
import { bodies, carriedLives, lives } from "../../testing/arbitrary-events.ts";
import { replay } from "../../testing/events.ts";
import { illegalities, illegalStep } from "../../testing/legal-session.ts";
import { runsOf } from "../../testing/runs.ts";
import { apply } from "./apply.ts";
import type { SessionEvent } from "./event.ts";
import { FINAL_PHASES, OUTCOME_OF_PHASE } from "./phase.ts";
import type { SessionRow } from "./session.ts";

const RUNS = { numRuns: runsOf(2000) };
const allLives = fc.oneof(lives, carriedLives);

describe("any sequence of events", () => {
  test("gives a legal session at every step", () => {
    fc.assert(
      fc.property(allLives, (events) => {
        for (const { after } of stepsOf(events)) expect(illegalities(after)).toEqual([]);
      }),
      RUNS,
    );
  });

  test("takes only legal steps", () => {
    fc.assert(
      fc.property(allLives, (events) => {
        for (const { before, event, after } of stepsOf(events))
          if (before) expect(illegalStep(before, event, after)).toEqual([]);
      }),
      RUNS,
    );
  });

  test("gives the same row when it is replayed from where it was written down", () => {
    fc.assert(
      fc.property(allLives, fc.nat(), (events, cut) => {
        const at = cut % (events.length + 1);
        const written = asWritten(replay(events.slice(0, at)));
        expect(events.slice(at).reduce(apply, written)).toEqual(replay(events));
      }),
      RUNS,
    );
  });

  test("leaves a final phase, its outcome and its time as they are", () => {
    fc.assert(
      fc.property(allLives, fc.constantFrom(...FINAL_PHASES), (events, phase) => {
        const [first, ...rest] = events as [SessionEvent, ...SessionEvent[]];
        const final: SessionEvent = {
          ...first,
          seq: 2,
          body: { kind: "finalized", phase, summary: null, inHistory: false },
        };
        const last = replay([first, final, ...rest.map((event) => ({ ...event, seq: event.seq + 1 }))]);
        expect(last).toMatchObject({ phase, finalizedAt: first.at, outcome: OUTCOME_OF_PHASE[phase] });
      }),
      RUNS,
    );
  });

  test("without a creation gives no session", () => {
    const orphans = bodies.filter(({ kind }) => kind !== "created" && kind !== "restored");
    fc.assert(
      fc.property(orphans, instants, (body, at) => {
        const event: SessionEvent = { id: "e", at, channel: null, sessionId: "s", seq: 1, body };
        expect(apply(undefined, event)).toBeUndefined();
      }),
    );
  });
});

function asWritten(row: SessionRow | undefined): SessionRow | undefined {
  return row && (JSON.parse(JSON.stringify(row)) as SessionRow);
}

function* stepsOf(events: readonly SessionEvent[]) {
  let before: SessionRow | undefined;
  for (const event of events) {
    const after = apply(before, event) as SessionRow;
    yield { before, event, after };
    before = after;
  }
}
