import { describe, expect, test } from "vitest";
import {
  bodiesTo,
  created,
  declared,
  finalized,
  happened,
  left,
  REQUEST,
  rowAfter,
  seen,
  step,
  T0,
  T1,
} from "../../testing/events.ts";
import type { StateEvent } from "./event.ts";
import { FINAL_PHASES } from "./phase.ts";
import { DECLARED_STATUS, STATES, STATUSES, type State } from "./state.ts";

describe("a late event of an earlier generation", () => {
  test.each(STATES)("changes nothing but the seq, whatever it says (%s)", (to) => {
    const resumed = rowAfter(...bodiesTo("resuming"));
    const after = step(resumed, { ...seen(to), generation: 1 } as StateEvent);
    expect(after).toEqual({ ...resumed, seq: resumed.seq + 1 });
  });

  test("of the generation that runs is taken", () => {
    const resumed = rowAfter(...bodiesTo("resuming"));
    expect(step(resumed, happened("at_work", { generation: 2 }))).toMatchObject({
      state: "running",
      generation: 2,
    });
  });
});

/** The table of section 3, as far as observation alone may go; `waiting_input` and `paused` go back to where they came from. */
const ENDS = ["stopping", "stopped", "failed", "unknown"] as const;
const TABLE: Readonly<Record<State, readonly State[]>> = {
  starting: ["starting", "waiting_input", "running", "paused", ...ENDS],
  resuming: ["resuming", "waiting_input", "running", "paused", ...ENDS],
  running: ["running", "waiting_input", "paused", ...ENDS],
  waiting_input: ["waiting_input", "running", "starting", "resuming", "paused", ...ENDS],
  paused: ["paused", "starting", "resuming", "running", "waiting_input", ...ENDS],
  stopping: ["stopping", "paused", "stopped", "failed", "unknown"],
  stopped: [],
  failed: [],
  unknown: STATES.filter((state) => state !== "paused"),
};
const PAIRS = STATES.flatMap((from) => STATES.map((to) => ({ from, to, allowed: TABLE[from].includes(to) })));

describe("what is seen changes the state only along the table", () => {
  test.each(PAIRS.filter(({ allowed }) => allowed))("$from → $to is taken", ({ from, to }) => {
    expect(step(rowAfter(...bodiesTo(from)), observed(to)).state).toBe(to);
  });

  test.each(PAIRS.filter(({ allowed }) => !allowed))("$from → $to changes nothing", ({ from, to }) => {
    const row = rowAfter(...bodiesTo(from));
    expect(step(row, observed(to))).toEqual({ ...row, seq: row.seq + 1 });
  });

  test.each(STATES.flatMap((from) => STATUSES.map((status) => ({ from, status }))))(
    "$status is taken of a record made by hand that is $from",
    ({ from, status }) => {
      const row = step(rowAfter(...bodiesTo(from, "created")), declared(status));
      expect(row).toMatchObject(DECLARED_STATUS[status]);
    },
  );
});

/** Seen of the generation that runs: a resume begins another, and stands beside the table. */
function observed(state: State): StateEvent {
  return state === "resuming" ? happened("answered", { state }) : seen(state);
}

describe("a change of state", () => {
  test("keeps its evidence, and since when it holds", () => {
    const row = step(rowAfter(created()), seen("waiting_input"), T1);
    expect(row).toMatchObject({ stateSource: "process", stateSince: T1, lastActiveAt: T1 });
  });

  test("to the same state keeps since when it holds, unless it is another request", () => {
    const running = rowAfter(created());
    expect(step(running, seen("running"), T1).stateSince).toBe(T0);
    const waiting = rowAfter(created(), happened("asked"));
    expect(step(waiting, happened("asked"), T1).stateSince).toBe(T1);
  });

  test("by a request or a prompt tells what it waits for, and its end clears that", () => {
    const asking = rowAfter(created(), happened("asked"));
    expect(asking).toMatchObject({ state: "waiting_input", waiting: REQUEST });
    expect(step(asking, happened("at_prompt"), T1).waiting).toMatchObject({ for: "prompt", since: T1 });
    expect(step(asking, happened("answered"))).toMatchObject({ state: "running", waiting: null });
  });

  test("to an end clears what it waited for and keeps how it ended", () => {
    const row = rowAfter(created({ origin: "started" }), { ...left(1), endReason: "crash" } as StateEvent);
    expect(row).toMatchObject({ outcome: "failure", exitCode: 1, endReason: "crash", waiting: null });
  });

  test("keeps the first end when another one is reported", () => {
    const ended = rowAfter(created({ origin: "started" }), left(1));
    expect(step(ended, left(2), T1)).toMatchObject({
      exitCode: 1,
      endedAt: ended.endedAt,
    });
    expect(step(ended, left(0), T1)).toMatchObject({ state: "failed", exitCode: 1 });
  });

  test("keeps when it ended though the word for it is corrected", () => {
    const ended = rowAfter(created(), declared("completed"));
    const corrected = step(ended, declared("failed"), T1);
    expect(corrected).toMatchObject({ state: "failed", outcome: "failure", endedAt: ended.endedAt });
  });

  test("to unknown takes back what was known of an end", () => {
    const ended = rowAfter(created(), left(0));
    const lost = step(ended, declared("unknown"), T1);
    expect(lost).toMatchObject({ outcome: null, endedAt: null, exitCode: null, endReason: null });
  });

  test.each([
    [happened("lost", { endReason: "machine_reboot" }), "machine_reboot"],
    [happened("silent"), "not_ready"],
    [happened("reconciled"), "no_living_process"],
  ])("to unknown says why ($0.kind)", (event, endReason) => {
    expect(step(rowAfter(created()), event)).toMatchObject({ state: "unknown", endReason });
  });

  test("out of unknown without an end in between is no new generation", () => {
    const back = rowAfter(...bodiesTo("unknown"), seen("running"));
    expect(back).toMatchObject({ state: "running", generation: 1, resumeCount: 0, endReason: null });
  });
});

describe("a resume", () => {
  test.each(["stopped", "failed", "unknown"] as const)(
    "of a %s session raises the generation and clears the end",
    (from) => {
      const row = rowAfter(...bodiesTo(from), seen("resuming"), seen("running"));
      expect(row).toMatchObject({
        state: "running",
        generation: 2,
        resumeCount: 1,
        outcome: null,
        endedAt: null,
      });
    },
  );

  test.each(FINAL_PHASES)("of work that is %s changes nothing", (phase) => {
    const final = rowAfter(...bodiesTo("stopped"), finalized(phase));
    expect(step(final, seen("resuming"))).toEqual({ ...final, seq: final.seq + 1 });
  });

  test("by declaration over an ended record is a new generation but no resume", () => {
    const row = rowAfter(created(), declared("completed"), declared("active"));
    expect(row).toMatchObject({
      state: "running",
      generation: 2,
      resumeCount: 0,
      outcome: null,
      endedAt: null,
    });
  });
});
