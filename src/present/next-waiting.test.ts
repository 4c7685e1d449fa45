import { expect, test } from "vitest";
import { ago, shownSession, waitingFor } from "../testing/records.ts";
import { nextWaiting, type Visits } from "./next-waiting.ts";

const asks = (id: string, seconds: number) =>
  shownSession({ id, ...waitingFor("permission", { since: ago(seconds) }) });

function visited(sessions: ReturnType<typeof asks>[], times: number): (string | undefined)[] {
  let visits: Visits = {};
  return Array.from({ length: times }, () => {
    const next = nextWaiting(sessions, visits);
    visits = next?.visits ?? visits;
    return next?.session.id;
  });
}

test("each is visited once, the one that waits longest first, and then they come again", () => {
  const sessions = [asks("b", 20), asks("a", 30), asks("c", 10)];
  expect(visited(sessions, 5)).toEqual(["a", "b", "c", "a", "b"]);
  expect(visited([asks("a", 30)], 2)).toEqual(["a", "a"]);
  expect(visited([], 1)).toEqual([undefined]);
});

test("one that asks something new is visited again", () => {
  const first = nextWaiting([asks("a", 30), asks("b", 20)], {});
  expect(nextWaiting([asks("a", 5), asks("b", 20)], first?.visits ?? {})?.session.id).toBe("b");
  expect(nextWaiting([asks("a", 5)], first?.visits ?? {})?.session.id).toBe("a");
});

test("what no longer waits is forgotten", () => {
  const first = nextWaiting([asks("a", 30), asks("b", 20)], {});
  const second = nextWaiting([asks("b", 20)], first?.visits ?? {});
  expect(Object.keys(second?.visits ?? {})).toEqual(["b"]);
});
