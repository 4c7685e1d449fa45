import { expect, test } from "vitest";
import { EventLog } from "./event-log.ts";

function filled(count: number, most?: number): EventLog {
  const log = new EventLog(most);
  for (let number = 1; number <= count; number++) log.add("said", { number });
  return log;
}

function idsAfter(log: EventLog, afterId: number): number[] {
  const ids: number[] = [];
  log.follow(afterId, ({ id }) => ids.push(id))[Symbol.dispose]();
  return ids;
}

test("a reader of the event log that comes back gets all behind its last event, and then each new one", () => {
  const log = filled(3);
  const ids: number[] = [];
  using following = log.follow(1, ({ id }) => ids.push(id));
  log.add("said", {});
  expect(ids).toEqual([2, 3, 4]);
  following[Symbol.dispose]();
  log.add("said", {});
  expect(ids).toEqual([2, 3, 4]);
});

test("the event log keeps the last events alone, and says which", () => {
  expect(filled(0).range).toEqual({ first_event_id: 1, last_event_id: 0 });
  const log = filled(10, 4);
  expect(log.range).toEqual({ first_event_id: 7, last_event_id: 10 });
  expect(idsAfter(log, 2)).toEqual([7, 8, 9, 10]);
  expect(idsAfter(log, 9)).toEqual([10]);
  expect(idsAfter(log, 10)).toEqual([]);
});
