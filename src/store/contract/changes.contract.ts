import { describe, expect, test } from "vitest";
import { RollcallError } from "../../domain/errors.ts";
import type { Origin } from "../../domain/session/session.ts";
import { created, entryAdded, newEvent, replay, seen } from "../../testing/events.ts";
import { runInChild } from "../../testing/run-in-child.ts";
import type { Store } from "../store.ts";
import { append, codeOf, type MakePlace } from "./place.ts";

export function changesContract(makePlace: MakePlace): void {
  describe("a change", () => {
    test("keeps events and row together: the row is the replay of the events", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created(), { kind: "updated", phase: "planning", metadata: { a: 1 } });
      const { row, events } = await append(store, "s", { kind: "updated", error: "e" });
      expect(events.map(({ seq }) => seq)).toEqual([3]);
      expect(row).toEqual(replay(await store.events("s")));
      expect((await store.find("s"))?.row).toEqual(row);
    });

    test("is shown to nobody before it is durable", async () => {
      using place = makePlace();
      await using store = place.open();
      const written = append(store, "s", created());
      expect([await store.find("s"), (await store.feed(undefined, 1)).events]).toEqual([undefined, []]);
      await written;
      expect((await store.find("s"))?.row.seq).toBe(1);
    });

    test("is shown as a row alone, the same as with all that belongs to it", async () => {
      using place = makePlace();
      await using store = place.open();
      expect(await store.findRow("s")).toBeUndefined();
      const { row } = await append(store, "s", created());
      expect(await store.findRow("s")).toEqual(row);
    });

    test("is there for whoever opens the store afterwards", async () => {
      using place = makePlace();
      {
        await using store = place.open();
        await append(store, "s", created());
      }
      await using again = place.open();
      expect(await seqsOf(again, "s")).toEqual([1]);
    });

    test("with an event that was appended before keeps one", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const event = newEvent({ kind: "updated", error: "e" });
      await store.change("s", () => [event]);
      const { row, events } = await store.change("s", () => [event, newEvent({ kind: "updated" })]);
      expect(events.map(({ seq }) => seq)).toEqual([3]);
      expect(row).toMatchObject({ seq: 3, errorCount: 1 });
    });

    test("with the same event twice in it keeps one", async () => {
      using place = makePlace();
      await using store = place.open();
      const event = newEvent({ kind: "updated", error: "e" });
      await store.change("s", () => [newEvent(created()), event, event]);
      expect(await seqsOf(store, "s")).toEqual([1, 2]);
    });

    test("of a session that does not exist needs its creation first", async () => {
      using place = makePlace();
      await using store = place.open();
      expect(await codeOf(append(store, "s", { kind: "updated" }))).toBe("session_not_found");
      expect(await codeOf(store.change("s", () => []))).toBe("session_not_found");
      expect(await store.find("s")).toBeUndefined();
    });

    test("with an expected seq is refused unless the session stands there", async () => {
      using place = makePlace();
      await using store = place.open();
      const at = (expectedSeq: number) => store.change("s", () => [newEvent(created())], { expectedSeq });
      expect(await codeOf(at(1))).toBe("seq_conflict");
      expect(await codeOf(at(0))).toBe("done");
      expect(await codeOf(at(0))).toBe("seq_conflict");
      expect(await codeOf(at(1))).toBe("done");
    });

    test("that its caller refuses leaves no trace, and what was thrown is passed on", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const refusal = new RollcallError("finalized", "No.");
      const refuse = () => {
        throw refusal;
      };
      await expect(store.change("s", refuse)).rejects.toBe(refusal);
      await expect(store.change("t", refuse)).rejects.toBe(refusal);
      expect([
        await seqsOf(store, "s"),
        await store.find("t"),
        (await store.feed(undefined, 10)).events.length,
      ]).toEqual([[1], undefined, 1]);
    });

    test("that fails with any other exception leaves no trace either", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const broken = () => {
        throw new TypeError("broken");
      };
      await expect(store.change("s", broken)).rejects.toThrow("broken");
      expect(await seqsOf(store, "s")).toEqual([1]);
    });

    test("is told how many requests the ledger holds", async () => {
      using place = makePlace();
      await using store = place.open();
      let told = -1;
      await store.change("s", (_row, { ledger }) => {
        told = ledger.requests;
        return [newEvent(created())];
      });
      expect(told).toBe(0);
    });
  });

  describe("a name", () => {
    const named = (origin: Origin) => created({ origin, identity: { name: "n" } });
    const namesakeOf = async (store: Store, id: string, machine = "here") => {
      let found: string | undefined;
      await store.change(id, (_, { findNamesake }) => {
        found = findNamesake("n", machine);
        return [newEvent({ kind: "updated" })];
      });
      return found;
    };

    test("has a namesake in the other live session that is carried, on the same machine only", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", named("started"));
      await append(store, "other", created());
      expect(await namesakeOf(store, "s")).toBeUndefined();
      expect(await namesakeOf(store, "other")).toBe("s");
      expect(await namesakeOf(store, "other", "elsewhere")).toBeUndefined();
      await append(store, "s", seen("stopped"));
      expect(await namesakeOf(store, "other")).toBeUndefined();
    });

    test("has no namesake in a record that nobody carries", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", named("created"));
      await append(store, "other", created());
      expect(await namesakeOf(store, "other")).toBeUndefined();
    });

    test("is taken or given back for the next change of the same commit", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "a", named("started"));
      await append(store, "b", created({ origin: "started", state: "running" }));
      await append(store, "other", created());
      const [, gone] = await Promise.all([
        append(store, "a", { kind: "updated", name: "m" }),
        namesakeOf(store, "other"),
      ]);
      const [, taken] = await Promise.all([
        append(store, "b", { kind: "updated", name: "n" }),
        namesakeOf(store, "other"),
      ]);
      expect([gone, taken]).toEqual([undefined, "b"]);
    });
  });

  describe("a hundred changes at once", () => {
    test("of one session get a dense seq, each its own", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const changes = await Promise.all(range(100).map((n) => append(store, "s", entryAdded(`entry ${n}`))));
      expect(changes.map(({ events }) => events[0]?.seq)).toEqual(range(100).map((n) => n + 2));
      expect((await store.find("s"))?.row).toEqual(replay(await store.events("s")));
    });

    test("of different sessions are all kept", async () => {
      using place = makePlace();
      await using store = place.open();
      await Promise.all(range(100).map((n) => append(store, `s${n}`, created(), { kind: "updated" })));
      const { items } = await store.list({ limit: 0 });
      expect(items.map(({ row }) => row.seq)).toEqual(range(100).map(() => 2));
    });

    test("are not disturbed by one that is refused and one that breaks among them", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const results = await Promise.all(
        range(100).map((n) => {
          if (n === 50) return codeOf(store.change("s", () => [], { expectedSeq: 999 }));
          if (n === 60) return codeOf(store.change("s", () => [newEvent(null as never)]));
          return codeOf(append(store, n % 2 ? "s" : `s${n}`, created()));
        }),
      );
      expect(results.filter((code) => code !== "done")).toEqual([
        "seq_conflict",
        expect.stringMatching(/^not ours/),
      ]);
      expect(await seqsOf(store, "s")).toEqual(range(51).map((n) => n + 1));
    });

    test("by two that have the store open are all kept", async () => {
      using place = makePlace();
      await using one = place.open();
      await using two = place.open();
      await append(one, "s", created());
      await Promise.all(
        range(100).map((n) => append(n % 2 ? one : two, "s", { kind: "updated", error: "e" })),
      );
      expect((await one.find("s"))?.row).toMatchObject({ seq: 101, errorCount: 100 });
    });

    test("by four processes at once are all kept, every seq dense", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const script = (who: number) => `
        await using store = ${place.openInChild};
        const event = (n) => ({ id: "${who}-" + n, at: new Date().toISOString(), channel: null, body: { kind: "updated", error: "e" } });
        for (let n = 0; n < 50; n++) await store.change("s", () => [event(n)]);`;
      await Promise.all(range(4).map((who) => runInChild(script(who))));
      expect(await seqsOf(store, "s")).toEqual(range(201).map((n) => n + 1));
      expect((await store.find("s"))?.row.errorCount).toBe(200);
    });
  });

  describe("a store that was closed", () => {
    test("first finishes what it was asked to write", async () => {
      using place = makePlace();
      const store = place.open();
      const written = append(store, "s", created());
      await store.close();
      expect((await written).row.seq).toBe(1);
      expect(await codeOf(store.find("s"))).toBe("store_closed");
      expect(await codeOf(append(store, "s", created()))).toBe("store_closed");
    });

    test("may be closed again", async () => {
      using place = makePlace();
      const store = place.open();
      await store.close();
      await store.close();
    });
  });
}

async function seqsOf(store: Store, id: string): Promise<number[]> {
  return (await store.events(id)).map(({ seq }) => seq);
}

function range(length: number): number[] {
  return Array.from({ length }, (_, n) => n);
}
