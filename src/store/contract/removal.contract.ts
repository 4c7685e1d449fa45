import { describe, expect, test } from "vitest";
import { created, entryAdded, request, T1 } from "../../testing/events.ts";
import { append, count, type MakePlace, sessionAt } from "./place.ts";

const AT_START = { byteOffset: 0, file: null, memory: null };

export function removalContract(makePlace: MakePlace): void {
  describe("a removal", () => {
    test("takes everything that belongs to the session, and nothing of others", async () => {
      using place = makePlace();
      await using store = place.open();
      for (const id of ["a", "b"]) {
        await append(store, id, created(), entryAdded("x"));
        await count(store, id, [request("r")]);
        await store.change(id, () => ({ events: [], cursors: [{ source: "t", ...AT_START }] }));
      }
      expect(await store.remove(["a", "unknown"], T1)).toEqual(["a"]);
      expect([await store.findCursor("a", "t"), await store.findCursor("b", "t")]).toEqual([
        undefined,
        { source: "t", ...AT_START },
      ]);
      expect([
        await store.find("a"),
        await store.events("a"),
        await store.usageOf("a"),
        await store.samples("a"),
      ]).toEqual([undefined, [], [], []]);
      expect([(await store.events("b")).length, (await store.usageOf("b")).length]).toEqual([3, 1]);
      expect((await store.verify()).problems).toEqual([]);
    });

    test("asks about the row as it is at that moment", async () => {
      using place = makePlace();
      await using store = place.open();
      await sessionAt(store, "a", 0);
      await sessionAt(store, "b", 0);
      const revived = append(store, "a", { kind: "updated", phase: "planning" });
      const removed = store.remove(["a", "b"], T1, ({ phase }) => phase === "initializing");
      expect([await removed, (await revived).row.seq]).toEqual([["b"], 2]);
    });

    test("in one commit with changes before and after it keeps their order", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "a", created());
      const before = append(store, "a", entryAdded("old"));
      const removed = store.remove(["a"], T1);
      const after = append(store, "a", created(), entryAdded("new"));
      await Promise.all([before, removed, after]);
      expect((await store.entries("a")).map(({ seq, text }) => [seq, text])).toEqual([[2, "new"]]);
      expect((await store.verify()).problems).toEqual([]);
    });

    test("leaves a tombstone, by id and by native id", async () => {
      using place = makePlace();
      await using store = place.open();
      await sessionAt(store, "a", 0, { identity: { agentType: "codex", nativeId: "n" } });
      expect(await store.isTombstone({ sessionId: "a" })).toBe(false);
      await store.remove(["a"], T1);
      expect(await store.isTombstone({ sessionId: "a" })).toBe(true);
      expect(await store.isTombstone({ agentType: "codex", nativeId: "n" })).toBe(true);
      expect(await store.isTombstone({ agentType: "claude", nativeId: "n" })).toBe(false);
    });

    test("lets the id be used again, and the tombstone goes", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "a", created(), entryAdded("old"));
      await store.remove(["a"], T1);
      const { row } = await append(store, "a", created());
      expect([row.seq, await store.entries("a"), await store.isTombstone({ sessionId: "a" })]).toEqual([
        1,
        [],
        false,
      ]);
    });
  });

  describe("record files", () => {
    test("lag behind until they are published, and again after each change", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created({ hasFile: true }));
      await append(store, "none", created());
      expect(await store.laggingFiles("here", 10)).toEqual(["s"]);
      expect(await store.laggingFiles("there", 10)).toEqual([]);
      await store.publishFile("s", 1, () => {});
      expect(await store.laggingFiles("here", 10)).toEqual([]);
      await append(store, "s", { kind: "updated" });
      expect(await store.laggingFiles("here", 10)).toEqual(["s"]);
    });

    test("that lag are told of the newest session first", async () => {
      using place = makePlace();
      await using store = place.open();
      for (const id of ["a", "b", "c"]) await append(store, id, created({ hasFile: true }));
      expect(await store.laggingFiles("here", 2)).toEqual(["c", "b"]);
    });

    test("that lag are told of without those that a daemon carries, where it is asked for so", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "carried", created({ hasFile: true, origin: "started" }));
      await append(store, "ended", created({ hasFile: true, origin: "started", state: "unknown" }));
      await append(store, "own", created({ hasFile: true }));
      expect(await store.laggingFiles("here", 10)).toEqual(["own", "ended", "carried"]);
      expect(await store.laggingFiles("here", 10, { isCarried: false })).toEqual(["own", "ended"]);
    });

    test("lag behind when the usage grew", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created({ hasFile: true }));
      await store.publishFile("s", 1, () => {});
      await count(store, "s", [request("r")]);
      expect(await store.laggingFiles("here", 10)).toEqual(["s"]);
    });

    test("go only forward", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created({ hasFile: true }), { kind: "updated" });
      const published: number[] = [];
      for (const seq of [2, 1, 2]) await store.publishFile("s", seq, () => published.push(seq));
      expect(published).toEqual([2, 2]);
      expect(await store.publishFile("gone", 1, () => published.push(0))).toBe(false);
    });

    test("that could not be published still lag", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created({ hasFile: true }));
      const fail = () => {
        throw new Error("no room");
      };
      await expect(store.publishFile("s", 1, fail)).rejects.toThrow("no room");
      expect(await store.laggingFiles("here", 10)).toEqual(["s"]);
    });
  });
}
