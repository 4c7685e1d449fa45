import { describe, expect, test } from "vitest";
import {
  actionsOf,
  actsOf,
  END,
  exited,
  found,
  launched,
  NOT_READY,
  observe,
  PAUSE,
  said,
  starting,
  TIMEOUT,
} from "../../testing/carried.ts";
import { finalized, step } from "../../testing/events.ts";
import { OUTCOMES, type Outcome } from "../session/outcome.ts";
import type { Observation } from "./observation.ts";

const running = () => observe(starting(), launched(), said("working"));
const afterTurn = (turn: "good" | "aborted" | "failed") => observe(running(), said(turn));
const endAs = (outcome: Outcome): Observation => ({ saw: "end_asked", graceMs: 10_000, outcome });
const killed = exited("SIGTERM", "empty", { reason: "asked" });

describe("an end that someone asks for", () => {
  test("is recorded before anything is signalled", () => {
    expect(actionsOf(running(), END)).toMatchObject([
      { do: "append", body: { kind: "end_began", evidence: { source: "operator", rule: "end" } } },
      { do: "end_tree", graceMs: 10_000 },
    ]);
  });

  test.each([
    ["at its prompt after a good turn", () => afterTurn("good"), "success"],
    ["at its prompt after an aborted turn", () => afterTurn("aborted"), "interrupted"],
    ["at its prompt after a failed turn", () => afterTurn("failed"), "failure"],
    ["paused at its prompt after a good turn", () => observe(afterTurn("good"), PAUSE), "success"],
    ["in mid-turn", running, "interrupted"],
    ["in the turn after a good one", () => observe(afterTurn("good"), said("working")), "interrupted"],
    ["at a request", () => observe(afterTurn("good"), said("permission")), "interrupted"],
    ["before any turn", () => observe(starting(), launched(), said("ready")), "interrupted"],
    ["while it starts", starting, "interrupted"],
    ["at the trust dialog", () => observe(starting(), said("trust")), "interrupted"],
    ["of a plain command", () => observe(starting(), launched(true)), "interrupted"],
    ["paused in mid-turn", () => observe(afterTurn("good"), said("working"), PAUSE), "interrupted"],
    ["of a silent one", () => observe(starting(), launched(), NOT_READY), "interrupted"],
  ] as const)("%s is stopped, and the outcome follows from the turn", (_, row, outcome) => {
    expect(observe(row(), END, killed)).toMatchObject({ state: "stopped", outcome, exitSignal: "SIGTERM" });
  });

  test.each([0, 1, 143])("wins over the exit code %i", (code) => {
    expect(observe(running(), END, exited(code))).toMatchObject({
      state: "stopped",
      outcome: "interrupted",
      exitCode: code,
    });
  });

  test.each(OUTCOMES)("may say the outcome itself: %s", (outcome) => {
    expect(observe(running(), endAs(outcome), exited(1))).toMatchObject({ state: "stopped", outcome });
  });

  test("does not undo what a finalise said", () => {
    const final = step(running(), finalized("failed"));
    expect(observe(final, endAs("success"), exited(0))).toMatchObject({
      state: "stopped",
      outcome: "failure",
    });
  });

  test.each([exited(0), exited(1)])("is nothing for a session that has ended", (exit) => {
    expect(actionsOf(observe(running(), exit), END)).toEqual([]);
  });

  test.each([
    ["whose guard ended the tree", found({ wasEmpty: true })],
    ["lost in a reboot", found({ bootId: "boot-b" })],
  ])("of a session %s is reached when nothing is left", (_, traces) => {
    const row = observe(running(), traces, END);
    expect(row.state).toBe("stopping");
    expect(observe(row, traces)).toMatchObject({ state: "stopped", outcome: "interrupted", exitCode: null });
  });
});

describe("an end that is asked for again", () => {
  test("is tried again and recorded once", () => {
    const row = observe(afterTurn("good"), END);
    expect(actionsOf(row, END)).toEqual([{ do: "end_tree", graceMs: 10_000 }]);
    expect(observe(row, END, END, killed).outcome).toBe("success");
  });

  test("can add an outcome, and the last one stands", () => {
    const row = observe(afterTurn("good"), END, endAs("failure"), endAs("interrupted"), END, killed);
    expect(row).toMatchObject({ state: "stopped", outcome: "interrupted" });
  });

  test("can add an outcome to a limit, which stays the reason", () => {
    const row = observe(running(), TIMEOUT, endAs("success"), killed);
    expect(row).toMatchObject({ state: "stopped", outcome: "success", endReason: "timeout" });
  });

  test("does not make a failure of its own an end", () => {
    const row = observe(running(), exited(1, "ending"));
    expect(actsOf(row, endAs("success"))).toEqual(["end_tree"]);
    expect(observe(row, endAs("success"), END, exited(1))).toMatchObject({
      state: "failed",
      outcome: "failure",
    });
  });

  test("can add an outcome after the agent left with 0", () => {
    const row = observe(afterTurn("good"), exited(0, "ending"), endAs("failure"), exited(0));
    expect(row).toMatchObject({ state: "stopped", outcome: "failure", exitCode: 0 });
  });

  test("is recorded where a lost holder's guard was already at it", () => {
    const row = observe(running(), exited("SIGTERM", "ending", { reason: "holder_lost" }), END);
    const end = exited("SIGTERM", "empty", { reason: "holder_lost" });
    expect(observe(row, end)).toMatchObject({
      state: "stopped",
      outcome: "interrupted",
      exitSignal: "SIGTERM",
    });
  });
});

describe("a limit", () => {
  test.each(["timeout", "idle_timeout"] as const)("ends with its reason (%s)", (limit) => {
    const used = { limit: { kind: limit, allowed: 60_000, unit: "ms" }, passedMs: 60_000 } as const;
    const reached: Observation = { saw: "limit_passed", ...used, graceMs: 5 };
    expect(actsOf(running(), reached)).toEqual(["append", "end_tree"]);
    expect(observe(running(), reached, exited(1))).toMatchObject({
      state: "stopped",
      outcome: "interrupted",
      endReason: limit,
    });
  });

  test("interrupts, also at the prompt after a good turn", () => {
    expect(observe(afterTurn("good"), TIMEOUT, killed).outcome).toBe("interrupted");
  });

  test.each([
    ["being ended", [END]],
    ["ended", [exited(0)]],
    ["lost", [found()]],
  ] as const)("is nothing for a session that is %s", (_, before) => {
    expect(actionsOf(observe(running(), ...before), TIMEOUT)).toEqual([]);
  });

  test("is the first cause, also if the command could not be executed", () => {
    const failed = exited(null, "empty", { reason: "exec_failed", error: "ENOENT" });
    expect(observe(starting(), TIMEOUT, failed)).toMatchObject({ state: "stopped", endReason: "timeout" });
  });
});
