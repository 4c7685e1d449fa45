import { expect, test } from "vitest";
import type { TurnMark } from "../agents/parsed.ts";
import { TranscriptTurns } from "./transcript-turns.ts";

const BEGUN: TurnMark = { isBegun: true };
const GOOD: TurnMark = { over: { result: "good", why: null } };

function eventsOf(turns: TranscriptTurns, ...marks: readonly TurnMark[]): object[] {
  return marks.flatMap((mark) => turns.mark(mark).map(({ id, body }) => ({ id, ...body(1) })));
}

test("turns of a transcript are numbered in their order, with ids by their place", () => {
  expect(eventsOf(new TranscriptTurns("k"), BEGUN, GOOD, BEGUN)).toEqual([
    { id: "k-turn-1-began", kind: "turn_began", number: 1, generation: 1, by: "agent" },
    { id: "k-turn-1-ended", kind: "turn_ended", number: 1, generation: 1, outcome: "success", error: null },
    { id: "k-turn-2-began", kind: "turn_began", number: 2, generation: 1, by: "agent" },
  ]);
});

test("a turn that nothing ended is over when the next begins, and nobody knows how it went", () => {
  expect(eventsOf(new TranscriptTurns("k"), BEGUN, BEGUN)).toMatchObject([
    { id: "k-turn-1-began" },
    { id: "k-turn-1-ended", outcome: null },
    { id: "k-turn-2-began" },
  ]);
});

test("the reason of an end is short, however long the agent's own is", () => {
  const failed: TurnMark = { over: { result: "failed", why: "x".repeat(1_000_000) } };
  expect(eventsOf(new TranscriptTurns("k"), BEGUN, failed)[1]).toMatchObject({
    error: `${"x".repeat(4096)}…`,
  });
});

test("an end without a turn tells nothing", () => {
  expect(eventsOf(new TranscriptTurns("k"), GOOD, BEGUN, GOOD, GOOD)).toHaveLength(2);
});

test("an end that the session showed first is the same event as the one of its transcript", () => {
  const turns = new TranscriptTurns("k");
  eventsOf(turns, BEGUN);
  const [shown] = turns.end({ result: "good", why: null });
  expect(eventsOf(turns, GOOD)).toMatchObject([{ id: shown?.id }]);
});
