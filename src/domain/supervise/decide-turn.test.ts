import { describe, expect, test } from "vitest";
import {
  actsOf,
  CONTINUE,
  END,
  exited,
  found,
  LAUNCH,
  launched,
  observe,
  PAUSE,
  said,
  starting,
} from "../../testing/carried.ts";
import { created, entryAdded, happened, rowAfter, step, T1 } from "../../testing/events.ts";
import { DEFAULT_IDENTITY, type SessionRow } from "../session/session.ts";
import { firstTurn } from "./decide-turn.ts";
import type { Observation } from "./observation.ts";

const text = (words = "go", isCommand = false, isBehindQueued = false): Observation => ({
  ...{ saw: "text_given", by: "send", text: words },
  ...{ isCommand, isBehindQueued },
});
const firstText: Observation = { saw: "text_given", by: "prompt", text: "go", isCommand: false };
const notTaken = (turn = 1): Observation => ({ saw: "text_not_taken", turn, afterMs: 10_000 });

/** A session whose launch brings a text, with the turn that its record begins with. */
function withText(given: Partial<typeof LAUNCH> & { readonly kind?: "autonomous" } = {}): SessionRow {
  const { kind = "interactive", ...launch } = given;
  const evidence = { source: "operator", rule: "start", excerpt: null } as const;
  const row = rowAfter(
    created({
      origin: "started",
      state: "starting",
      evidence,
      launch: { ...LAUNCH, hasPrompt: true, ...launch },
      identity: { ...DEFAULT_IDENTITY, kind },
    }),
  );
  return step(row, { kind: "turn_began", number: 1, generation: 1, by: "text" }, T1);
}

const atPrompt = () => observe(starting(), launched(), said("ready"));
const user = (row: SessionRow) => step(row, entryAdded("go", { role: "user" }), T1);

describe("the first text of a session", () => {
  test("is given when the prompt is there, which is no prompt to wait at", () => {
    const row = observe(withText(), launched());
    expect(actsOf(row, said("ready"))).toEqual(["append", "give_text"]);
    expect(observe(row, said("ready"))).toMatchObject({ state: "running", turn: { state: "pending" } });
  });

  test("waits behind a dialog of trust, which waits for a person", () => {
    const row = observe(withText(), launched(), said("trust"));
    expect(row).toMatchObject({ state: "waiting_input", turn: { state: "pending" } });
    expect(actsOf(observe(row, said("loading")), said("ready"))).toContain("give_text");
  });

  test("is given again by a daemon that comes back, unless it was given", () => {
    const row = observe(withText(), launched(), said("ready"));
    expect(actsOf(row, launched())).toEqual(["give_text"]);
    expect(actsOf(observe(row, firstText), launched())).toEqual([]);
    expect(actsOf(observe(row, PAUSE), CONTINUE)).toContain("give_text");
  });

  test("leaves the prompt on the screen alone until the agent has taken it", () => {
    const row = observe(withText(), launched(), said("ready"), firstText);
    expect(observe(row, said("good"), said("ready"))).toEqual(row);
    expect(actsOf(row, said("ready"))).toEqual([]);
    expect(observe(row, said("working"), said("good"))).toMatchObject({
      state: "waiting_input",
      turn: { number: 1, state: "done", outcome: "success" },
      turns: 1,
    });
  });

  test("of a command is written as soon as it runs, and its input is closed behind it", () => {
    const row = withText({ tellsTurns: false, closesInput: true });
    expect(actsOf(row, launched(true))).toEqual(["append", "give_text"]);
    const given = observe(row, launched(true), firstText);
    expect(actsOf(given, { saw: "text_written" })).toEqual(["close_input"]);
  });
});

describe("the turn of the text that a launch begins with", () => {
  const launch = { hasPrompt: true, tellsTurns: true };
  const began = { kind: "turn_began", generation: 1, by: "text" };

  test("is the next one, and is about that text where it is known", () => {
    const turn = observe(atPrompt(), said("failed")).turn;
    expect(firstTurn(launch, { turn: null, generation: 1 }, "go")).toEqual([
      { ...began, number: 1, about: "go" },
    ]);
    expect(firstTurn(launch, { turn, generation: 1 })).toEqual([{ ...began, number: 2 }]);
  });

  test.each([
    ["without a text", { ...launch, hasPrompt: false }],
    ["of an agent that tells no turns", { ...launch, tellsTurns: false }],
  ])("is not there %s", (_, given) => {
    expect(firstTurn(given, { turn: null, generation: 1 }, "go")).toEqual([]);
  });
});

describe("a text at the prompt", () => {
  test("begins a turn and makes the session run, whatever the agent says of it", () => {
    expect(observe(atPrompt(), text())).toMatchObject({
      state: "running",
      stateSource: "operator",
      turn: { number: 1, state: "pending", givenAt: T1 },
    });
  });

  test.each([
    ["says that it works", (row: SessionRow) => observe(row, said("working"))],
    ["asks for something", (row: SessionRow) => observe(row, said("permission"))],
    ["shows the text in its transcript", user],
    [
      "begins another conversation",
      (row: SessionRow) => step(row, { kind: "identified", identity: { nativeId: "n2" } }, T1),
    ],
    [
      "shows it otherwise",
      (row: SessionRow) =>
        observe(row, { saw: "text_taken", evidence: { source: "screen", rule: "shown", excerpt: null } }),
    ],
  ])("is taken when the agent %s", (_, take) => {
    expect(take(observe(atPrompt(), text()))).toMatchObject({ turn: { number: 1, state: "running" } });
  });

  test("that nobody takes ends its turn, and is not given again", () => {
    const row = observe(atPrompt(), text(), notTaken());
    expect(row).toMatchObject({
      state: "waiting_input",
      turn: { state: "done", outcome: "failure", error: "not_delivered" },
      lastError: { message: "not_delivered" },
      errorCount: 0,
    });
    expect(observe(atPrompt(), text(), said("working"), notTaken())).toMatchObject({ state: "running" });
    expect(observe(atPrompt(), text(), notTaken(2))).toMatchObject({ turn: { state: "pending" } });
    expect(observe(atPrompt(), text(), PAUSE, notTaken())).toMatchObject({ turn: { state: "pending" } });
  });

  test("is not answered by what a weaker source says in place of a stronger one", () => {
    const row = user(observe(atPrompt(), text()));
    expect(observe(row, said("good", { source: "hook" }))).toMatchObject({ state: "running" });
    expect(observe(row, said("good"))).toMatchObject({
      state: "waiting_input",
      turn: { outcome: "success" },
    });
  });

  test("is answered by a source that speaks where no other has", () => {
    const short = said("good", { source: "transcript", ifUnreported: true });
    expect(observe(user(observe(atPrompt(), text())), short)).toMatchObject({ turn: { state: "done" } });
    expect(observe(observe(atPrompt(), text()), short)).toMatchObject({ turn: { state: "pending" } });
    const reported = observe(user(observe(atPrompt(), text())), said("working"));
    expect(observe(reported, short)).toEqual(reported);
    expect(observe(atPrompt(), short)).toEqual(atPrompt());
  });

  test("in mid-turn is queued and begins no turn", () => {
    const row = observe(atPrompt(), text(), said("working"), text("more"));
    expect(row).toMatchObject({ turn: { number: 1, state: "running" } });
  });

  test("at a prompt between two texts that the agent keeps is queued as well", () => {
    const row = observe(atPrompt(), text("go", false, true));
    expect(row).toMatchObject({ state: "waiting_input", turn: null });
  });

  test("is refused where it could not be typed", () => {
    for (const row of [observe(atPrompt(), PAUSE), observe(atPrompt(), END), starting()])
      expect(observe(row, text())).toEqual(row);
  });
});

describe("a command of the agent's own", () => {
  const shown: Observation = { saw: "command_shown", turn: 1 };

  test("that shows on the screen alone went well", () => {
    expect(observe(atPrompt(), text("/x", true), shown)).toMatchObject({
      state: "waiting_input",
      turn: { outcome: "success" },
    });
  });

  test("is not interrupted by a prompt that only says that no turn goes on", () => {
    const idle = said("ready") as Extract<Observation, { saw: "signal" }>;
    const aborted = { ...idle, signal: { ...idle.signal, inTurn: "aborted" } } as Observation;
    const row = observe(atPrompt(), text("/clear", true), said("working"));
    expect(observe(row, aborted)).toMatchObject({ turn: { outcome: "success" } });
    const turn = observe(atPrompt(), text("go"), said("working"));
    expect(observe(turn, aborted)).toMatchObject({ turn: { outcome: "interrupted" } });
  });

  test("that makes the agent leave does not undo the turn before it", () => {
    const good = observe(atPrompt(), said("working"), said("good"), text("/exit", true), said("working"));
    expect(observe(good, exited(0))).toMatchObject({
      outcome: "success",
      turn: { number: 2, outcome: "success" },
    });
  });

  test("is told by the agent where it says something", () => {
    const row = observe(atPrompt(), text("/x", true), said("working"));
    expect(observe(row, shown)).toEqual(row);
    expect(observe(row, said("ready"))).toMatchObject({ turn: { outcome: "success" } });
    expect(observe(observe(atPrompt(), text()), shown)).toMatchObject({ turn: { state: "pending" } });
  });
});

describe("a turn that the agent began by itself", () => {
  test.each([["working"], ["permission"]] as const)("begins when it is %s", (says) => {
    expect(observe(atPrompt(), said(says))).toMatchObject({ turn: { number: 1, state: "running" } });
  });

  test("is counted though nobody saw it begin, and once", () => {
    const row = observe(atPrompt(), said("failed"));
    expect(row).toMatchObject({ turn: { number: 1, state: "done", outcome: "failure" }, turns: 1 });
    expect(observe(row, said("failed"))).toEqual(row);
    expect(observe(row, said("good"))).toMatchObject({ turn: { number: 2, outcome: "success" } });
  });

  test("does not begin with a dialog that someone opened", () => {
    expect(observe(atPrompt(), said("trust"))).toMatchObject({ state: "waiting_input", turn: null });
  });
});

function withExcerpt(what: "good" | "failed", excerpt: string | null): Observation {
  const seen = said(what) as Extract<Observation, { saw: "signal" }>;
  return { ...seen, signal: { ...seen.signal, excerpt } };
}

describe("the error of a turn", () => {
  test.each([
    ["that is open", () => observe(atPrompt(), text(), said("working"))],
    ["that nobody saw", atPrompt],
  ])("%s is the excerpt of its failure, and no other excerpt", (_, row) => {
    expect(observe(row(), withExcerpt("failed", "no credit")).turn).toMatchObject({ error: "no credit" });
    expect(observe(row(), withExcerpt("good", "all done")).turn).toMatchObject({ error: null });
  });

  test("may become known behind its end, and then stays", () => {
    const failed = (why: string | null) => withExcerpt("failed", why);
    const row = observe(atPrompt(), text(), said("working"), failed(null));
    expect(row.turn).toMatchObject({ outcome: "failure", error: null });
    const known = observe(row, failed("no credit"));
    expect(known).toMatchObject({ turn: { number: 1, error: "no credit" }, turns: 1 });
    expect(observe(known, failed("other"))).toEqual(known);
  });
});

describe("a session that ends in mid-turn", () => {
  const inTurn = () => observe(atPrompt(), text(), said("working"));

  test.each([
    ["fails", () => observe(inTurn(), exited(3)), "failure"],
    ["is ended", () => observe(inTurn(), END, exited(0)), "interrupted"],
    ["leaves", () => observe(inTurn(), exited(0)), "interrupted"],
    ["is lost", () => observe(inTurn(), found()), null],
  ] as const)("and %s ends its turn with it", (_, end, outcome) => {
    expect(end()).toMatchObject({ turn: { number: 1, state: "done", outcome } });
  });

  test("goes on with the next number when it is resumed", () => {
    const ended = observe(inTurn(), exited(3));
    const again = step(ended, happened("resumed", { launch: LAUNCH }), T1);
    expect(observe(again, launched(), said("working"))).toMatchObject({ turn: { number: 2 }, generation: 2 });
  });
});

describe("an autonomous session", () => {
  test("never shows a prompt after its goal, but has its input closed", () => {
    const row = observe(
      withText({ kind: "autonomous" }),
      launched(),
      said("ready"),
      firstText,
      said("working"),
    );
    expect(actsOf(row, said("good"))).toEqual(["append", "close_input"]);
    const done = observe(row, said("good"));
    expect(done).toMatchObject({ state: "running", waiting: null, turn: { state: "done" } });
    expect(actsOf(done, launched())).toEqual(["close_input"]);
    expect(observe(done, said("ready"))).toEqual(done);
    expect(observe(done, END, exited(0))).toMatchObject({ outcome: "success" });
  });
});
