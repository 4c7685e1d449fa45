import { setImmediate as turn } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { created, entryAdded, T1 } from "../../testing/events.ts";
import { type SqlitePlace, sqlitePlace } from "../../testing/sqlite-place.ts";
import { append } from "../contract/place.ts";
import type { Store } from "../store.ts";

const ENTRIES = 16_000;

test("a large session is gone at once, and its events in steps between which others can write", async () => {
  using place = sqlitePlace();
  await using store = place.open();
  await fill(store);
  using watcher = watch(place);
  const removed = store.remove(["large"], T1);
  const counts = await countsUntil(watcher, removed);
  expect(await removed).toEqual(["large"]);
  // Nobody waits for more than one step, and there are several.
  expect(new Set(counts).size).toBeGreaterThan(3);
  expect(await store.find("large")).toBeUndefined();
  expect([watcher.events(), (await store.search({ text: "word", limit: 5 })).items]).toEqual([0, []]);
  expect((await store.verify()).problems).toEqual([]);
});

test("a removal that was interrupted shows nothing, is no damage, and is caught up with by the next", async () => {
  using place = sqlitePlace();
  using watcher = watch(place);
  {
    await using store = place.open();
    await fill(store);
    const removed = store.remove(["large"], T1).catch(() => "interrupted");
    await turn();
    await store.close();
    expect(await removed).toBe("interrupted");
  }
  expect(watcher.events()).toBeGreaterThan(1000);
  await using store = place.open();
  expect((await store.verify()).problems).toEqual([]);
  expect([await store.find("large"), await store.events("large")]).toEqual([undefined, []]);
  expect((await store.search({ text: "word", limit: 5 })).items).toEqual([]);
  expect(
    (await store.feed(undefined, 100_000)).events.map(({ sessionId, body }) => [sessionId, body.kind]),
  ).toEqual([
    ["other", "created"],
    ["large", "deleted"],
  ]);
  await append(store, "large", created());
  await store.remove(["other"], T1);
  expect(watcher.events()).toBe(0);
  expect((await store.verify()).problems).toEqual([]);
});

test("many small sessions are removed in steps, too", async () => {
  using place = sqlitePlace();
  await using store = place.open();
  const ids = Array.from({ length: 4 }, (_, n) => `s-${n}`);
  for (const id of ids) await fillOne(store, id, 2000);
  using watcher = watch(place);
  const removed = store.remove(ids, T1);
  expect(new Set(await countsUntil(watcher, removed)).size).toBeGreaterThan(1);
  expect([await removed, watcher.events()]).toEqual([ids, 0]);
});

async function fill(store: Store): Promise<void> {
  await append(store, "other", created());
  await fillOne(store, "large", ENTRIES);
}

async function fillOne(store: Store, id: string, entries: number): Promise<void> {
  await append(store, id, created());
  await append(store, id, ...Array.from({ length: entries }, (_, n) => entryAdded(`word ${n}`)));
}

/** Another connection, which sees commits alone: events of sessions that are gone. */
function watch({ path }: SqlitePlace): Disposable & { readonly events: () => number } {
  let db: Database.Database | undefined;
  const sql =
    "SELECT count(*) FROM events WHERE kind <> 'deleted' AND session NOT IN (SELECT no FROM sessions)";
  return {
    events: () => {
      db ??= new Database(path);
      return db.prepare(sql).pluck().get() as number;
    },
    [Symbol.dispose]: () => db?.close(),
  };
}

async function countsUntil(
  watcher: { readonly events: () => number },
  done: Promise<unknown>,
): Promise<number[]> {
  const counts: number[] = [];
  let isDone = false;
  void done.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    counts.push(watcher.events());
    await turn();
  }
  return counts;
}
