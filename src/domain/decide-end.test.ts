import { describe, expect, test } from "vitest";
import {
  AGENT,
  actionsOf,
  actsOf,
  bodiesOf,
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
} from "../testing/carried.ts";
import { finalized, step } from "../testing/events.ts";
import type { Observation } from "./observation.ts";
import { OUTCOMES, type Outcome } from "./outcome.ts";

const running = () => observe(starting(), launched(), said("working"));
const afterTurn = (turn: "good" | "aborted" | "failed") => observe(running(), said(turn));
const endAs = (outcome: Outcome): Observation => ({ saw: "end_asked", graceMs: 10_000, outcome });
const killed = exited("SIGTERM", "empty", { reason: "asked" });

describe("an end that someone asks for", () => {
  test("is recorded before anything is signalled", () => {
    expect(actionsOf(running(), END)).toMatchObject([
      { do: "append", body: { to: "stopping", evidence: { source: "operator", rule: "end" } } },
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
    ["lost", found()],
    ["lost in a reboot", found({ bootId: "boot-b" })],
  ])("of a session that was %s is reached when nothing is left", (_, traces) => {
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
    const reached: Observation = { saw: "limit_reached", limit, graceMs: 5 };
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

describe("an agent that leaves by itself", () => {
  const plain = (agent: number | string): Observation => ({ ...exited(agent), tellsTurns: false });

  test.each([
    ["with 0 after a good turn", () => afterTurn("good"), exited(0), "stopped", "success"],
    ["with 0 after an aborted turn", () => afterTurn("aborted"), exited(0), "stopped", "interrupted"],
    ["with 0 after a failed turn", () => afterTurn("failed"), exited(0), "stopped", "failure"],
    ["with 0 before any turn", running, exited(0), "stopped", null],
    ["with 0, a plain command", running, plain(0), "stopped", "success"],
    ["with 1 after a good turn", () => afterTurn("good"), exited(1), "failed", "failure"],
    ["with 1, a plain command", running, plain(1), "failed", "failure"],
    ["with 143", running, exited(143), "failed", "failure"],
    ["by a signal", running, exited("SIGSEGV"), "failed", "failure"],
    ["while it starts", starting, exited(2), "failed", "failure"],
    ["while it is paused", () => observe(running(), PAUSE), exited(0), "stopped", null],
    ["while nothing was seen of it", () => observe(starting(), NOT_READY), exited(1), "failed", "failure"],
  ] as const)("%s", (_, row, exit, state, outcome) => {
    const { code, signal } = exit.saw === "exit" ? exit.exit.agent : { code: null, signal: null };
    expect(observe(row(), exit)).toMatchObject({ state, outcome, exitCode: code, exitSignal: signal });
  });

  test("is stopping while the rest of its tree is being ended, then ended with its own exit", () => {
    const row = observe(afterTurn("good"), exited(0, "ending"));
    expect(row).toMatchObject({ state: "stopping", outcome: null, exitCode: null });
    expect(actionsOf(row, exited(0, "blocked"))).toEqual([]);
    expect(observe(row, exited(0))).toMatchObject({ state: "stopped", outcome: "success", exitCode: 0 });
  });

  test("fails with the rest of its tree being ended", () => {
    expect(observe(running(), exited(1, "ending"), exited(1))).toMatchObject({
      state: "failed",
      exitCode: 1,
    });
  });

  test("tells how many had to be killed", () => {
    const exit = exited(0, "empty", { tree: { state: "empty", killed: 3, remaining: [] } });
    expect(bodiesOf(actionsOf(running(), exit))).toMatchObject([{ killed: 3 }]);
  });

  test("may leave its children to live on", () => {
    const kept = { ...exited(0, "kept"), leftovers: [AGENT] };
    expect(actsOf(afterTurn("good"), kept)).toEqual(["append", "close"]);
    expect(observe(afterTurn("good"), kept)).toMatchObject({ state: "stopped", outcome: "success" });
  });

  test("could not be executed", () => {
    const failed = exited(null, "empty", { reason: "exec_failed", error: "ENOENT" });
    expect(observe(starting(), failed)).toMatchObject({
      state: "failed",
      outcome: "failure",
      endReason: "exec_failed",
      exitCode: null,
    });
  });

  test("is judged by its real exit, though it could not be ended for a while", () => {
    const blocked = exited(null, "blocked", { reason: "asked" });
    const row = observe(running(), blocked);
    expect(row).toMatchObject({ state: "stopping", carried: { ending: null } });
    expect(observe(row, { ...exited(0), tellsTurns: false })).toMatchObject({
      state: "stopped",
      outcome: "success",
    });
  });
});

describe("an exit that a guard wrote for a lost holder", () => {
  const lost = exited("SIGTERM", "empty", { reason: "holder_lost" });

  test("is a loss where nobody asked for the end", () => {
    expect(observe(running(), lost)).toMatchObject({
      state: "unknown",
      endReason: "holder_lost",
      outcome: null,
      exitSignal: null,
    });
  });

  test("is a loss also after it was on its way", () => {
    const ending = exited("SIGTERM", "ending", { reason: "holder_lost" });
    expect(observe(running(), ending).state).toBe("stopping");
    expect(observe(running(), ending, lost)).toMatchObject({ state: "unknown", endReason: "holder_lost" });
  });

  test.each([
    ["an end", END],
    ["a limit", TIMEOUT],
  ])("is the end where %s was asked for", (_, asked) => {
    expect(observe(running(), asked, lost)).toMatchObject({ state: "stopped", exitSignal: "SIGTERM" });
  });

  test("is said once", () => {
    expect(actsOf(observe(running(), lost), lost)).toEqual(["close"]);
  });
});

describe("leftovers", () => {
  const leftovers = [{ ...AGENT, pid: 77 }];

  test("are ended before an end is said", () => {
    const exit = { ...exited(0), leftovers };
    expect(actionsOf(observe(running(), END), exit)).toEqual([{ do: "kill", leftovers }]);
    expect(observe(running(), END, exit).state).toBe("stopping");
  });

  test("are gone when it is looked again, and then it has ended", () => {
    const row = observe(running(), END, { ...exited(0), leftovers }, exited(0));
    expect(row).toMatchObject({ state: "stopped", exitCode: 0 });
  });
});

describe("an end", () => {
  test("is said once; what is seen later closes it", () => {
    const row = observe(running(), exited(1));
    expect(actionsOf(row, exited(0))).toEqual([{ do: "close" }]);
  });
});
