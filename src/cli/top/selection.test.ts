import { expect, test } from "vitest";
import { shownSession, waitingFor } from "../../testing/records.ts";
import { SETTLE_MS, Selection } from "./selection.ts";

const row = (id: string, fields = {}) => ({ session: shownSession({ id, ...fields }), depth: 0 });
const asks = (id: string, requestId = `${id}-1`) => row(id, waitingFor("permission", { requestId }));

function opened(...rows: ReturnType<typeof row>[]) {
  const clock = { ms: 1000 };
  const selection = new Selection(() => clock.ms);
  selection.show(rows);
  return { clock, selection };
}

test("a key counts at once for what was there when the roll was opened", () => {
  const { selection } = opened(asks("a"), asks("b"));
  expect([selection.id, selection.settlesInMs()]).toEqual(["a", 0]);
});

test("the selection stays with its session when that asks no more and others ask", () => {
  const { selection } = opened(asks("a"), asks("b"));
  selection.show([asks("b"), row("a")]);
  expect(selection.id).toBe("a");
});

test("another request of the same session has to be shown for half a second", () => {
  const { selection, clock } = opened(asks("a"));
  selection.show([asks("a", "a-2")]);
  expect(selection.settlesInMs()).toBe(SETTLE_MS);
  expect(selection.settlesInMs("session")).toBe(0);
  clock.ms += 300;
  selection.show([asks("a", "a-2")]);
  expect(selection.settlesInMs()).toBe(200);
  clock.ms += 200;
  expect(selection.settlesInMs()).toBe(0);
});

test("a session that takes the place of one that left has to be shown for half a second", () => {
  const { selection, clock } = opened(asks("a"), asks("b"), asks("c"));
  selection.move(1);
  selection.show([asks("a"), asks("c")]);
  expect([selection.id, selection.settlesInMs("session")]).toEqual(["c", SETTLE_MS]);
  clock.ms += SETTLE_MS;
  expect(selection.settlesInMs()).toBe(0);
});

test("a session that was moved to counts at once, unless the rows had just changed places", () => {
  const { selection, clock } = opened(asks("a"), asks("b"));
  selection.move(1);
  expect([selection.id, selection.settlesInMs()]).toEqual(["b", 0]);
  selection.show([asks("b"), asks("a")]);
  clock.ms += 100;
  selection.move(1);
  expect([selection.id, selection.settlesInMs()]).toEqual(["a", SETTLE_MS]);
});

test("what is selected is as it was drawn, and moving stops at the ends", () => {
  const { selection } = opened(asks("a"), asks("b"));
  selection.move(Number.POSITIVE_INFINITY);
  expect(selection.session?.id).toBe("b");
  selection.move(5);
  expect(selection.session?.id).toBe("b");
  selection.move(Number.NEGATIVE_INFINITY);
  expect(selection.session?.id).toBe("a");
});

test("without sessions nothing is selected", () => {
  const { selection } = opened();
  selection.move(1);
  expect([selection.session, selection.settlesInMs()]).toEqual([undefined, 0]);
  selection.show([asks("a")]);
  expect([selection.id, selection.settlesInMs()]).toEqual(["a", SETTLE_MS]);
});
