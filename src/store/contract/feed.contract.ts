import { describe, expect, test } from "vitest";
import { created, entryAdded, newEvent, T0, T1 } from "../../testing/events.ts";
import { runInChild } from "../../testing/run-in-child.ts";
import type { FeedFilter, Store } from "../store.ts";
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
      expect(
        (await store.feed(before, 10)).events.map(({ sessionId, body }) => [sessionId, body.kind]),
      ).toEqual([
        ["b", "deleted"],
        ["c", "created"],
      ]);
    });

    test("goes on after a cursor, a page at a time, without gaps", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "a", created(), { kind: "updated" }, { kind: "updated" });
      const { events, cursor } = await store.feed(undefined, 2);
      const [first, second] = events;
      expect((await store.feed(first?.cursor, 1)).events).toEqual([second]);
      expect(cursor).toBe(second?.cursor);
      expect((await store.feed(cursor, 10)).events).toHaveLength(1);
    });

    test("ends at the cursor behind which nothing was committed", async () => {
      using place = makePlace();
      await using store = place.open();
      expect(await store.feed(await store.feedEnd(), 10)).toMatchObject({ events: [], isEnd: true });
      await append(store, "a", created());
      const end = await store.feedEnd();
      expect(await store.feed(end, 10)).toEqual({ events: [], cursor: end, isEnd: true });
      await append(store, "a", { kind: "updated" });
      expect((await store.feed(end, 10)).events).toMatchObject([{ sessionId: "a", seq: 2 }]);
    });

    test("refuses a cursor that is none", async () => {
      using place = makePlace();
      await using store = place.open();
      for (const cursor of ["soon", "-1", "NaN"])
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
      const {
        events: [deleted],
      } = await store.feed(before, 10);
      expect(deleted).toMatchObject({ sessionId: "a", at: T1, body: { kind: "deleted" } });
    });

    test("keeps the cursors of others valid after a removal", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "a", created());
      const end = await store.feedEnd();
      await store.remove(["a"], T1);
      await append(store, "a", created());
      expect((await store.feed(end, 10)).events.map(({ body }) => body.kind)).toEqual(["deleted", "created"]);
    });
  });

  describe("the feed with a filter", () => {
    const FILTERS: readonly (readonly [string, FeedFilter, readonly string[]])[] = [
      ["nothing", {}, ["a 1 created", "i 1 created", "i 2 entry_added", "a 2 entry_added", "gone - deleted"]],
      ["kinds", { only: { kinds: ["entry_added"] } }, ["i 2 entry_added", "a 2 entry_added"]],
      ["removals", { only: { kinds: ["deleted"] } }, ["gone - deleted"]],
      [
        "origins, and never loses a removal by one",
        { only: { origins: ["created", "observed"] } },
        ["a 1 created", "a 2 entry_added", "gone - deleted"],
      ],
      ["kinds of origins", { only: { kinds: ["created"], origins: ["imported"] } }, ["i 1 created"]],
      [
        "all but kinds of origins",
        { except: { kinds: ["entry_added"], origins: ["imported"] } },
        ["a 1 created", "i 1 created", "a 2 entry_added", "gone - deleted"],
      ],
      [
        "all but origins",
        { except: { origins: ["imported"] } },
        ["a 1 created", "a 2 entry_added", "gone - deleted"],
      ],
      ["all but kinds", { except: { kinds: ["entry_added", "deleted"] } }, ["a 1 created", "i 1 created"]],
      [
        "kinds but not of origins",
        { only: { kinds: ["created"] }, except: { origins: ["created"] } },
        ["i 1 created"],
      ],
    ];

    test.each(FILTERS)("has %s", async (_what, filter, expected) => {
      using place = makePlace();
      await using store = place.open();
      await fillFeed(store);
      expect(await feedOf(store, filter)).toEqual(expected);
    });

    test("gives a cursor behind what it left out", async () => {
      using place = makePlace();
      await using store = place.open();
      await fillFeed(store);
      const filter: FeedFilter = { only: { kinds: ["created"] } };
      const page = await store.feed(undefined, 10, filter);
      expect(page).toMatchObject({ cursor: await store.feedEnd(), isEnd: true });
      await append(store, "late", created());
      const late = await store.feed(page.cursor, 10, filter);
      expect(late.events.map(({ sessionId }) => sessionId)).toEqual(["late"]);
    });

    test("goes on a page at a time", async () => {
      using place = makePlace();
      await using store = place.open();
      await fillFeed(store);
      const filter: FeedFilter = { only: { kinds: ["created"] } };
      const first = await store.feed(undefined, 1, filter);
      const second = await store.feed(first.cursor, 1, filter);
      const third = await store.feed(second.cursor, 1, filter);
      const pages = [first, second, third].map(({ events, isEnd }) => [events[0]?.sessionId, isEnd]);
      expect(pages).toEqual([
        ["a", false],
        ["i", false],
        [undefined, true],
      ]);
    });

    test("reaches the end over very many events that it leaves out, in bounded steps", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "i", created({ origin: "imported" }));
      const entries = Array.from({ length: 30_000 }, (_, n) => newEvent(entryAdded(`entry ${n}`)));
      await store.change("i", () => entries);
      await append(store, "a", created());
      const filter: FeedFilter = { except: { origins: ["imported"] } };
      const seen: string[] = [];
      let [cursor, calls, isEnd]: [string | undefined, number, boolean] = [undefined, 0, false];
      for (; !isEnd && calls < 10; calls++) {
        const page = await store.feed(cursor, 10, filter);
        seen.push(...page.events.map(({ sessionId }) => sessionId));
        ({ cursor, isEnd } = page);
      }
      expect([seen, calls > 1]).toEqual([["a"], true]);
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

async function fillFeed(store: Store): Promise<void> {
  await append(store, "gone", created());
  await append(store, "a", created());
  await append(store, "i", created({ origin: "imported" }), entryAdded("old"));
  await append(store, "a", entryAdded("new"));
  await store.remove(["gone"], T1);
}

async function feedOf(store: Store, filter?: FeedFilter): Promise<string[]> {
  const { events } = await store.feed(undefined, 100, filter);
  return events.map((event) => `${event.sessionId} ${"seq" in event ? event.seq : "-"} ${event.body.kind}`);
}
