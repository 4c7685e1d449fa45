import { describe, expect, test } from "vitest";
import { LAUNCH } from "../../testing/carried.ts";
import {
  bodiesTo,
  created,
  declared,
  entryAdded,
  finalized,
  happened,
  left,
  rowAfter,
  seen,
  step,
  T0,
  T1,
} from "../../testing/events.ts";
import type { SessionEvent } from "./event.ts";
import { STATUSES } from "./state.ts";

describe("a finalise", () => {
  test.each([
    ["completed", "stopped", "success"],
    ["failed", "failed", "failure"],
    ["abandoned", "stopped", "interrupted"],
  ] as const)("as %s ends a record made by hand: %s, %s", (phase, state, outcome) => {
    const row = step(rowAfter(created()), finalized(phase), T1);
    expect(row).toMatchObject({ phase, state, outcome, finalizedAt: T1, endedAt: T1, history: [] });
  });

  test("of a session that Rollcall carries leaves it running until its end", () => {
    const final = rowAfter(...bodiesTo("running"), finalized("completed"));
    expect(final).toMatchObject({ state: "running", outcome: "success", endedAt: null });
    expect(step(final, left(1))).toMatchObject({
      state: "failed",
      outcome: "success",
    });
  });

  test("of a carried session that was lost and found again lets it go on", () => {
    const found = rowAfter(...bodiesTo("running"), finalized("completed"), seen("unknown"), seen("running"));
    expect(found).toMatchObject({ state: "running", phase: "completed", outcome: "success", generation: 1 });
  });

  test("keeps an earlier end of the process and takes its outcome over", () => {
    const ended = rowAfter(created(), declared("cancelled"));
    expect(step(ended, finalized("completed"), T1)).toMatchObject({
      outcome: "success",
      endedAt: ended.endedAt,
    });
  });

  test.each(STATUSES)("is not undone by a status that is declared later (%s)", (status) => {
    const final = rowAfter(created(), finalized("completed"));
    expect(step(final, declared(status))).toEqual({ ...final, seq: final.seq + 1 });
  });
});

describe("an update", () => {
  test("appends the phase to the history even if it is the same", () => {
    const { history } = rowAfter(created(), updated({ phase: "planning" }), updated({ phase: "planning" }));
    expect(history.map(({ fromPhase, toPhase }) => [fromPhase, toPhase])).toEqual([
      ["initializing", "planning"],
      ["planning", "planning"],
    ]);
  });

  test.each([
    ["initializing", false],
    ["investigating", true],
    ["planning", true],
    ["approval", true],
    ["executing", false],
    ["validating", false],
  ] as const)("to %s sets resume_ready to %s", (phase, ready) => {
    const before = rowAfter(created(), updated({ resumeReady: !ready }));
    expect(step(before, updated({ phase })).resumeReady).toBe(ready);
  });

  test("without a phase leaves phase, history and resume_ready alone and counts as activity", () => {
    const before = rowAfter(created(), updated({ phase: "approval" }));
    const after = step(before, updated({ metadata: { a: 1 } }), T1);
    expect(after).toEqual({ ...before, seq: before.seq + 1, metadata: { a: 1 }, lastActiveAt: T1 });
  });

  test("overrides resume_ready until the next phase", () => {
    const overridden = rowAfter(created(), updated({ phase: "approval", resumeReady: false }));
    expect(overridden.resumeReady).toBe(false);
    expect(step(overridden, updated({ phase: "approval" })).resumeReady).toBe(true);
  });

  test("merges metadata key by key, the last write winning", () => {
    const row = rowAfter(
      created(),
      updated({ metadata: { a: { x: 1 }, b: 1 } }),
      updated({ metadata: { a: { y: 2 } } }),
    );
    expect(row.metadata).toEqual({ a: { y: 2 }, b: 1 });
  });

  test("adds each error and keeps the last, also after the work is final", () => {
    const row = rowAfter(
      created(),
      updated({ error: "one" }),
      finalized("failed"),
      updated({ error: "two" }),
    );
    expect(row).toMatchObject({ errorCount: 2, lastError: { message: "two" } });
  });

  test.each(["created", "upserted"] as const)("makes an unknown record that was %s run again", (origin) => {
    const lost = rowAfter(created({ origin }), reconciled);
    expect(step(lost, updated({}), T1)).toMatchObject({ state: "running", stateSince: T1, endReason: null });
  });

  test.each(["started", "imported", "observed"] as const)(
    "leaves an unknown session that was %s unknown",
    (origin) => {
      const lost = rowAfter(created({ origin }), seen("unknown"));
      expect(step(lost, updated({})).state).toBe("unknown");
    },
  );
});

describe("other events", () => {
  test("reconciling marks a live session unknown and leaves its last activity alone", () => {
    const row = step(rowAfter(created()), reconciled, T1);
    expect(row).toMatchObject({
      state: "unknown",
      stateSince: T1,
      lastActiveAt: T0,
      endReason: "no_living_process",
    });
  });

  test("reconciling leaves what has ended alone", () => {
    const ended = rowAfter(created(), declared("completed"));
    expect(step(ended, reconciled)).toEqual({ ...ended, seq: ended.seq + 1 });
  });

  test("only what a user says begins a turn", () => {
    const row = rowAfter(
      created(),
      entryAdded("hi", { role: "user" }),
      entryAdded("yes"),
      entryAdded("hm", { role: "user", kind: "notice" }),
    );
    expect(row.turns).toBe(1);
  });

  test("texts to a plain command that Rollcall carries are no turns", () => {
    const launch = { ...LAUNCH, tellsTurns: false };
    const row = rowAfter(created({ origin: "started", launch }), entryAdded("hi", { role: "user" }));
    expect([row.turns, row.turn]).toEqual([0, null]);
  });

  test("a record brought back from its file is what the file said, at its new seq", () => {
    const { seq: _, ...kept } = rowAfter(created(), updated({ phase: "planning" }));
    expect(rowAfter({ kind: "restored", row: kept })).toEqual({ ...kept, seq: 1 });
  });

  test("a second creation changes nothing", () => {
    const row = rowAfter(created({ identity: { name: "first" } }));
    expect(step(row, created({ identity: { name: "second" } }))).toEqual({ ...row, seq: 2 });
  });
});

describe("a new record", () => {
  test("is initializing, without history, and not ready to resume", () => {
    const row = rowAfter(created());
    expect(row).toMatchObject({
      phase: "initializing",
      history: [],
      resumeReady: false,
      generation: 1,
      outcome: null,
    });
  });

  test("made by hand began when it was created; a started one begins when it runs", () => {
    expect(rowAfter(created())).toMatchObject({ createdAt: T0, startedAt: T0 });
    expect(rowAfter(...bodiesTo("starting")).startedAt).toBeNull();
    expect(step(rowAfter(...bodiesTo("starting")), seen("running"), T1).startedAt).toBe(T1);
  });
});

const reconciled = happened("reconciled");

function updated(
  given: Omit<Extract<SessionEvent["body"], { kind: "updated" }>, "kind">,
): SessionEvent["body"] {
  return { kind: "updated", ...given };
}
