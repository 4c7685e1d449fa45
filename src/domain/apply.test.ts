import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodies, instants, lives } from "../testing/arbitraries.ts";
import { bodiesTo, created, entryAdded, replay, rowAfter, said, seen, T0, T1 } from "../testing/events.ts";
import { illegalities, illegalStep } from "../testing/legal-session.ts";
import { apply } from "./apply.ts";
import type { SessionEvent } from "./event.ts";
import { FINAL_PHASES, OUTCOME_OF_PHASE } from "./phase.ts";
import type { SessionRow } from "./session.ts";
import { STATES, type State } from "./state.ts";

const RUNS = { numRuns: 2000 };

describe("any sequence of events", () => {
  test("gives a legal session at every step", () => {
    fc.assert(
      fc.property(lives, (events) => {
        for (const { after } of stepsOf(events)) expect(illegalities(after)).toEqual([]);
      }),
      RUNS,
    );
  });

  test("takes only legal steps", () => {
    fc.assert(
      fc.property(lives, (events) => {
        for (const { before, event, after } of stepsOf(events))
          if (before) expect(illegalStep(before, event, after)).toEqual([]);
      }),
      RUNS,
    );
  });

  test("gives the same row when it is replayed from where it was written down", () => {
    fc.assert(
      fc.property(lives, fc.nat(), (events, cut) => {
        const at = cut % (events.length + 1);
        const written = asWritten(replay(events.slice(0, at)));
        expect(events.slice(at).reduce(apply, written)).toEqual(replay(events));
      }),
      RUNS,
    );
  });

  test("leaves a final phase, its outcome and its time as they are", () => {
    fc.assert(
      fc.property(lives, fc.constantFrom(...FINAL_PHASES), (events, phase) => {
        const [first, ...rest] = events as [SessionEvent, ...SessionEvent[]];
        const final: SessionEvent = {
          ...first,
          seq: 2,
          body: { kind: "finalized", phase, summary: null, inHistory: false },
        };
        const last = replay([first, final, ...rest.map((event) => ({ ...event, seq: event.seq + 1 }))]);
        expect(last).toMatchObject({ phase, finalizedAt: first.at, outcome: OUTCOME_OF_PHASE[phase] });
      }),
      RUNS,
    );
  });

  test("without a creation gives no session", () => {
    const orphans = bodies.filter(({ kind }) => kind !== "created" && kind !== "restored");
    fc.assert(
      fc.property(orphans, instants, (body, at) => {
        const event: SessionEvent = { id: "e", at, channel: null, sessionId: "s", seq: 1, body };
        expect(apply(undefined, event)).toBeUndefined();
      }),
    );
  });
});

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

describe("a finalise", () => {
  test.each([
    ["completed", "stopped", "success"],
    ["failed", "failed", "failure"],
    ["abandoned", "stopped", "interrupted"],
  ] as const)("as %s ends a record made by hand: %s, %s", (phase, state, outcome) => {
    const row = step(rowAfter(created()), finalized(phase), T1);
    expect(row).toMatchObject({ phase, state, outcome, finalizedAt: T1, endedAt: T1, history: [] });
  });

  test("of a session that Rollcall carries leaves it running until its end", () => {
    const final = rowAfter(...bodiesTo("running"), finalized("completed"));
    expect(final).toMatchObject({ state: "running", outcome: "success", endedAt: null });
    expect(step(final, seen("failed", { exitCode: 1 }))).toMatchObject({
      state: "failed",
      outcome: "success",
    });
  });

  test("of a carried session that was lost and found again lets it go on", () => {
    const found = rowAfter(...bodiesTo("running"), finalized("completed"), seen("unknown"), seen("running"));
    expect(found).toMatchObject({ state: "running", phase: "completed", outcome: "success", generation: 1 });
  });

  test("keeps an earlier end of the process and takes its outcome over", () => {
    const ended = rowAfter(
      created(),
      said("stopped", { ending: { how: "declared", outcome: "interrupted" } }),
    );
    expect(step(ended, finalized("completed"), T1)).toMatchObject({
      outcome: "success",
      endedAt: ended.endedAt,
    });
  });

  test.each(STATES)("is not undone by a state that is declared later (%s)", (to) => {
    const final = rowAfter(created(), finalized("completed"));
    expect(step(final, said(to))).toEqual({ ...final, seq: final.seq + 1 });
  });
});

describe("an update", () => {
  test("appends the phase to the history even if it is the same", () => {
    const { history } = rowAfter(created(), updated({ phase: "planning" }), updated({ phase: "planning" }));
    expect(history.map(({ fromPhase, toPhase }) => [fromPhase, toPhase])).toEqual([
      ["initializing", "planning"],
      ["planning", "planning"],
    ]);
  });

  test.each([
    ["initializing", false],
    ["investigating", true],
    ["planning", true],
    ["approval", true],
    ["executing", false],
    ["validating", false],
  ] as const)("to %s sets resume_ready to %s", (phase, ready) => {
    const before = rowAfter(created(), updated({ resumeReady: !ready }));
    expect(step(before, updated({ phase })).resumeReady).toBe(ready);
  });

  test("without a phase leaves phase, history and resume_ready alone and counts as activity", () => {
    const before = rowAfter(created(), updated({ phase: "approval" }));
    const after = step(before, updated({ metadata: { a: 1 } }), T1);
    expect(after).toEqual({ ...before, seq: before.seq + 1, metadata: { a: 1 }, lastActiveAt: T1 });
  });

  test("overrides resume_ready until the next phase", () => {
    const overridden = rowAfter(created(), updated({ phase: "approval", resumeReady: false }));
    expect(overridden.resumeReady).toBe(false);
    expect(step(overridden, updated({ phase: "approval" })).resumeReady).toBe(true);
  });

  test("merges metadata key by key, the last write winning", () => {
    const row = rowAfter(
      created(),
      updated({ metadata: { a: { x: 1 }, b: 1 } }),
      updated({ metadata: { a: { y: 2 } } }),
    );
    expect(row.metadata).toEqual({ a: { y: 2 }, b: 1 });
  });

  test("adds each error and keeps the last, also after the work is final", () => {
    const row = rowAfter(
      created(),
      updated({ error: "one" }),
      finalized("failed"),
      updated({ error: "two" }),
    );
    expect(row).toMatchObject({ errorCount: 2, lastError: { message: "two" } });
  });

  test.each(["created", "upserted"] as const)("makes an unknown record that was %s run again", (origin) => {
    const lost = rowAfter(created({ origin }), reconciled);
    expect(step(lost, updated({}), T1)).toMatchObject({ state: "running", stateSince: T1, endReason: null });
  });

  test.each(["started", "imported", "observed"] as const)(
    "leaves an unknown session that was %s unknown",
    (origin) => {
      const lost = rowAfter(created({ origin }), seen("unknown"));
      expect(step(lost, updated({})).state).toBe("unknown");
    },
  );
});

describe("other events", () => {
  test("reconciling marks a live session unknown and leaves its last activity alone", () => {
    const row = step(rowAfter(created()), reconciled, T1);
    expect(row).toMatchObject({
      state: "unknown",
      stateSince: T1,
      lastActiveAt: T0,
      endReason: "no_living_process",
    });
  });

  test("reconciling leaves what has ended alone", () => {
    const ended = rowAfter(created(), said("stopped"));
    expect(step(ended, reconciled)).toEqual({ ...ended, seq: ended.seq + 1 });
  });

  test("only what a user says begins a turn", () => {
    const row = rowAfter(
      created(),
      entryAdded("hi", { role: "user" }),
      entryAdded("yes"),
      entryAdded("hm", { role: "user", kind: "notice" }),
    );
    expect(row.turns).toBe(1);
  });

  test("a record brought back from its file is what the file said, at its new seq", () => {
    const { seq: _, ...kept } = rowAfter(created(), updated({ phase: "planning" }));
    expect(rowAfter({ kind: "restored", row: kept })).toEqual({ ...kept, seq: 1 });
  });

  test("a second creation changes nothing", () => {
    const row = rowAfter(created({ identity: { name: "first" } }));
    expect(step(row, created({ identity: { name: "second" } }))).toEqual({ ...row, seq: 2 });
  });
});

describe("a new record", () => {
  test("is initializing, without history, and not ready to resume", () => {
    const row = rowAfter(created());
    expect(row).toMatchObject({
      phase: "initializing",
      history: [],
      resumeReady: false,
      generation: 1,
      outcome: null,
    });
  });

  test("made by hand began when it was created; a started one begins when it runs", () => {
    expect(rowAfter(created())).toMatchObject({ createdAt: T0, startedAt: T0 });
    expect(rowAfter(...bodiesTo("starting")).startedAt).toBeNull();
    expect(step(rowAfter(...bodiesTo("starting")), seen("running"), T1).startedAt).toBe(T1);
  });
});

const reconciled = {
  kind: "reconciled",
  evidence: { source: "process", rule: "no_living_process", excerpt: null },
} as const;

function updated(
  given: Omit<Extract<SessionEvent["body"], { kind: "updated" }>, "kind">,
): SessionEvent["body"] {
  return { kind: "updated", ...given };
}

function finalized(phase: (typeof FINAL_PHASES)[number]): SessionEvent["body"] {
  return { kind: "finalized", phase, summary: null, inHistory: false };
}

function step(row: SessionRow, body: SessionEvent["body"], at = T0): SessionRow {
  const seq = row.seq + 1;
  return apply(row, { id: `e${seq}`, at, channel: null, sessionId: row.id, seq, body }) as SessionRow;
}

function asWritten(row: SessionRow | undefined): SessionRow | undefined {
  return row && (JSON.parse(JSON.stringify(row)) as SessionRow);
}

function* stepsOf(events: readonly SessionEvent[]) {
  let before: SessionRow | undefined;
  for (const event of events) {
    const after = apply(before, event) as SessionRow;
    yield { before, event, after };
    before = after;
  }
}
