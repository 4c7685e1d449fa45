import { describe, expect, test } from "vitest";
import {
  actionsOf,
  asked,
  bodiesOf,
  END,
  exited,
  found,
  LAUNCH,
  launched,
  NOT_READY,
  observe,
  PAUSE,
  said,
  starting,
  TRUST,
} from "../../testing/carried.ts";
import { happened, step, T1 } from "../../testing/events.ts";
import { WAITING_FOR } from "../session/state.ts";
import type { Observation } from "./observation.ts";
import type { Asked } from "./signal.ts";

const resuming = () => step(observe(starting(), exited(0)), happened("resumed", { launch: LAUNCH }));
const running = () => observe(starting(), launched(), said("working"));
const atPrompt = () => observe(running(), said("good"));

function asks(given: Partial<Asked>): Observation {
  const signal = {
    source: "terminal",
    rule: "test",
    excerpt: null,
    says: "asking",
    asked: asked(given),
  } as const;
  return { saw: "signal", trust: TRUST, signal };
}

describe.each([
  ["starting", starting],
  ["resuming", resuming],
] as const)("an agent that is %s", (state, loading) => {
  test("goes on loading while it says so", () => {
    expect(actionsOf(loading(), said("loading"))).toEqual([]);
  });

  test("runs when it begins a turn", () => {
    expect(observe(loading(), said("working"))).toMatchObject({ state: "running", stateSource: "terminal" });
  });

  test("runs and then waits when it shows its prompt", () => {
    const kinds = bodiesOf(actionsOf(loading(), said("ready"))).map(({ kind }) => kind);
    expect(kinds).toEqual(["at_work", "at_prompt"]);
    expect(observe(loading(), said("ready")).waiting).toMatchObject({ for: "prompt", since: T1 });
  });

  test.each(["trust", "login", "dialog"] as const)(
    "waits at a dialog (%s), and loads again once that is answered",
    (what) => {
      const dialog = observe(loading(), asks({ for: what }));
      expect(dialog).toMatchObject({ state: "waiting_input", waiting: { for: what } });
      expect(observe(dialog, said("loading"))).toMatchObject({ state, generation: dialog.generation });
    },
  );

  test("has missed no turn at its first prompt, but one that failed", () => {
    const { turns } = loading();
    expect(observe(loading(), said("good")).turns).toBe(turns);
    expect(observe(loading(), said("failed"))).toMatchObject({
      turns: turns + 1,
      turn: { outcome: "failure" },
    });
  });
});

describe("an agent in a turn", () => {
  test.each(WAITING_FOR.filter((what) => what !== "prompt"))("waits when it asks (%s)", (what) => {
    const row = observe(running(), asks({ for: what }));
    expect(row).toMatchObject({ state: "waiting_input", waiting: { for: what, since: T1 } });
  });

  test.each(["good", "aborted", "failed"] as const)("tells how the turn went (%s)", (turn) => {
    const row = observe(running(), said(turn));
    expect(row).toMatchObject({
      state: "waiting_input",
      waiting: { for: "prompt" },
      carried: { lastTurn: turn },
    });
  });

  test("says that it works, which is known", () => {
    expect(actionsOf(running(), said("working"))).toEqual([]);
  });

  test("is not loading, whatever a late word says", () => {
    expect(actionsOf(running(), said("loading"))).toEqual([]);
  });
});

describe("an agent that was only seen to run", () => {
  const seenToRun = () => observe(starting(), launched(true));

  test("has done a turn when it says how it went", () => {
    expect(observe(seenToRun(), said("good"))).toMatchObject({ turns: 1, turn: { outcome: "success" } });
  });

  test("has done none when it only shows its prompt", () => {
    expect(observe(seenToRun(), said("ready"))).toMatchObject({ turns: 0, turn: null });
  });
});

describe("an agent that waits", () => {
  test("runs when its input was taken", () => {
    expect(observe(atPrompt(), said("working"))).toMatchObject({ state: "running", waiting: null });
  });

  test("at a request was answered when it works again, and the event names the request", () => {
    const asking = observe(running(), said("permission"));
    const requestId = asking.waiting?.requestId;
    expect(bodiesOf(actionsOf(asking, said("working")))).toMatchObject([
      { kind: "answered", state: "running", requestId },
    ]);
    expect(bodiesOf(actionsOf(observe(asking, said("working")), said("good"))).at(-1)).toMatchObject({
      kind: "at_prompt",
    });
  });

  test("at its prompt is at work when it works again", () => {
    expect(bodiesOf(actionsOf(atPrompt(), said("working"))).at(-1)).toMatchObject({ kind: "at_work" });
  });

  test("may wait for something else", () => {
    const row = observe(running(), said("permission"), asks({ for: "question", question: "Which?" }));
    expect(row.waiting).toMatchObject({ for: "question", question: "Which?" });
  });

  test("at its prompt is not loading", () => {
    expect(actionsOf(atPrompt(), said("loading"))).toEqual([]);
  });

  test.each(["ready", "good"] as const)("at its prompt says so again, which changes nothing (%s)", (what) => {
    expect(actionsOf(atPrompt(), said(what))).toEqual([]);
  });

  test("at its prompt corrects how the turn went", () => {
    expect(observe(atPrompt(), said("failed")).carried?.lastTurn).toBe("failed");
  });

  test("at its prompt keeps how the turn went when only the prompt is seen", () => {
    expect(observe(running(), said("good"), said("working"), said("ready")).carried?.lastTurn).toBe("good");
  });
});

describe("a request", () => {
  test("that has no id of its own gets one", () => {
    const row = running();
    expect(observe(row, said("permission")).waiting?.requestId).toBe(`r${row.seq + 1}`);
  });

  test("at the prompt needs none", () => {
    expect(atPrompt().waiting?.requestId).toBeNull();
  });

  test.each([
    ["with the same id", { requestId: "a" }, { requestId: "a" }, true],
    ["with another id", { requestId: "a" }, { requestId: "b" }, false],
    ["by a source that knows less", { tool: "Bash", input: { c: 1 } }, {}, true],
    ["of the same tool", { tool: "Bash" }, { tool: "Bash" }, true],
    ["of another tool", { tool: "Bash" }, { tool: "Edit" }, false],
    ["with the same input", { input: { c: 1 } }, { input: { c: 1 } }, true],
    ["with other input", { input: { c: 1 } }, { input: { c: 2 } }, false],
    ["with another question", { question: "a?" }, { question: "b?" }, false],
  ] as const)("seen again %s", (_, first, second, isSame) => {
    const row = observe(running(), asks({ for: "permission", ...first }));
    expect(actionsOf(row, asks({ for: "permission", ...second })).length === 0).toBe(isSame);
  });
});

describe("the trust in a source", () => {
  test("lets the stronger one correct the weaker", () => {
    const row = observe(
      starting(),
      said("good", { source: "screen" }),
      said("working", { source: "terminal" }),
    );
    expect(row).toMatchObject({ state: "running", stateSource: "terminal" });
  });

  test("lets a source correct itself", () => {
    const row = observe(starting(), said("working", { source: "hook" }), said("good", { source: "hook" }));
    expect(row.state).toBe("waiting_input");
  });

  test.each(["hook", "screen", "declared"] as const)(
    "keeps a weaker one from correcting the stronger (%s)",
    (source) => {
      expect(actionsOf(running(), said("good", { source }))).toEqual([]);
    },
  );

  test("hears a weaker one where it fills a known gap", () => {
    const row = observe(running(), said("permission", { source: "screen", fillsGap: true }));
    expect(row).toMatchObject({ state: "waiting_input", stateSource: "screen" });
  });

  test.each([
    ["starting", starting],
    ["resuming", resuming],
    ["unknown", () => observe(starting(), NOT_READY)],
  ] as const)("hears anyone while nobody has spoken (%s)", (_, row) => {
    expect(observe(row(), said("working", { source: "screen" })).state).toBe("running");
  });

  test("hears anyone after a process or an operator, who know nothing of turns", () => {
    const ready = observe(starting(), launched(true));
    expect(observe(ready, said("ready", { source: "screen" })).state).toBe("waiting_input");
  });
});

describe("a request that a stronger source told in part", () => {
  const known = () => observe(running(), asks({ for: "permission", tool: "Bash" }));
  const hook = (given: Partial<Asked>): Observation => {
    const signal = {
      source: "hook",
      rule: "test",
      excerpt: null,
      says: "asking",
      asked: asked(given),
    } as const;
    return { saw: "signal", trust: TRUST, signal };
  };

  test("is completed by a weaker one, under its own id and authority", () => {
    const before = known();
    const after = observe(before, hook({ for: "permission", tool: "Bash", input: { command: "ls" } }));
    expect(after.waiting).toEqual({ ...before.waiting, input: { command: "ls" } });
    expect(after.stateSource).toBe("terminal");
    expect(actionsOf(after, hook({ for: "permission", tool: "Bash", input: { command: "ls" } }))).toEqual([]);
  });

  test("is completed by the same source, which may know it in full from the first on", () => {
    const full = asks({ for: "permission", tool: "Bash", input: { command: "ls" } });
    expect(observe(known(), full).waiting).toMatchObject({
      requestId: known().waiting?.requestId,
      input: {},
    });
    expect(actionsOf(observe(running(), full), asks({ for: "permission" }))).toEqual([]);
  });

  test.each([
    ["another tool", hook({ for: "permission", tool: "Edit", input: {} })],
    ["another kind of request", hook({ for: "question", question: "Which?" })],
  ])("is left alone by a weaker source that speaks of %s", (_, other) => {
    expect(actionsOf(known(), other)).toEqual([]);
  });
});

describe("a prompt of which the agent does not say what came before", () => {
  const idle: Observation = {
    saw: "signal",
    trust: TRUST,
    signal: { source: "terminal", rule: "test", excerpt: null, says: "ready", inTurn: "aborted" },
  };

  test.each([
    ["in mid-turn", running],
    ["at a request", () => observe(running(), said("permission"))],
  ] as const)("ends the turn %s", (_, row) => {
    expect(observe(row(), idle)).toMatchObject({
      waiting: { for: "prompt" },
      carried: { lastTurn: "aborted" },
    });
  });

  test.each([
    ["the first prompt", starting, null],
    ["a prompt behind a good turn", atPrompt, "good"],
    ["a process that was only seen to run", () => observe(starting(), launched(true)), null],
  ] as const)("says nothing of a turn at %s", (_, row, lastTurn) => {
    expect(observe(row(), idle).carried?.lastTurn).toBe(lastTurn);
  });
});

describe("the agent's own word changes nothing of", () => {
  test.each([
    ["a pause", () => observe(running(), PAUSE)],
    ["an end on its way", () => observe(running(), END)],
    ["an end", () => observe(running(), exited(0))],
    ["a failure", () => observe(running(), exited(1))],
    ["a session that was lost", () => observe(running(), found())],
    ["a session that was lost in a reboot", () => observe(running(), found({ bootId: "boot-b" }))],
  ] as const)("%s", (_, row) => {
    for (const what of ["loading", "working", "ready", "good", "permission"] as const)
      expect(actionsOf(row(), said(what))).toEqual([]);
  });
});
