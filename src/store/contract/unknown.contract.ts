import { describe, expect, test } from "vitest";
import type { NewUnknownRecord } from "../../domain/transcript/unknown-record.ts";
import { created } from "../../testing/events.ts";
import { append, type MakePlace } from "./place.ts";

export function unknownContract(makePlace: MakePlace): void {
  describe("an unknown record", () => {
    test("is kept once for its key, in the order in which it was read, and read a page at a time", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await append(store, "t", created());
      await store.change("s", () => ({ events: [], unknown: [recordAt("b"), recordAt("a")] }));
      await store.change("s", () => ({ events: [], unknown: [recordAt("b"), recordAt("c")] }));
      await store.change("t", () => ({ events: [], unknown: [recordAt("a")] }));
      const kept = await store.unknownRecords("s");
      expect(kept.map(({ key }) => key)).toEqual(["b", "a", "c"]);
      expect(kept[0]).toMatchObject({ type: "new", text: '{"place":"b"}', isWhole: true });
      const [first] = await store.unknownRecords("s", { limit: 1 });
      const rest = await store.unknownRecords("s", { after: first?.no ?? 0 });
      expect(rest.map(({ key }) => key)).toEqual(["a", "c"]);
      expect(await store.unknownRecords("none")).toEqual([]);
    });

    test("is cut where it is long, and says so", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const long = { key: "a", type: "new", record: { text: "x".repeat(1_000_000) } };
      await store.change("s", () => ({ events: [], unknown: [long] }));
      const [kept] = await store.unknownRecords("s");
      expect([kept?.isWhole, kept?.text.length]).toEqual([false, 64 * 1024]);
      expect((await store.verify()).problems).toEqual([]);
    });

    test("goes with its session", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await store.change("s", () => ({ events: [], unknown: [recordAt("a")] }));
      await store.remove(["s"], "2026-01-01T00:00:00.000Z");
      await append(store, "s", created());
      expect(await store.unknownRecords("s")).toEqual([]);
    });
  });
}

function recordAt(place: string): NewUnknownRecord {
  return { key: place, type: "new", record: { place } };
}
