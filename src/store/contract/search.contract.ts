import { describe, expect, test } from "vitest";
import { created, entryAdded, T1 } from "../../testing/events.ts";
import type { Store } from "../store.ts";
import { append, codeOf, type MakePlace } from "./place.ts";

const TEXTS = {
  fox: "The quick brown fox jumps",
  cafe: "Un café crème à Montréal",
  words: "either OR neither NEAR here NOT there AND everywhere",
  quotes: `she said "stop it" and left`,
  code: "call run_tests(path='src/main.ts')",
};

/** Queries, and the texts that they find. */
const QUERIES: readonly (readonly [string, (keyof typeof TEXTS)[]])[] = [
  ["fox", ["fox"]],
  ["FOX Quick", ["fox"]],
  ["fox crème", []],
  ['"quick brown"', ["fox"]],
  ['"brown quick"', []],
  ["jum*", ["fox"]],
  ["jum", []],
  ["cafe creme", ["cafe"]],
  ["Montreal", ["cafe"]],
  ["MONTRÉAL", ["cafe"]],
  ["fox OR cafe", []],
  ["either OR neither", ["words"]],
  ["here NOT there", ["words"]],
  ["NEAR(here there)", ["words"]],
  ["text:fox", []],
  ["fox -jumps", ["fox"]],
  ["^quick", ["fox"]],
  ["{fox}", ["fox"]],
  ['say "stop it', []],
  ['"stop it"', ["quotes"]],
  ["fox'); DROP TABLE events; --", []],
  ["run_tests", ["code"]],
  ["src/main.ts", ["code"]],
  ["fo\u0000x", []],
];

export function searchContract(makePlace: MakePlace): void {
  describe("a search", () => {
    test.each(QUERIES)("for %j finds what has all of its words", async (text, found) => {
      using place = makePlace();
      await using store = place.open();
      for (const [id, body] of Object.entries(TEXTS)) await append(store, id, created(), entryAdded(body));
      expect((await hits(store, text)).map(({ sessionId }) => sessionId)).toEqual(found);
    });

    test.each(["", "   ", "*", '""', "'", "-- ()"])("for %j is refused, for it has no word", async (text) => {
      using place = makePlace();
      await using store = place.open();
      expect(await codeOf(store.search({ text, limit: 1 }))).toBe("bad_input");
    });

    test("tells where it found an entry, with the words around", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created(), entryAdded(`${"before ".repeat(30)}needle ${"after ".repeat(30)}`));
      expect(await hits(store, "needle")).toMatchObject([
        {
          sessionId: "s",
          seq: 2,
          role: "assistant",
          kind: "text",
          excerpt: expect.stringMatching(/^….*needle.*…$/),
        },
      ]);
    });

    test("finds what went into a tool and came out of it", async () => {
      using place = makePlace();
      await using store = place.open();
      const tool = { name: "grep", params: { pattern: "zebra" }, result: { lines: ["giraffe"] } };
      await append(store, "s", created(), entryAdded("", { kind: "tool_call", tool }));
      for (const word of ["grep", "zebra", "giraffe"]) expect(await hits(store, word)).toHaveLength(1);
    });

    test("finds what a session says of itself, as it says it now", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created({ identity: { name: "walrus", goal: "count penguins" } }));
      expect(await hits(store, "penguins")).toMatchObject([{ sessionId: "s", seq: null, kind: "session" }]);
      await append(store, "s", { kind: "updated", name: "otter", error: "lost a fish" });
      expect(
        [await hits(store, "walrus"), await hits(store, "otter"), await hits(store, "fish")].map(
          (found) => found.length,
        ),
      ).toEqual([0, 1, 1]);
    });

    test("pages by cursor without gaps or repeats", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created(), ...Array.from({ length: 5 }, () => entryAdded("same words")));
      const seqs: (number | null)[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.search({
          text: "same",
          limit: 2,
          ...(cursor === undefined ? {} : { cursor }),
        });
        seqs.push(...page.items.map(({ seq }) => seq));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(seqs.toSorted()).toEqual([2, 3, 4, 5, 6]);
    });

    test("no longer finds what was removed, and finds what came after under the same id", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created({ identity: { goal: "penguins" } }), entryAdded("needle"));
      await store.remove(["s"], T1);
      expect([await hits(store, "needle"), await hits(store, "penguins")]).toEqual([[], []]);
      await append(store, "s", created(), entryAdded("thread"));
      expect([(await hits(store, "needle")).length, (await hits(store, "thread")).length]).toEqual([0, 1]);
    });
  });
}

async function hits(store: Store, text: string) {
  return (await store.search({ text, limit: 10 })).items;
}
