import { describe, expect, test } from "vitest";
import {
  AGENT,
  actionsOf,
  actsOf,
  bodiesOf,
  END,
  exited,
  launched,
  NOT_READY,
  observe,
  PAUSE,
  said,
  starting,
  TIMEOUT,
} from "../../testing/carried.ts";
import { wasProvenEmpty } from "./decide-end.ts";
import type { Observation } from "./observation.ts";

const running = () => observe(starting(), launched(), said("working"));
const afterTurn = (turn: "good" | "aborted" | "failed") => observe(running(), said(turn));

describe("an agent that works alone and was interrupted", () => {
  const interrupted = () => ({ ...afterTurn("aborted"), kind: "autonomous" as const });

  test.each([
    ["leaves with 1 when its input is closed", interrupted, [exited(1)], "stopped", "interrupted"],
    ["and leaves children behind", interrupted, [exited(1, "ending"), exited(1)], "stopped", "interrupted"],
    ["dies by a signal", interrupted, [exited("SIGKILL")], "failed", "failure"],
    [
      "dies in its next turn",
      () => observe(interrupted(), said("working")),
      [exited(1)],
      "failed",
      "failure",
    ],
    ["has a terminal", () => afterTurn("aborted"), [exited(1)], "failed", "failure"],
  ] as const)("%s", (_, row, seen, state, outcome) => {
    expect(observe(row(), ...seen)).toMatchObject({ state, outcome });
  });
});

describe("an agent that leaves by itself", () => {
  const plain = (agent: number | string): Observation => ({ ...exited(agent), tellsTurns: false });

  test.each([
    ["with 0 after a good turn", () => afterTurn("good"), exited(0), "stopped", "success"],
    ["with 0 after an aborted turn", () => afterTurn("aborted"), exited(0), "stopped", "interrupted"],
    ["with 0 after a failed turn", () => afterTurn("failed"), exited(0), "stopped", "failure"],
    [
      "with 0 before any turn",
      () => observe(starting(), launched(), said("ready")),
      exited(0),
      "stopped",
      null,
    ],
    ["with 0 in mid-turn", running, exited(0), "stopped", "interrupted"],
    [
      "with 0 in the turn after a good one",
      () => observe(afterTurn("good"), said("working")),
      exited(0),
      "stopped",
      "interrupted",
    ],
    [
      "with 0 at a request",
      () => observe(afterTurn("good"), said("permission")),
      exited(0),
      "stopped",
      "interrupted",
    ],
    ["with 0, a plain command", running, plain(0), "stopped", "success"],
    ["with 1 after a good turn", () => afterTurn("good"), exited(1), "failed", "failure"],
    ["with 1, a plain command", running, plain(1), "failed", "failure"],
    ["with 143", running, exited(143), "failed", "failure"],
    ["by a signal", running, exited("SIGSEGV"), "failed", "failure"],
    ["while it starts", starting, exited(2), "failed", "failure"],
    ["while it is paused in mid-turn", () => observe(running(), PAUSE), exited(0), "stopped", "interrupted"],
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

  test("is told how its last turn went behind its exit", () => {
    const row = observe(running(), exited(0, "ending"), said("good"));
    expect(observe(row, exited(0))).toMatchObject({ state: "stopped", outcome: "success" });
  });

  test("fails with the rest of its tree being ended", () => {
    expect(observe(running(), exited(1, "ending"), exited(1))).toMatchObject({
      state: "failed",
      exitCode: 1,
    });
  });

  test("tells how many had to be killed", () => {
    const exit = exited(0, "empty", { tree: { state: "empty", killed: 3, remaining: [] } });
    expect(bodiesOf(actionsOf(running(), exit)).at(-1)).toMatchObject({ exit: { killed: 3 } });
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

describe("an end that the holder itself was asked for", () => {
  const ending = exited("SIGTERM", "ending", { reason: "asked" });
  const empty = exited("SIGTERM", "empty", { reason: "asked" });

  test.each([
    ["seen on its way", [ending, empty]],
    ["found when it was over", [empty]],
  ])("is an end that somebody asked for, %s", (_, seen) => {
    expect(observe(running(), ...seen)).toMatchObject({
      state: "stopped",
      outcome: "interrupted",
      exitSignal: "SIGTERM",
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

describe("the evidence of an exit", () => {
  const tree = (state: "empty" | "kept" | "ending", ...remaining: number[]) =>
    exited(0, state, { tree: { state, killed: 0, remaining } });

  test.each([
    ["names children that were kept", tree("kept", 7, 8), "exit 0; left running: pids 7, 8"],
    ["names none where none was kept", tree("kept"), "exit 0"],
    ["names none that are still being ended", tree("ending", 7), "exit 0"],
    ["is the signal where there was one", exited("SIGSEGV"), "SIGSEGV"],
    ["is the error where no program could be run", exited(null, "empty", { error: "ENOENT" }), "ENOENT"],
  ] as const)("%s", (_, exit, excerpt) => {
    expect(bodiesOf(actionsOf(running(), exit)).at(-1)).toMatchObject({ evidence: { excerpt } });
  });

  test.each([
    ["asked", "ended"],
    ["exited", "exited"],
    ["exec_failed", "exec_failed"],
  ] as const)("has a rule for the reason %s", (reason, rule) => {
    const bodies = bodiesOf(actionsOf(running(), exited(0, "empty", { reason })));
    expect(bodies.at(-1)).toMatchObject({ evidence: { rule } });
  });
});

describe("a loss after which the guard has ended the whole tree", () => {
  const lossWith = (state: "empty" | "kept") =>
    bodiesOf(actionsOf(running(), exited("SIGTERM", state, { reason: "holder_lost" })));

  test("is known by its rule, which no other loss has", () => {
    expect(lossWith("empty").at(-1)).toMatchObject({ kind: "lost", evidence: { rule: "guard_ended" } });
    expect(lossWith("kept").at(-1)).toMatchObject({ kind: "lost", evidence: { rule: "holder_lost" } });
  });

  test("proves the tree of its own generation empty, and of no other", () => {
    const bodies = lossWith("empty");
    expect(wasProvenEmpty(bodies, running().generation)).toBe(true);
    expect(wasProvenEmpty(bodies, running().generation + 1)).toBe(false);
    expect(wasProvenEmpty(lossWith("kept"), running().generation)).toBe(false);
    expect(wasProvenEmpty([], running().generation)).toBe(false);
  });

  test("is proven by a loss alone, whatever rule another event has", () => {
    const evidence = { source: "process", rule: "guard_ended", excerpt: null } as const;
    const { generation } = running();
    expect(wasProvenEmpty([{ kind: "silent", state: "unknown", evidence, generation }], generation)).toBe(
      false,
    );
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
