import { expect, test } from "vitest";
import type { EventBody } from "../../domain/session/event.ts";
import { entryAdded, happened, place } from "../../testing/events.ts";
import { QueuedText } from "./queued-text.ts";

const generation = 1;
const began = (number: number, by: "text" | "agent" = "agent"): EventBody => ({
  ...{ kind: "turn_began", number, generation, by },
});
const ended = (number: number): EventBody => ({
  ...{ kind: "turn_ended", number, generation, outcome: "success", error: null },
});
const given = (text: string, turn?: number): EventBody => ({
  ...{ kind: "input_given", by: "send", generation, text },
  ...(turn === undefined ? {} : { turn }),
});
const queued = (text: string, turn?: number): EventBody =>
  ({ ...given(text, turn), isQueued: true }) as EventBody;
const opens = (text: string): EventBody =>
  ({ ...entryAdded(text, { role: "user" }), opensTurn: true }) as EventBody;
const joins = (text: string): EventBody => entryAdded(text, { role: "user" });

/** The turn of the text `mine`, and how many events it took to know it. */
function turnOfMine(...bodies: readonly EventBody[]): [turn: number | undefined, after: number] {
  const events = place(bodies);
  const mine = events.findLast(({ body }) => body.kind === "input_given" && body.text === "mine");
  if (mine?.body.kind !== "input_given") throw new Error("nothing was given");
  const text = new QueuedText({ seq: mine.seq, text: "mine", turn: mine.body.turn ?? null });
  for (const event of events) {
    const turn = text.judge(event);
    if (turn !== undefined) return [turn, event.seq];
  }
  return [undefined, events.length];
}

const BUSY = [began(1, "text"), given("first", 1), opens("first")];

test("a text that joins the open turn belongs to it, and one that opens a turn to the next", () => {
  expect(turnOfMine(...BUSY, queued("mine", 1), joins("mine"))).toEqual([1, 5]);
  expect(turnOfMine(...BUSY, queued("mine", 1), ended(1), began(2), opens("mine"))).toEqual([2, 7]);
  expect(turnOfMine(...BUSY, queued("mine", 1), opens("mine"), ended(1), began(2))).toEqual([2, 7]);
});

test("the second of two queued texts has the turn behind that of the first, however far ahead it shows", () => {
  const two = [...BUSY, queued("theirs", 1), queued("mine", 1), opens("theirs"), ended(1), began(2)];
  expect(turnOfMine(...two, opens("mine"), ended(2), began(3))).toEqual([3, 11]);
  expect(turnOfMine(...two, ended(2), began(3), opens("mine"))).toEqual([3, 11]);
});

test("a text that is given while the agent rests between two turns has the turn behind the text before it", () => {
  const gap = [...BUSY, queued("theirs", 1), opens("theirs"), ended(1), happened("at_prompt")];
  expect(turnOfMine(...gap, queued("mine"), began(2), opens("mine"), ended(2), began(3))).toEqual([3, 12]);
});

test("of two texts that are the same the first to be given shows first", () => {
  const same = [...BUSY, queued("mine", 1), queued("mine", 1), opens("mine"), ended(1), began(2)];
  expect(turnOfMine(...same)).toEqual([undefined, 8]);
  expect(turnOfMine(...same, opens("mine"), ended(2), began(3))).toEqual([3, 11]);
});

test("where no text with a turn is known, the turn that is open counts", () => {
  expect(turnOfMine(began(7), queued("mine", 7), ended(7), began(8), opens("mine"))).toEqual([8, 5]);
  expect(turnOfMine(began(7), queued("mine", 7), opens("mine"), ended(7), began(8))).toEqual([8, 5]);
});

test("a session that ends settles it with the last turn", () => {
  expect(turnOfMine(...BUSY, queued("mine", 1), happened("ended"))).toEqual([1, 5]);
});
