import { describe, expect, test } from "vitest";
import { created, entryAdded, newEvent } from "../../testing/events.ts";
import type { RangeQuery, Store } from "../store.ts";
import { append, type MakePlace } from "./place.ts";

/** The expected seqs of each range, out of 1 to 10. */
const RANGES: readonly (readonly [RangeQuery, number[]])[] = [
  [{}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  [{ after: 7 }, [8, 9, 10]],
  [{ before: 3 }, [1, 2]],
  [{ after: 3, before: 6 }, [4, 5]],
  [{ limit: 2 }, [1, 2]],
  [{ limit: 0 }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  [{ after: 4, limit: 2 }, [5, 6]],
  [{ tail: true, limit: 3 }, [8, 9, 10]],
  [{ tail: true, limit: 3, before: 8 }, [5, 6, 7]],
  [{ tail: true, limit: 3, after: 8 }, [9, 10]],
  [{ after: 10 }, []],
];

export function rangesContract(makePlace: MakePlace): void {
  describe("events and entries", () => {
    test.each(RANGES)("of the range %o are in order", async (query, seqs) => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created(), ...Array.from({ length: 9 }, (_, n) => entryAdded(`${n}`)));
      await append(store, "other", created(), entryAdded("not mine"));
      expect((await store.events("s", query)).map(({ seq }) => seq)).toEqual(seqs);
    });

    test("are found by their id, of whatever session, until it is removed", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const { events } = await append(store, "other", created(), entryAdded("mine"));
      const event = events[1];
      expect(await store.findEvent(event?.id ?? "")).toEqual(event);
      expect(await store.findEvent("nobody's")).toBeUndefined();
      await store.remove(["other"], "2026-01-01T00:00:00.000Z");
      expect(await store.findEvent(event?.id ?? "")).toBeUndefined();
    });

    test("come back whole, with their places", async () => {
      using place = makePlace();
      await using store = place.open();
      const tool = {
        name: "t",
        callId: "c",
        params: { a_b: [1] },
        result: null,
        governanceResult: { ok: true },
      };
      const entry = entryAdded("é\n\u0000🙂", { tool, name: "n", toolCalls: [{ cD: 1 }] });
      const { events } = await append(store, "s", created(), entry);
      expect(await store.events("s")).toEqual(events);
      expect(await store.entries("s")).toEqual([
        {
          seq: 2,
          at: events[1]?.at,
          role: "assistant",
          kind: "text",
          text: "é\n\u0000🙂",
          tool,
          name: "n",
          toolCalls: [{ cD: 1 }],
        },
      ]);
    });

    test("of the transcript leave other events out, and their tail ends with the last", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(
        store,
        "s",
        created(),
        entryAdded("a"),
        { kind: "updated" },
        entryAdded("b"),
        entryAdded("c"),
      );
      expect((await store.entries("s")).map(({ seq }) => seq)).toEqual([2, 4, 5]);
      expect((await store.entries("s", { tail: true, limit: 2 })).map(({ text }) => text)).toEqual([
        "b",
        "c",
      ]);
      expect((await store.entries("s", { tail: true, limit: 1, before: 5 })).map(({ text }) => text)).toEqual(
        ["b"],
      );
    });

    test("of the transcript leave out what was taken back, unless they are asked for", async () => {
      using place = makePlace();
      await using store = place.open();
      const [a, b, c] = [entryAdded("a"), entryAdded("b"), entryAdded("c")];
      const { events } = await append(store, "s", created(), a, b, c);
      const since = events[2]?.id ?? "";
      const { row, events: told } = await append(store, "s", { kind: "rewound", since }, entryAdded("d"));
      expect(told[0]).toMatchObject({ seq: 5, body: { since, fromSeq: 3 } });
      expect(row.rewound).toEqual([{ from: 3, to: 5 }]);
      const texts = async (query = {}) => (await store.entries("s", query)).map(({ text }) => text);
      expect(await texts()).toEqual(["a", "d"]);
      expect(await texts({ tail: true, limit: 2 })).toEqual(["a", "d"]);
      const marked = await store.entries("s", { withRewound: true });
      expect(marked.map(({ text, isRewound }) => [text, isRewound])).toEqual([
        ...[
          ["a", undefined],
          ["b", true],
          ["c", true],
          ["d", undefined],
        ],
      ]);
      const hits = async (withRewound: boolean) =>
        (await store.search({ text: "b", limit: 5, withRewound })).items.map(({ seq }) => seq);
      expect([await hits(false), await hits(true)]).toEqual([[], [3]]);
    });

    test("take nothing back for an event that is not the session's", async () => {
      using place = makePlace();
      await using store = place.open();
      const { events } = await append(store, "other", created(), entryAdded("x"));
      await append(store, "s", created(), entryAdded("a"));
      for (const since of [events[1]?.id ?? "", "nothing"]) {
        const { row } = await append(store, "s", { kind: "rewound", since });
        expect(row.rewound).toBeUndefined();
      }
      expect((await store.entries("s")).map(({ text }) => text)).toEqual(["a"]);
    });

    test("of a session that does not exist are none", async () => {
      using place = makePlace();
      await using store = place.open();
      expect([await store.events("s"), await store.entries("s")]).toEqual([[], []]);
    });

    test("of 100,000 are read by cursor, a page at a time, without gaps", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      for (let batch = 0; batch < 100; batch++)
        await store.change("s", () => Array.from({ length: 1000 }, () => newEvent({ kind: "updated" })));
      let next = 1;
      for await (const { seq } of pagesOf(store)) expect(seq).toBe(next++);
      expect(next).toBe(100_002);
    });
  });
}

async function* pagesOf(store: Store) {
  let after = 0;
  for (;;) {
    const page = await store.events("s", { after });
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    expect(page.length).toBeLessThanOrEqual(1000);
    after = last.seq;
  }
}
