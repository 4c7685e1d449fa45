import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { created } from "../../testing/events.ts";
import { sample, secondsIn } from "../../testing/samples.ts";
import { sqlitePlace } from "../../testing/sqlite-place.ts";
import { append } from "../contract/place.ts";
import { SampleTable } from "./tables/sample-table.ts";
import { thinInSteps } from "./thin.ts";

const MINUTE = 60_000;

test("a sample that comes while its time is being thinned is taken in by the next thinning", async () => {
  using place = sqlitePlace();
  await using store = place.open();
  for (const id of ["a", "b"]) await append(store, id, created());
  const add = (sessionId: string, at: number) => store.addSamples([{ sessionId, sample: sample(at) }]);
  for (const at of [30, 40]) await add("a", at);
  await add("b", 30);
  using db = opened(place.path);
  const table = new SampleTable(db);
  let isLate = false;
  const gone = await thinInSteps({ before: secondsIn(90), stepMs: MINUTE }, async (work) => {
    const done = work(table);
    const isPast = (await store.samples("a")).length === 1;
    if (isPast && !isLate) await add("a", 50);
    isLate ||= isPast;
    return done;
  });
  expect([isLate, gone, (await store.samples("a")).length]).toEqual([true, 1, 2]);
  expect(await store.thinSamples(secondsIn(90), MINUTE)).toBe(1);
  expect((await store.samples("a")).length).toBe(1);
});

test("a thinning that was broken off is done again from where it began", async () => {
  using place = sqlitePlace();
  await using store = place.open();
  for (const id of ["a", "b"]) await append(store, id, created());
  await store.addSamples(
    ["a", "b"].flatMap((sessionId) => [30, 40].map((at) => ({ sessionId, sample: sample(at) }))),
  );
  using db = opened(place.path);
  const table = new SampleTable(db);
  const broken = thinInSteps({ before: secondsIn(90), stepMs: MINUTE }, async (work) => {
    const done = work(table);
    if ((await store.samples("a")).length === 1) throw new Error("killed");
    return done;
  });
  await expect(broken).rejects.toThrow("killed");
  expect(await store.thinSamples(secondsIn(90), MINUTE)).toBe(1);
  expect([await store.samples("a"), await store.samples("b")].map(({ length }) => length)).toEqual([1, 1]);
});

function opened(path: string): Database.Database & Disposable {
  const db = new Database(path);
  return Object.assign(db, { [Symbol.dispose]: () => void db.close() });
}
