import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { created, entryAdded, request, T1 } from "../../testing/events.ts";
import type { Store } from "../store.ts";
import { append, codeOf, count, type MakePlace } from "./place.ts";

export function safetyContract(makePlace: MakePlace): void {
  describe("verifying", () => {
    test("a store that was used in every way finds nothing", async () => {
      using place = makePlace();
      await using store = place.open();
      await use(store);
      expect(await store.verify()).toEqual({ sessions: 2, events: 8, problems: [] });
    });

    test("tells how far it is", async () => {
      using place = makePlace();
      await using store = place.open();
      await use(store);
      const told: number[][] = [];
      await store.verify((...progress) => told.push(progress));
      expect(told.at(-1)).toEqual([2, 2]);
    });
  });

  describe("a backup", () => {
    test("is a whole, verified copy in one new file, and leaves nothing else behind", async () => {
      using place = makePlace();
      await using store = place.open();
      await use(store);
      const path = place.file("backup");
      expect(await store.backup(path)).toMatchObject({
        path,
        sessions: 2,
        events: 8,
        bytes: readFileSync(path).length,
      });
      expect(readdirSync(dirname(path)).filter((name) => name.startsWith("backup"))).toEqual(["backup"]);
    });

    test("has what was asked to be written before it", async () => {
      using place = makePlace();
      await using store = place.open();
      const written = append(store, "s", created());
      expect((await store.backup(place.file("backup"))).sessions).toBe(1);
      await written;
    });

    test("never writes over a file", async () => {
      using place = makePlace();
      await using store = place.open();
      writeFileSync(place.file("backup"), "mine");
      expect(await codeOf(store.backup(place.file("backup")))).toBe("bad_input");
      expect(readFileSync(place.file("backup"), "utf8")).toBe("mine");
    });

    test("into a folder that is not there fails with a code and leaves the store at work", async () => {
      using place = makePlace();
      await using store = place.open();
      expect(await codeOf(store.backup(place.file("no/such/backup")))).toBe("store_unreadable");
      expect(existsSync(place.file("no"))).toBe(false);
      expect(await codeOf(append(store, "s", created()))).toBe("done");
    });
  });

  describe("the size", () => {
    test("counts bytes, sessions and events", async () => {
      using place = makePlace();
      await using store = place.open();
      await use(store);
      expect(store.statistics().size()).toEqual({ bytes: expect.any(Number), sessions: 2, events: 8 });
    });
  });
}

async function use(store: Store): Promise<void> {
  await append(store, "a", created(), entryAdded("x"), { kind: "updated", phase: "planning", error: "e" });
  await append(store, "b", created({ hasFile: true }), { kind: "updated", metadata: { a: 1 } });
  await append(store, "gone", created());
  await count(store, "a", [request("1"), request("2")]);
  await count(store, "a", [request("1", { tokensInput: null })]);
  await store.observe([{ sessionId: "a", observed: { attached: true } }]);
  await store.remove(["gone"], T1);
}
