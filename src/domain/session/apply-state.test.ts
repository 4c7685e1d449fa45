import { describe, expect, test } from "vitest";
import { bodiesTo, created, finalized, rowAfter, said, seen, step, T0, T1 } from "../../testing/events.ts";
import { FINAL_PHASES } from "./phase.ts";
import { STATES, type State } from "./state.ts";

describe("a late event of an earlier generation", () => {
  test.each(STATES)("changes nothing but the seq, whatever it says (%s)", (to) => {
    const resumed = rowAfter(...bodiesTo("resuming"));
    const after = step(resumed, seen(to, { generation: 1, exitCode: 1, endReason: "late" }));
    expect(after).toEqual({ ...resumed, seq: resumed.seq + 1 });
  });

  test("of the generation that runs is taken", () => {
    const resumed = rowAfter(...bodiesTo("resuming"));
    expect(step(resumed, seen("running", { generation: 2 }))).toMatchObject({
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
  stopped: ["resuming"],
  failed: ["resuming"],
  unknown: STATES,
};
const PAIRS = STATES.flatMap((from) => STATES.map((to) => ({ from, to, allowed: TABLE[from].includes(to) })));

describe("what is seen changes the state only along the table", () => {
  test.each(PAIRS.filter(({ allowed }) => allowed))("$from → $to is taken", ({ from, to }) => {
    expect(step(rowAfter(...bodiesTo(from)), seen(to)).state).toBe(to);
  });

  test.each(PAIRS.filter(({ allowed }) => !allowed))("$from → $to changes nothing", ({ from, to }) => {
    const row = rowAfter(...bodiesTo(from));
    expect(step(row, seen(to))).toEqual({ ...row, seq: row.seq + 1 });
  });

  test.each(PAIRS)("$from → $to is taken when it is declared of a record made by hand", ({ from, to }) => {
    expect(step(rowAfter(...bodiesTo(from, "created")), said(to)).state).toBe(to);
  });
});

describe("a change of state", () => {
  test("keeps its evidence, and since when it holds", () => {
    const row = step(rowAfter(created()), seen("waiting_input"), T1);
    expect(row).toMatchObject({ stateSource: "process", stateSince: T1, lastActiveAt: T1 });
  });

  test("to the same state keeps since when it holds, unless it is another request", () => {
    const running = rowAfter(created());
    expect(step(running, seen("running"), T1).stateSince).toBe(T0);
    const waiting = rowAfter(created(), seen("waiting_input"));
    expect(step(waiting, seen("waiting_input"), T1).stateSince).toBe(T1);
  });

  test("to an end clears what it waited for and keeps how it ended", () => {
    const row = rowAfter(created({ origin: "started" }), seen("failed", { exitCode: 1, endReason: "crash" }));
    expect(row).toMatchObject({ outcome: "failure", exitCode: 1, endReason: "crash", waiting: null });
  });

  test("keeps the first end when another one is reported", () => {
    const ended = rowAfter(created({ origin: "started" }), seen("failed", { exitCode: 1 }));
    expect(step(ended, seen("failed", { exitCode: 2 }), T1)).toMatchObject({
      exitCode: 1,
      endedAt: ended.endedAt,
    });
    expect(step(ended, seen("stopped", { exitCode: 0 }), T1)).toMatchObject({ state: "failed", exitCode: 1 });
  });

  test("keeps when it ended though the word for it is corrected", () => {
    const ended = rowAfter(created(), said("stopped", { ending: { how: "declared", outcome: "success" } }));
    const corrected = step(ended, said("failed", { ending: { how: "declared", outcome: "failure" } }), T1);
    expect(corrected).toMatchObject({ state: "failed", outcome: "failure", endedAt: ended.endedAt });
  });

  test("to unknown takes back what was known of an end", () => {
    const ended = rowAfter(
      created(),
      said("stopped", { exitCode: 0, ending: { how: "declared", outcome: "success" } }),
    );
    const lost = step(ended, said("unknown", { endReason: "machine_reboot" }), T1);
    expect(lost).toMatchObject({ outcome: null, endedAt: null, exitCode: null, endReason: "machine_reboot" });
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
    const row = rowAfter(created(), said("stopped"), said("running"));
    expect(row).toMatchObject({
      state: "running",
      generation: 2,
      resumeCount: 0,
      outcome: null,
      endedAt: null,
    });
  });
});
