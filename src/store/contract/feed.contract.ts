import { describe, expect, test } from "vitest";
import { created, entryAdded, newEvent, T0, T1 } from "../../testing/events.ts";
import { runInChild } from "../../testing/run-in-child.ts";
import type { Store } from "../store.ts";
import { append, codeOf, type MakePlace } from "./place.ts";

export function feedContract(makePlace: MakePlace): void {
  describe("the feed", () => {
    test("has every event in the order of commits, across sessions", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "a", created());
      await append(store, "b", created());
      await append(store, "a", { kind: "updated" });
      expect(await feedOf(store)).toEqual(["a 1 created", "b 1 created", "a 2 updated"]);
    });

    test("never gives a place again that an event of a removed session had", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "a", created());
      await append(store, "b", created(), { kind: "updated" });
      const before = await store.feedEnd();
      await store.remove(["b"], T1);
      await append(store, "c", created());
      expect((await store.feed(before, 10)).map(({ sessionId, body }) => [sessionId, body.kind])).toEqual([
        ["b", "deleted"],
        ["c", "created"],
      ]);
    });

    test("goes on after a cursor, a page at a time, without gaps", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "a", created(), { kind: "updated" }, { kind: "updated" });
      const [first, second] = await store.feed(undefined, 2);
      expect(await store.feed(first?.cursor, 1)).toEqual([second]);
      expect(await store.feed(second?.cursor, 10)).toHaveLength(1);
    });

    test("ends at the cursor behind which nothing was committed", async () => {
      using place = makePlace();
      await using store = place.open();
      expect(await store.feed(await store.feedEnd(), 10)).toEqual([]);
      await append(store, "a", created());
      const end = await store.feedEnd();
      expect(await store.feed(end, 10)).toEqual([]);
      await append(store, "a", { kind: "updated" });
      expect(await store.feed(end, 10)).toMatchObject([{ sessionId: "a", seq: 2 }]);
    });

    test("refuses a cursor that is none", async () => {
      using place = makePlace();
      await using store = place.open();
      for (const cursor of ["soon", "-1", "1.5", "NaN"])
        expect(await codeOf(store.feed(cursor, 1))).toBe("bad_input");
    });

    test("tells of a removal, and no longer of what was removed", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "a", created(), entryAdded("hello"));
      await append(store, "b", created());
      const before = await store.feedEnd();
      await store.remove(["a"], T1);
      expect(await feedOf(store)).toEqual(["b 1 created", "a - deleted"]);
      const [deleted] = await store.feed(before, 10);
      expect(deleted).toMatchObject({ sessionId: "a", at: T1, body: { kind: "deleted" } });
    });

    test("keeps the cursors of others valid after a removal", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "a", created());
      const end = await store.feedEnd();
      await store.remove(["a"], T1);
      await append(store, "a", created());
      expect((await store.feed(end, 10)).map(({ body }) => body.kind)).toEqual(["deleted", "created"]);
    });
  });

  describe("listening", () => {
    test("rings after a commit in this process", async () => {
      using place = makePlace();
      await using store = place.open();
      const rung = ringOf(store);
      await append(store, "a", created());
      await rung;
    });

    test("rings after a commit by another that has the store open", async () => {
      using place = makePlace();
      await using listener = place.open();
      await using writer = place.open();
      const rung = ringOf(listener);
      await append(writer, "a", created());
      await rung;
      expect(await feedOf(listener)).toEqual(["a 1 created"]);
    });

    test("rings after a commit by another process", async () => {
      using place = makePlace();
      await using store = place.open();
      const rung = ringOf(store);
      const event = JSON.stringify(newEvent(created(), T0));
      await runInChild(
        `await using store = ${place.openInChild}; await store.change("a", () => [${event}]);`,
      );
      await rung;
      expect(await feedOf(store)).toEqual(["a 1 created"]);
    });

    test("stops when it is disposed of", async () => {
      using place = makePlace();
      await using store = place.open();
      let rings = 0;
      store.listen(() => rings++)[Symbol.dispose]();
      const rung = ringOf(store);
      await append(store, "a", created());
      await rung;
      expect(rings).toBe(0);
    });
  });
}

/** Resolves with the first ring and listens no longer. */
function ringOf(store: Store): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listening = store.listen(resolve);
  return promise.finally(() => listening[Symbol.dispose]());
}

async function feedOf(store: Store): Promise<string[]> {
  const events = await store.feed(undefined, 100);
  return events.map((event) => `${event.sessionId} ${"seq" in event ? event.seq : "-"} ${event.body.kind}`);
}
