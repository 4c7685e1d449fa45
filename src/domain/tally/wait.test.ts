import { describe, expect, test } from "vitest";
import { LAUNCH } from "../../testing/carried.ts";
import { created, finalized, happened, REQUEST, rowAfter, seen, step } from "../../testing/events.ts";
import type { EventBody } from "../session/event.ts";
import { closedWait } from "./wait.ts";

const minute = (n: number) => `2026-01-08T18:${String(n).padStart(2, "0")}:00.000Z`;
const asked = (since: number, requestId = "r1") =>
  happened("asked", { waiting: { ...REQUEST, requestId, since: minute(since) } });

/** Minutes that a session has waited after these events, each at its minute. */
function waitedMinutes(...events: readonly (readonly [at: number, body: EventBody])[]): number {
  const first = rowAfter(created({ origin: "started", state: "starting", launch: LAUNCH }), seen("running"));
  return events.reduce((row, [at, body]) => step(row, body, minute(at)), first).waitedMs / 60_000;
}

describe("a session has waited for people", () => {
  test.each<[string, number, readonly (readonly [number, EventBody])[]]>([
    ["not yet while the first request is open", 0, [[10, asked(10)]]],
    [
      "from the request to the answer",
      5,
      [
        [10, asked(10)],
        [15, happened("answered")],
      ],
    ],
    [
      "not at its prompt",
      0,
      [
        [10, seen("waiting_input")],
        [15, seen("running")],
      ],
    ],
    [
      "over several requests",
      7,
      [
        [10, asked(10)],
        [15, happened("answered")],
        [20, asked(20, "r2")],
        [22, happened("answered")],
      ],
    ],
    [
      "once where more of a request is learned",
      5,
      [
        [10, asked(10)],
        [12, asked(10)],
        [15, happened("answered")],
      ],
    ],
    [
      "once where another request takes its place",
      5,
      [
        [10, asked(10)],
        [12, asked(12, "r2")],
        [15, happened("answered")],
      ],
    ],
    [
      "once where the next request began before it was heard of",
      5,
      [
        [10, asked(10)],
        [13, asked(12, "r2")],
        [15, happened("answered")],
      ],
    ],
    [
      "also while it was paused",
      20,
      [
        [10, asked(10)],
        [15, seen("paused")],
        [25, happened("continued", { state: "waiting_input", waiting: { ...REQUEST, since: minute(10) } })],
        [30, happened("answered")],
      ],
    ],
    [
      "until it was ended in a pause",
      10,
      [
        [10, asked(10)],
        [15, seen("paused")],
        [20, seen("stopping")],
      ],
    ],
    [
      "until it ended",
      10,
      [
        [10, asked(10)],
        [20, seen("failed")],
      ],
    ],
    [
      "until it was lost",
      10,
      [
        [10, asked(10)],
        [20, seen("unknown")],
      ],
    ],
    [
      "until it was reconciled",
      10,
      [
        [10, asked(10)],
        [20, happened("reconciled")],
      ],
    ],
    [
      "over generations",
      13,
      [
        [10, asked(10)],
        [20, seen("stopped")],
        [25, seen("resuming")],
        [26, seen("running")],
        [30, asked(30, "r2")],
        [33, happened("answered")],
      ],
    ],
  ])("%s", (_title, expected, events) => {
    expect(waitedMinutes(...events)).toBe(expected);
  });

  test("until a record made by hand was finalised at a request", () => {
    const asking = step(rowAfter(created()), asked(10), minute(10));
    expect(step(asking, finalized("completed"), minute(12)).waitedMs).toBe(120_000);
  });

  test("each time for as long as the closed wait says", () => {
    const asking = step(rowAfter(created()), asked(10), minute(10));
    const after = step(asking, happened("answered"), minute(12));
    expect(closedWait(asking, after, minute(12))).toEqual({
      for: "permission",
      since: minute(10),
      ms: 120_000,
    });
  });
});
