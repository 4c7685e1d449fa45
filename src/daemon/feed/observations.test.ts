import { expect, test } from "vitest";
import { append, codeOf } from "../../store/contract/place.ts";
import type { SessionObservation } from "../../store/observations.ts";
import { created, T0, T1 } from "../../testing/events.ts";
import { sqlitePlace } from "../../testing/sqlite-place.ts";
import { Observations } from "./observations.ts";

test("what is noted of many sessions in one turn is written in one batch, in order", async () => {
  using place = sqlitePlace();
  await using store = place.open();
  for (const id of ["a", "b"]) await append(store, id, created());
  const batches: number[] = [];
  const observe = async (batch: readonly SessionObservation[]) => {
    batches.push(batch.length);
    await store.observe(batch);
  };
  const observations = new Observations({ observe });
  await Promise.all([
    observations.note("a", { attached: true, lastOutputAt: T0 }),
    observations.note("b", { attached: true }),
    observations.note("a", { lastOutputAt: T1 }),
  ]);
  await observations.note("b", { attached: false });
  expect(batches).toEqual([3, 1]);
  expect((await store.find("a"))?.observed).toMatchObject({ attached: true, lastOutputAt: T1 });
  expect((await store.find("b"))?.observed.attached).toBe(false);
});

test("a batch that cannot be written fails for all in it, and the next one is tried", async () => {
  using place = sqlitePlace();
  const store = place.open();
  await append(store, "a", created());
  const observations = new Observations(store);
  const [first, second] = [observations.note("a", {}), observations.note("a", {})];
  await store.close();
  expect(await Promise.all([first, second].map(codeOf))).toEqual(["store_closed", "store_closed"]);
  await using again = place.open();
  expect(await codeOf(new Observations(again).note("a", { attached: true }))).toBe("done");
});
