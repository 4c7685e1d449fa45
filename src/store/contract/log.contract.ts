import { describe, expect, test } from "vitest";
import { created, entryAdded, newEvent, request, T1 } from "../../testing/events.ts";
import type { Store } from "../store.ts";
import { append, count, type MakePlace } from "./place.ts";

export function logContract(makePlace: MakePlace): void {
  describe("the log", () => {
    test("has one random id, whoever asks for it and however often", async () => {
      using place = makePlace();
      using elsewhere = makePlace();
      await using store = place.open();
      await using same = place.open();
      await using other = elsewhere.open();
      const [{ logId }, again] = await Promise.all([store.log(), same.log()]);
      expect(logId).toMatch(/^[0-9a-f]{32}$/);
      expect(again.logId).toBe(logId);
      expect((await other.log()).logId).not.toBe(logId);
    });

    test("belongs to the machine that claimed it, and stays the same when it claims it again", async () => {
      using place = makePlace();
      await using store = place.open();
      const before = await store.log();
      const claimed = await store.claim("machine-a");
      expect(claimed).toEqual({ ...before, machineId: "machine-a" });
      expect([await store.claim("machine-a"), await store.log()]).toEqual([claimed, claimed]);
    });

    test("begins anew when another machine claims it", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const first = await store.claim("machine-a");
      const second = await store.claim("machine-b");
      expect(second).toEqual({ ...first, logId: second.logId, machineId: "machine-b" });
      expect(second.logId).not.toBe(first.logId);
      expect((await store.verify()).problems).toEqual([]);
    });
  });

  describe("changes", () => {
    test("name each session once, as it is now, in the order of the last writes", async () => {
      using place = makePlace();
      await using store = place.open();
      for (const id of ["a", "b", "c"]) await append(store, id, created());
      await append(store, "a", { kind: "updated", phase: "planning" });
      const changed = await store.changedSessions(0, 10);
      expect(changed.map(({ sessionId }) => sessionId)).toEqual(["b", "c", "a"]);
      expect(changed.at(-1)?.stored).toEqual(await store.find("a"));
      expect(changed.at(-1)?.changed).toBe((await store.log()).changed);
    });

    test("go on after a number, a page at a time, and end where nothing was written since", async () => {
      using place = makePlace();
      await using store = place.open();
      for (const id of ["a", "b", "c"]) await append(store, id, created());
      const [first, second] = await store.changedSessions(0, 2);
      const rest = await store.changedSessions(second?.changed ?? 0, 2);
      expect([first, second, ...rest].map((one) => one?.sessionId)).toEqual(["a", "b", "c"]);
      expect(await store.changedSessions((await store.log()).changed, 2)).toEqual([]);
    });

    test.each<[string, (store: Store) => Promise<unknown>]>([
      ["an event", (store) => append(store, "s", { kind: "updated" })],
      ["an entry", (store) => append(store, "s", entryAdded("x"))],
      ["usage", (store) => count(store, "s", [request("r")])],
      [
        "a change of what is looked for",
        (store) => append(store, "s", { kind: "updated", name: "n", phase: "planning" }),
      ],
    ])("are made by %s", async (_what, write) => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await append(store, "other", created());
      const { changed } = await store.log();
      await write(store);
      expect((await store.changedSessions(changed, 10)).map(({ sessionId }) => sessionId)).toEqual(["s"]);
    });

    test("are not made by what a power cut may take, nor by a cursor, a known event or a known request", async () => {
      using place = makePlace();
      await using store = place.open();
      const event = newEvent({ kind: "updated" });
      await store.change("s", () => ({ events: [newEvent(created()), event], usage: [request("r")] }));
      const { changed } = await store.log();
      await store.observe([{ sessionId: "s", observed: { attached: true } }]);
      const cursors = [{ source: "t", byteOffset: 1, file: null, memory: null }];
      await store.change("s", () => ({ events: [event], usage: [request("r")], cursors }));
      expect((await store.log()).changed).toBe(changed);
    });

    test("of requests count with the same numbers as those of sessions", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await count(store, "s", [request("a"), request("b")]);
      await count(store, "s", [request("a", { tokensOutput: 9 })]);
      const requests = await store.changedRequests(0, 10);
      const sessions = await store.changedSessions(0, 10);
      expect(requests.map(({ sessionId, request: { requestKey } }) => [sessionId, requestKey])).toEqual([
        ["s", "b"],
        ["s", "a"],
      ]);
      expect(requests.at(-1)?.request).toEqual(request("a", { tokensOutput: 9 }));
      const numbers = [...requests, ...sessions].map(({ changed }) => changed);
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(Math.max(...numbers)).toBe((await store.log()).changed);
      const [{ changed: after } = { changed: 0 }] = requests;
      expect(
        (await store.changedRequests(after, 10)).map(({ request: { requestKey } }) => requestKey),
      ).toEqual(["a"]);
    });

    test("never get a number again that a removed session had", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "a", created());
      await append(store, "b", created());
      await count(store, "b", [request("r")]);
      const { changed } = await store.log();
      await store.remove(["b"], T1);
      expect((await store.log()).changed).toBe(changed);
      await append(store, "a", { kind: "updated" });
      expect((await store.changedSessions(changed, 10)).map(({ sessionId }) => sessionId)).toEqual(["a"]);
      expect(await store.changedRequests(0, 10)).toEqual([]);
    });

    test("by two that have the store open at once are all found, each once", async () => {
      using place = makePlace();
      await using one = place.open();
      await using two = place.open();
      const ids = Array.from({ length: 40 }, (_, n) => `s${n}`);
      await Promise.all(ids.map((id, n) => append(n % 2 ? one : two, id, created())));
      const changed = await one.changedSessions(0, 100);
      expect(changed.map(({ sessionId }) => sessionId).sort()).toEqual(ids.sort());
    });
  });
}
