import { describe, expect, test } from "vitest";
import { bodiesTo, created, rowAfter, T0 } from "../../testing/events.ts";
import { toInstant } from "../time.ts";
import { DEFAULT_RESUME_POLICY, decideResume, REFUSALS } from "./resume.ts";
import type { SessionRow } from "./session.ts";
import { STATES } from "./state.ts";

const MINUTE = 60_000;
const later = (ms: number) => toInstant(Date.parse(T0) + ms);
const decide = (row: SessionRow, now = T0) => decideResume(row, DEFAULT_RESUME_POLICY, Date.parse(now));

/** A session that can be resumed, made by hand. */
const resumable: SessionRow = { ...rowAfter(created()), phase: "approval", resumeReady: true };
/** One that Rollcall carried and that has ended. */
const ended: SessionRow = {
  ...resumable,
  origin: "started",
  state: "stopped",
  nativeId: "native",
};

/** Everything is wrong with it; taking the causes away one by one uncovers the next reason. */
const worst: SessionRow = {
  ...rowAfter(...bodiesTo("running")),
  phase: "completed",
  errorCount: 3,
  nativeId: null,
  lastActiveAt: T0,
};
const STEPS: readonly (readonly [string, Partial<SessionRow>])[] = [
  ["finalized", {}],
  ["still_running", { phase: "executing" }],
  ["phase_not_resumable", { state: "stopped" }],
  ["not_ready", { phase: "approval" }],
  ["expired", { resumeReady: true }],
  ["too_many_errors", { lastActiveAt: later(30 * MINUTE) }],
  ["no_native_id", { errorCount: 2 }],
  ["session_resumable", { nativeId: "native" }],
];

describe("the resume verdict", () => {
  test("gives its reasons in the order of the design", () => {
    let row = worst;
    const reasons = STEPS.map(([, cure]) => {
      row = { ...row, ...cure };
      return decide(row, later(30 * MINUTE)).reason;
    });
    expect(reasons).toEqual(STEPS.map(([reason]) => reason));
  });

  test("knows the reasons of the design in their order", () => {
    expect(REFUSALS).toEqual([
      "session_not_found",
      "corrupt",
      "finalized",
      "still_running",
      "phase_not_resumable",
      "not_ready",
      "expired",
      "too_many_errors",
      "no_native_id",
      "unavailable",
    ]);
  });

  test.each([
    [30 * MINUTE - 1, "session_resumable"],
    [30 * MINUTE, "expired"],
    [30 * MINUTE + 1, "expired"],
    [-MINUTE, "session_resumable"],
  ])("after %i ms without activity is %s", (idle, reason) => {
    expect(decide(resumable, later(idle)).reason).toBe(reason);
  });

  test.each([
    [0, "session_resumable"],
    [2, "session_resumable"],
    [3, "too_many_errors"],
    [4, "too_many_errors"],
  ])("after %i errors is %s", (errorCount, reason) => {
    expect(decide({ ...resumable, errorCount }).reason).toBe(reason);
  });

  test.each([
    ["initializing", "phase_not_resumable"],
    ["investigating", "session_resumable"],
    ["planning", "session_resumable"],
    ["approval", "session_resumable"],
    ["executing", "phase_not_resumable"],
    ["validating", "phase_not_resumable"],
    ["completed", "finalized"],
    ["failed", "finalized"],
    ["abandoned", "finalized"],
  ] as const)("in phase %s is %s", (phase, reason) => {
    expect(decide({ ...resumable, phase }).reason).toBe(reason);
  });

  test("obeys another policy", () => {
    const strict = { maxIdleMs: MINUTE, maxErrors: 1 };
    expect(decideResume(resumable, strict, Date.parse(later(MINUTE))).reason).toBe("expired");
    expect(decideResume({ ...resumable, errorCount: 1 }, strict, Date.parse(T0)).reason).toBe(
      "too_many_errors",
    );
  });

  test("of a record made by hand says to take up the record, whatever its state", () => {
    for (const origin of ["created", "upserted"] as const)
      for (const state of STATES)
        expect(decide({ ...resumable, origin, state })).toMatchObject({ resume: true, how: "record" });
  });

  test.each([
    ["waiting_input", "send"],
    ["stopped", "resume"],
    ["failed", "resume"],
    ["unknown", "resume"],
  ] as const)("of a carried session that is %s says to %s", (state, how) => {
    expect(decide({ ...ended, state })).toMatchObject({ resume: true, how });
  });

  test.each(["starting", "running", "paused", "resuming", "stopping"] as const)(
    "of a session whose process is %s is still_running, carried or seen outside",
    (state) => {
      expect(decide({ ...ended, state })).toEqual({ resume: false, reason: "still_running", how: null });
      expect(decide({ ...ended, state, origin: "observed" }).reason).toBe("still_running");
    },
  );

  test("needs a native id only of what has ended", () => {
    expect(decide({ ...ended, nativeId: null }).reason).toBe("no_native_id");
    expect(decide({ ...ended, nativeId: null, state: "waiting_input" }).resume).toBe(true);
  });
});
