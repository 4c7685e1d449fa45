import { describe, expect, test } from "vitest";
import {
  AGENT,
  actionsOf,
  actsOf,
  CONTINUE,
  END,
  exited,
  found,
  GONE,
  LAUNCH,
  launched,
  NOT_READY,
  observe,
  PAUSE,
  said,
  starting,
  TIMEOUT,
} from "../../testing/carried.ts";
import { bodiesTo, happened, rowAfter, step } from "../../testing/events.ts";
import { isLive } from "../session/state.ts";
import type { Observation } from "./observation.ts";

describe("a start", () => {
  test("runs as soon as a plain command was executed", () => {
    const row = observe(starting(), launched(true));
    expect(row).toMatchObject({ state: "running", stateSource: "process", process: AGENT });
  });

  test("goes on loading where the agent has to say that it is ready", () => {
    expect(observe(starting(), launched())).toMatchObject({ state: "starting", process: AGENT });
  });

  test("that is seen again by the next daemon is noted once", () => {
    expect(actionsOf(observe(starting(), launched(true)), launched(true))).toEqual([]);
  });

  test("notes another process of the same launch", () => {
    const other = { ...AGENT, pid: 43 };
    const row = observe(starting(), launched(), { saw: "launched", process: other, isReady: false });
    expect(row.process).toEqual(other);
  });

  test("that fails is a failure with the reason", () => {
    const row = observe(starting(), FAILED);
    expect(row).toMatchObject({ state: "failed", outcome: "failure", endReason: "launch_failed" });
    expect(actsOf(starting(), FAILED)).toEqual(["append", "close"]);
  });

  test("that fails after its end was asked for is an end", () => {
    expect(observe(starting(), END, FAILED)).toMatchObject({ state: "stopped", outcome: "interrupted" });
  });

  test("that fails after a limit keeps the limit as the reason", () => {
    const row = observe(starting(), TIMEOUT, FAILED);
    expect(row).toMatchObject({ state: "stopped", outcome: "interrupted", endReason: "timeout" });
  });

  test("that fails is a failure, though its exit was seen before", () => {
    const exit = exited(null, "ending", { reason: "exec_failed", error: "ENOENT" });
    expect(observe(starting(), exit, FAILED)).toMatchObject({ state: "failed", outcome: "failure" });
  });

  test("that fails late is known, though nothing was seen in time", () => {
    expect(observe(starting(), NOT_READY, FAILED)).toMatchObject({ state: "failed" });
  });

  test.each([
    ["an end", END, "end_tree"],
    ["a limit", TIMEOUT, "end_tree"],
    ["a pause", PAUSE, "pause_tree"],
  ] as const)("does what %s asked for before there was a process", (_, observation, act) => {
    expect(actsOf(observe(starting(), observation), launched())).toEqual(["append", act]);
  });

  test("of a plain command that is paused goes on running when it is continued", () => {
    const row = observe(starting(), PAUSE, launched(true));
    expect(row.state).toBe("paused");
    expect(observe(row, CONTINUE).state).toBe("running");
  });

  test("that ended before it was told of stays ended", () => {
    expect(actionsOf(observe(starting(), exited(3)), launched(true))).toEqual([]);
  });
});

const FAILED = { saw: "launch_failed", error: "ENOENT", step: "exec" } as const;

describe("an agent that is not ready in time", () => {
  test("is unknown, with the reason", () => {
    const row = observe(starting(), launched(), NOT_READY);
    expect(row).toMatchObject({ state: "unknown", endReason: "not_ready", stateSource: "timer" });
  });

  test.each(["working", "ready", "permission"] as const)("is known again when it is heard (%s)", (what) => {
    expect(isLive(observe(starting(), NOT_READY, said(what)).state)).toBe(true);
  });

  test("is known again when a plain command was executed after all", () => {
    expect(observe(starting(), NOT_READY, launched(true)).state).toBe("running");
  });

  test.each([
    ["running", [launched(true)]],
    ["at a dialog", [said("trust")]],
    ["paused", [PAUSE]],
    ["ended", [exited(0)]],
  ] as const)("does not concern one that is %s", (_, before) => {
    expect(actionsOf(observe(starting(), ...before), NOT_READY)).toEqual([]);
  });
});

describe("a pause", () => {
  const permission = said("permission");

  test.each([
    ["starting", []],
    ["running", [said("working")]],
    ["waiting_input", [permission]],
  ] as const)("of a %s session is recorded, then done, and continuing leads back", (state, before) => {
    const row = observe(starting(), ...before);
    const paused = observe(row, PAUSE);
    expect([actsOf(row, PAUSE), paused.state, paused.waiting]).toEqual([
      ["append", "pause_tree"],
      "paused",
      null,
    ]);
    expect(actsOf(paused, CONTINUE)).toEqual(["append", "continue_tree"]);
    expect(observe(paused, CONTINUE)).toMatchObject({ state, waiting: row.waiting });
  });

  test("of a resuming session leads back to resuming", () => {
    const evidence = { source: "operator", rule: "resume", excerpt: null } as const;
    const resuming = step(observe(starting(), exited(0)), happened("resumed", { launch: LAUNCH, evidence }));
    expect(observe(resuming, PAUSE, CONTINUE)).toMatchObject({ state: "resuming", generation: 2 });
  });

  test("that is asked for again changes nothing", () => {
    expect(actionsOf(observe(starting(), PAUSE), PAUSE)).toEqual([]);
  });

  test.each([
    ["being ended", [END]],
    ["ended", [exited(0)]],
    ["unknown", [NOT_READY]],
  ] as const)("is nothing for a session that is %s", (_, before) => {
    expect(actionsOf(observe(starting(), ...before), PAUSE)).toEqual([]);
  });

  test("is not ended by what the agent said before it", () => {
    const paused = observe(starting(), said("working"), PAUSE);
    expect(actionsOf(paused, said("good"))).toEqual([]);
  });

  test.each([
    ["running", [said("working")]],
    ["ended", [exited(0)]],
  ] as const)("that is not there cannot be continued (%s)", (_, before) => {
    expect(actionsOf(observe(starting(), ...before), CONTINUE)).toEqual([]);
  });

  test("does not keep an exit from being seen", () => {
    expect(observe(starting(), said("working"), PAUSE, exited("SIGKILL"))).toMatchObject({
      state: "failed",
      exitSignal: "SIGKILL",
    });
  });
});

describe("a holder that falls silent", () => {
  test.each([
    ["starting", []],
    ["stopping", [END]],
    ["unknown", [NOT_READY]],
  ] as const)("is looked for while the session is %s", (_, before) => {
    expect(actionsOf(observe(starting(), ...before), GONE)).toEqual([{ do: "look_for_traces" }]);
  });

  test("is no news of a session that has ended", () => {
    expect(actionsOf(observe(starting(), exited(0)), GONE)).toEqual([]);
  });
});

describe("an adoption", () => {
  const ADOPTED: Observation = { saw: "adopted", graceMs: 4000 };

  test("ends a tree whose end was asked for, with the grace of the settings", () => {
    expect(actionsOf(observe(starting(), END), ADOPTED)).toEqual([{ do: "end_tree", graceMs: 4000 }]);
  });

  test("ends the rest of a tree whose agent has left", () => {
    const leaving = observe(starting(), said("working"), exited(0, "ending"));
    expect(actionsOf(leaving, ADOPTED)).toEqual([{ do: "end_tree", graceMs: 4000 }]);
  });

  test("stops a tree that is to be paused", () => {
    expect(actionsOf(observe(starting(), said("working"), PAUSE), ADOPTED)).toEqual([{ do: "pause_tree" }]);
  });

  test.each([
    ["starting", []],
    ["running", [said("working")]],
    ["waiting_input", [said("permission")]],
    ["unknown", [NOT_READY]],
    ["stopped", [exited(0)]],
  ] as const)("of a session that is %s does nothing", (state, before) => {
    const row = observe(starting(), ...before);
    expect([row.state, actionsOf(row, ADOPTED)]).toEqual([state, []]);
  });
});

describe("what an earlier generation says", () => {
  const resumed = step(observe(starting(), exited(0)), happened("resumed", { launch: LAUNCH }));

  test.each([
    ["a signal", said("working")],
    ["an exit", exited(1)],
    ["traces", found()],
    ["a start", launched(true)],
    ["a failed start", FAILED],
    ["an end", END],
    ["a limit", TIMEOUT],
    ["a silent holder", GONE],
    ["a pause", PAUSE],
    ["a time-out of its start", NOT_READY],
    ["an adoption", { saw: "adopted", graceMs: 4000 }],
  ] as const)("changes nothing: %s", (_, observation) => {
    expect(resumed.generation).toBe(2);
    expect(actionsOf(resumed, observation, { generation: 1 })).toEqual([]);
  });
});

test("a record that Rollcall does not carry is left alone", () => {
  const row = rowAfter(...bodiesTo("running", "created"));
  expect(actionsOf(row, END)).toEqual([]);
});

describe("an end that a used-up budget has recorded", () => {
  const recorded: Observation = { saw: "end_recorded", graceMs: 7000 };

  test("ends the tree of a session that is stopping, and records nothing more", () => {
    const row = observe(starting(), launched(true), END);
    expect(actionsOf(row, recorded)).toEqual([{ do: "end_tree", graceMs: 7000 }]);
  });

  test("ends nothing of a session that has gone on or ended since", () => {
    for (const row of [observe(starting(), launched(true)), observe(starting(), launched(true), exited(0))])
      expect(actionsOf(row, recorded)).toEqual([]);
  });
});
