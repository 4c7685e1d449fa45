import { describe, expect, test } from "vitest";
import {
  AGENT,
  CONTINUE,
  END,
  exited,
  LAUNCH,
  launched,
  observe,
  PAUSE,
  said,
  starting,
} from "../../testing/carried.ts";
import { created, entryAdded, happened, rowAfter, seen, step, T1, T2 } from "../../testing/events.ts";
import { carry } from "./carried.ts";

const other = { ...LAUNCH, marker: "marker-2" };
const LIMIT = { how: "limit" } as const;
const input = (by: "prompt" | "send", generation: number) =>
  ({ kind: "input_given", by, generation, text: "hi" }) as const;

describe("a carried session", () => {
  test("begins with its launch and nothing else", () => {
    expect(starting()).toMatchObject({ carried: carry(LAUNCH), process: null });
  });

  test("is what a launch makes of it; others are not carried", () => {
    expect(rowAfter(created()).carried).toBeNull();
    expect(step(rowAfter(created()), happened("end_began", { ending: LIMIT })).carried).toBeNull();
  });

  test("keeps what the outcome depends on from the moment the end begins", () => {
    const limited = step(starting(), happened("end_began", { ending: LIMIT, endReason: "timeout" }));
    expect(limited).toMatchObject({
      endReason: null,
      carried: { ending: { how: "limit" }, endReason: "timeout" },
    });
    expect(step(limited, seen("stopping")).carried).toEqual(limited.carried);
  });

  test("that goes on after all is not being ended any more", () => {
    const limited = step(starting(), happened("end_began", { ending: LIMIT, endReason: "timeout" }));
    const back = step(step(limited, seen("unknown")), seen("running"));
    expect(back.carried).toMatchObject({ ending: null, endReason: null });
  });

  test("knows what it was paused from, only while it is", () => {
    const paused = observe(starting(), said("permission"), PAUSE);
    expect(paused.carried?.pausedFrom).toMatchObject({
      state: "waiting_input",
      waiting: { for: "permission" },
    });
    expect(step(paused, seen("paused")).carried).toEqual(paused.carried);
    for (const later of [observe(paused, CONTINUE), observe(paused, END), observe(paused, exited(0))])
      expect(later.carried?.pausedFrom).toBeNull();
  });

  test("that is reconciled is no longer paused", () => {
    const row = step(observe(starting(), PAUSE), happened("reconciled"));
    expect(row).toMatchObject({ state: "unknown", carried: { pausedFrom: null } });
  });

  test("keeps how the last turn went through the next one", () => {
    const row = observe(starting(), said("working"), said("good"), said("working"));
    expect(row.carried?.lastTurn).toBe("good");
  });
});

describe("a resume of a carried session", () => {
  const ended = observe(starting(), launched(), said("good"), END, exited(0));
  const resumed = step(ended, happened("resumed", { launch: other }));

  test("begins anew with its own launch", () => {
    expect(resumed).toMatchObject({ generation: 2, process: null, carried: carry(other) });
  });

  test("without one goes on with the launch before", () => {
    expect(step(ended, seen("resuming")).carried).toEqual(carry(LAUNCH));
  });

  test("does not take the process of the generation before", () => {
    const late = step(resumed, { kind: "launched", process: AGENT, generation: 1 });
    expect(late.process).toBeNull();
    expect(step(late, { kind: "launched", process: AGENT, generation: 2 }).process).toEqual(AGENT);
  });

  test("does not take the input of the generation before", () => {
    const late = step(resumed, input("prompt", 1), T2);
    expect(late).toMatchObject({ lastInputAt: resumed.lastInputAt, carried: { isPromptGiven: false } });
  });
});

describe("input that is given", () => {
  test("is noted with its time, and the first prompt as given", () => {
    expect(step(starting(), input("prompt", 1), T1)).toMatchObject({
      lastInputAt: T1,
      carried: { isPromptGiven: true },
    });
    expect(step(starting(), input("send", 1), T1)).toMatchObject({
      lastInputAt: T1,
      carried: { isPromptGiven: false },
    });
  });
});

describe("an entry from the output", () => {
  test("tells how much of the stream is in the transcript", () => {
    const entry = { ...entryAdded("hi"), consumed: { stream: "out", offset: 7 } } as ReturnType<
      typeof entryAdded
    >;
    expect(step(starting(), entry).carried?.consumed).toEqual({ out: 7, err: 0 });
    expect(step(rowAfter(created()), entry).carried).toBeNull();
  });
});
