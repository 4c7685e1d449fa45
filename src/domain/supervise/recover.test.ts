import { describe, expect, test } from "vitest";
import {
  AGENT,
  actionsOf,
  actsOf,
  bodiesOf,
  CONTINUE,
  END,
  exited,
  exitOf,
  found,
  launched,
  NOT_READY,
  observe,
  PAUSE,
  said,
  starting,
  TIMEOUT,
} from "../../testing/carried.ts";

const running = () => observe(starting(), launched(), said("working"));
const ending = () => observe(running(), END);
const leftovers = [{ ...AGENT, pid: 77 }];
/** Neither a holder nor any word of it. */
const NOTHING = { holderBootId: null, agent: null } as const;

describe("a daemon that finds the exit written", () => {
  test.each([
    ["running", running, 0, "stopped"],
    ["running", running, 3, "failed"],
    ["starting", starting, 3, "failed"],
    ["stopping", ending, 3, "stopped"],
    ["unknown", () => observe(running(), found()), 3, "failed"],
  ] as const)("says the real end of a %s session", (_, row, code, state) => {
    const traces = found({ exit: exitOf(code) });
    expect(actsOf(row(), traces)).toEqual(["append", "close"]);
    expect(observe(row(), traces)).toMatchObject({ state, exitCode: code });
  });

  test("says it though the holder still lives, or the machine was booted since", () => {
    for (const more of [{ isHolderAlive: true }, { isGuardAlive: true }, { bootId: "boot-b" }])
      expect(observe(running(), found({ exit: exitOf(3), ...more }))).toMatchObject({ exitCode: 3 });
  });

  test("ends leftovers first", () => {
    const traces = found({ exit: exitOf(0), leftovers });
    expect(actionsOf(running(), traces)).toEqual([{ do: "kill", leftovers }]);
  });

  test("lets kept children live", () => {
    const traces = found({ exit: exitOf(0, "kept"), leftovers });
    expect(actsOf(running(), traces)).toEqual(["append", "close"]);
    expect(observe(running(), traces)).toMatchObject({ state: "stopped", exitCode: 0 });
  });
});

describe("a daemon that finds a living holder", () => {
  const alive = found({ isHolderAlive: true, isGuardAlive: true });

  test.each([
    ["running", running],
    ["at a request", () => observe(running(), said("permission"))],
    ["not ready", () => observe(starting(), launched(), NOT_READY)],
  ])("adopts it (%s)", (_, row) => {
    expect(actionsOf(row(), alive)).toEqual([{ do: "adopt" }]);
  });

  test("adopts it though the agent has left and its tree is being ended", () => {
    expect(actsOf(running(), found({ isHolderAlive: true, exit: exitOf(0, "ending") }))).toEqual(["adopt"]);
  });

  test.each([
    ["an end", END, "end_tree"],
    ["a limit", TIMEOUT, "end_tree"],
    ["a pause", PAUSE, "pause_tree"],
  ] as const)("repeats %s that was recorded and perhaps not done", (_, asked, act) => {
    expect(actsOf(observe(running(), asked), alive)).toEqual(["adopt", act]);
  });

  test("repeats a continue until the agent was heard", () => {
    const row = observe(running(), PAUSE, CONTINUE);
    expect(actsOf(row, alive)).toEqual(["adopt", "continue_tree"]);
    expect(actsOf(observe(row, said("good")), alive)).toEqual(["adopt"]);
  });

  test("does not ask for the end of an agent that left by itself", () => {
    expect(actsOf(observe(running(), exited(0, "ending")), alive)).toEqual(["adopt"]);
  });

  test("finds again what was lost, and believes its agent again", () => {
    const lost = observe(starting(), found(NOTHING));
    expect(lost).toMatchObject({ state: "unknown", endReason: "no_process" });
    expect(actsOf(lost, alive)).toEqual(["append", "adopt", "continue_tree"]);
    const again = observe(lost, alive);
    expect(again).toMatchObject({ state: "unknown", endReason: "not_ready" });
    expect(observe(again, said("working")).state).toBe("running");
    expect(observe(lost, launched(true)).state).toBe("running");
  });
});

describe("a daemon on another boot", () => {
  const rebooted = found({ bootId: "boot-b" });

  test.each([
    ["running", running],
    ["starting", starting],
    ["paused", () => observe(running(), PAUSE)],
    ["not ready", () => observe(starting(), NOT_READY)],
    ["leaving by itself", () => observe(running(), exited(1, "ending"))],
  ])("knows no more of a session that was %s", (_, row) => {
    expect(actsOf(row(), rebooted)).toEqual(["append", "close"]);
    expect(observe(row(), rebooted)).toMatchObject({
      state: "unknown",
      endReason: "machine_reboot",
      outcome: null,
    });
  });

  test("knows it by the process that was noted, where the files are gone", () => {
    const row = observe(running(), found({ ...NOTHING, bootId: "boot-b" }));
    expect(row.endReason).toBe("machine_reboot");
  });

  test("looks for no guard and no leftovers", () => {
    const traces = found({ bootId: "boot-b", isGuardAlive: true, leftovers });
    expect(actsOf(running(), traces)).toEqual(["append", "close"]);
  });

  test("says the real end where the agent's exit was written", () => {
    const traces = found({ bootId: "boot-b", exit: exitOf(3, "ending") });
    expect(observe(running(), traces)).toMatchObject({ state: "failed", exitCode: 3 });
  });

  test.each([
    ["an end", END, null],
    ["a limit", TIMEOUT, "timeout"],
  ] as const)("knows that %s was reached: nothing lives", (_, asked, endReason) => {
    expect(observe(running(), asked, rebooted)).toMatchObject({
      state: "stopped",
      outcome: "interrupted",
      endReason,
      exitCode: null,
    });
  });
});

describe("a daemon that finds the guard alone", () => {
  test("lets it do its work", () => {
    const traces = found({ isGuardAlive: true, leftovers, exit: exitOf("SIGTERM", "ending") });
    expect(actionsOf(running(), traces)).toEqual([{ do: "look_again", afterMs: 200 }]);
  });
});

describe("a daemon that finds a young launch", () => {
  const young = { ...NOTHING, ageMs: 4000 };

  test.each([
    ["starting", starting],
    ["stopping", () => observe(starting(), END)],
    ["paused", () => observe(starting(), PAUSE)],
  ])("gives it time (%s)", (_, row) => {
    expect(actionsOf(row(), found(young))).toEqual([{ do: "look_again", afterMs: 6000 }]);
  });

  test("does not take a holder on its way for a leftover", () => {
    expect(actsOf(starting(), found({ ...young, leftovers }))).toEqual(["look_again"]);
    expect(actsOf(running(), found({ ...young, leftovers }))).toEqual(["look_again"]);
  });

  test("does not look again where its process was known and nothing is left of it", () => {
    expect(actsOf(running(), found(young))).not.toContain("look_again");
  });

  test.each([
    ["is old enough", { ageMs: 10_000 }],
    ["began in the future, by a clock that was set", { ageMs: -1 }],
    ["had a holder", { holderBootId: "boot-a" }],
  ])("does not wait for one that %s", (_, more) => {
    expect(observe(starting(), found({ ...young, ...more })).state).toBe("unknown");
  });
});

describe("a daemon that finds children without a holder", () => {
  test("says that the session is lost, and ends them", () => {
    const traces = found({ leftovers });
    expect(actsOf(running(), traces)).toEqual(["append", "kill"]);
    expect(observe(running(), traces)).toMatchObject({ state: "unknown", endReason: "holder_lost" });
  });

  test("says it once", () => {
    const traces = found({ leftovers });
    expect(actionsOf(observe(running(), traces), traces)).toEqual([{ do: "kill", leftovers }]);
  });

  test("goes on with an end that was asked for", () => {
    expect(actionsOf(ending(), found({ leftovers }))).toEqual([{ do: "kill", leftovers }]);
  });

  test("knows how the agent ended where that was written, and says so when they are gone", () => {
    const exit = exitOf(3, "ending");
    const row = observe(running(), found({ leftovers, exit }));
    expect(row.state).toBe("stopping");
    expect(observe(row, found({ exit }))).toMatchObject({ state: "failed", exitCode: 3 });
  });
});

describe("a daemon that finds nothing", () => {
  test.each([
    ["running", running, "holder_lost"],
    ["at a request", () => observe(running(), said("permission")), "holder_lost"],
    ["leaving by itself", () => observe(running(), exited(1, "ending")), "holder_lost"],
    ["not ready", () => observe(starting(), launched(), NOT_READY), "holder_lost"],
  ] as const)("admits that it does not know (%s)", (_, row, endReason) => {
    expect(actsOf(row(), found())).toEqual(["append", "close"]);
    expect(observe(row(), found())).toMatchObject({ state: "unknown", endReason, outcome: null });
  });

  test("knows that there never was a process where no holder wrote anything", () => {
    expect(observe(starting(), found(NOTHING)).endReason).toBe("no_process");
    expect(observe(starting(), found()).endReason).toBe("holder_lost");
  });

  test("says it once, and keeps the first reason", () => {
    const lost = observe(running(), found());
    for (const traces of [found(), found(NOTHING), found({ bootId: "boot-b" }), found({ leftovers })])
      expect(bodiesOf(actionsOf(lost, traces))).toEqual([]);
  });

  test.each([
    ["an end", END, null],
    ["a limit", TIMEOUT, "timeout"],
  ] as const)("knows that %s was reached, where the guard had ended the tree", (_, asked, endReason) => {
    expect(observe(running(), asked, found({ wasEmpty: true }))).toMatchObject({
      state: "stopped",
      outcome: "interrupted",
      endReason,
      exitCode: null,
      exitSignal: null,
    });
  });

  test("takes no exit from an agent that could not be ended", () => {
    const exit = exitOf(null, "blocked", { reason: "asked" });
    expect(observe(running(), found({ exit }))).toMatchObject({ state: "unknown", endReason: "holder_lost" });
  });
});

describe("a daemon that finds a session that has ended", () => {
  const ended = () => observe(running(), exited(0));

  test("closes it", () => {
    for (const traces of [
      found(),
      found({ leftovers }),
      found({ bootId: "boot-b" }),
      found({ exit: exitOf(1) }),
    ])
      expect(actionsOf(ended(), traces)).toEqual([{ do: "close" }]);
  });

  test("follows a holder that still lives", () => {
    expect(actionsOf(ended(), found({ isHolderAlive: true }))).toEqual([{ do: "adopt" }]);
  });
});
