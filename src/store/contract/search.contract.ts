import { describe, expect, test } from "vitest";
import type { EventBody } from "../../domain/session/event.ts";
import { created, declared, entryAdded, newEvent, T1 } from "../../testing/events.ts";
import type { SearchFilter, SearchQuery, Store } from "../store.ts";
import { append, codeOf, type MakePlace } from "./place.ts";

const TEXTS = {
  fox: "The quick brown fox jumps",
  cafe: "Un café crème à Montréal",
  words: "either OR neither NEAR here NOT there AND everywhere",
  quotes: `she said "stop it" and left`,
  tokyo: "昨日、東京でReact版の日本語テストを書いた。",
  thai: "ฉันชอบภาษาไทยมาก",
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
  ["fox -jumps", []],
  ["fox -bear", ["fox"]],
  ["fox --bear", []],
  ['said -"stop it"', []],
  ['said -"it stop" -nobody', ["quotes"]],
  ['"quick bro"*', ["fox"]],
  ["^quick", ["fox"]],
  ["{fox}", ["fox"]],
  ['say "stop it', []],
  ['"stop it"', ["quotes"]],
  ["fox'); DROP TABLE events; --", []],
  ["run_tests", ["code"]],
  ["src/main.ts", ["code"]],
  ["fo\u0000x", []],
  ["日本語", ["tokyo"]],
  ["テスト 東京", ["tokyo"]],
  ["京東", []],
  ["日本*", ["tokyo"]],
  ["react", ["tokyo"]],
  ["React版", ["tokyo"]],
  ["東京 -日本語", []],
  ["ภาษา", ["thai"]],
];

/** Filters, and the hits that they leave of those that `appendFiltered` makes: the session, and the place in it. */
const FILTERS: readonly (readonly [SearchFilter, string[]])[] = [
  [{}, ["a2", "a3", "b", "b2", "b3"]],
  [{ agent: "claude" }, ["a2", "a3"]],
  [{ agent: "planner" }, ["b", "b2", "b3"]],
  [{ agent: "nobody" }, []],
  [{ folder: "/work/one" }, ["a2", "a3"]],
  [{ folder: "/work/one/" }, ["a2", "a3"]],
  [{ folder: "/work" }, ["a2", "a3", "b", "b2", "b3"]],
  [{ folder: "/" }, ["a2", "a3", "b", "b2", "b3"]],
  [{ folder: "/wor" }, []],
  [{ outcome: "failure" }, ["b", "b2", "b3"]],
  [{ outcome: "interrupted" }, []],
  [{ tool: "bash" }, ["b2"]],
  [{ tool: "Bash", agent: "claude" }, []],
  [{ role: "user" }, ["a3"]],
  [{ since: T1 }, ["a3", "b3"]],
  [{ until: T1 }, ["a2", "b", "b2"]],
  [{ since: T1, until: T1 }, []],
];

async function appendFiltered(store: Store): Promise<void> {
  const one = { agentType: "claude", workspacePath: "/work/one" } as const;
  const two = { agentType: "codex", agentName: "planner", workspacePath: "/work/one-more" } as const;
  const late = (id: string, entry: EventBody) => store.change(id, () => [newEvent(entry, T1)]);
  await append(store, "a", created({ identity: one }), entryAdded("needle"));
  await late("a", entryAdded("needle", { role: "user" }));
  await append(store, "b", created({ identity: { ...two, goal: "needle" } }));
  await append(store, "b", entryAdded("needle", { kind: "tool_call", tool: { name: "Bash" } }));
  await late("b", entryAdded("needle"));
  await append(store, "b", declared("failed"));
}

export function searchContract(makePlace: MakePlace): void {
  describe("a search", () => {
    test.each(QUERIES)("for %j finds what has all of its words", async (text, found) => {
      using place = makePlace();
      await using store = place.open();
      for (const [id, body] of Object.entries(TEXTS)) await append(store, id, created(), entryAdded(body));
      expect((await hits(store, text)).map(({ sessionId }) => sessionId)).toEqual(found);
    });

    test.each(["", "   ", "*", '""', "'", "-- ()", "-fox", '-"a fox" -b'])(
      "for %j is refused, for it has no word to look for",
      async (text) => {
        using place = makePlace();
        await using store = place.open();
        expect(await codeOf(store.search({ text, limit: 1 }))).toBe("bad_input");
      },
    );

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
          marks: [[41, 47]],
          session: { id: "s" },
        },
      ]);
    });

    test("names the event and the tool of an entry", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created(), entryAdded("", { kind: "tool_call", tool: { name: "Bash" } }));
      const [event] = await store.events("s", { after: 1 });
      expect(await hits(store, "bash")).toMatchObject([
        { eventId: event?.id, kind: "tool_call", tool: "Bash" },
      ]);
    });

    test.each(FILTERS)("with the filter %j finds only %j", async (filter, found) => {
      using place = makePlace();
      await using store = place.open();
      await appendFiltered(store);
      const { items } = await store.search({ text: "needle", limit: 10, ...filter });
      expect(items.map(({ sessionId, seq }) => `${sessionId}${seq ?? ""}`).sort()).toEqual(found);
    });

    test("goes from page to page without gaps or repeats with a filter", async () => {
      using place = makePlace();
      await using store = place.open();
      await appendFiltered(store);
      const found = await allPages(store, { text: "needle", limit: 1, agent: "codex" });
      expect(found.sort()).toEqual(["b2", "b3", "bnull"]);
    });

    test("shows equal matches in the order in which they were recorded, the last first", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created(), ...Array.from({ length: 4 }, () => entryAdded("same words")));
      expect((await hits(store, "same")).map(({ seq }) => seq)).toEqual([5, 4, 3, 2]);
    });

    test("misses and repeats nothing when entries come and sessions go between two pages", async () => {
      using place = makePlace();
      await using store = place.open();
      for (let i = 0; i < 20; i++) await append(store, `other${i}`, created(), entryAdded("hay ".repeat(i)));
      for (const id of ["a", "b", "c", "d"]) await append(store, id, created(), entryAdded("needle"));
      const first = await store.search({ text: "needle", limit: 2 });
      expect(first.items.map(({ sessionId }) => sessionId)).toEqual(["d", "c"]);
      await store.remove(["c", "other7"], T1);
      await append(store, "e", created(), ...Array.from({ length: 3 }, () => entryAdded("needle")));
      const { items } = await store.search({ text: "needle", limit: 9, cursor: first.nextCursor ?? "" });
      expect(items.map(({ sessionId }) => sessionId)).toEqual(["b", "a"]);
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
      const found = await allPages(store, { text: "same", limit: 2 });
      expect(found.toSorted()).toEqual(["s2", "s3", "s4", "s5", "s6"]);
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

async function allPages(store: Store, query: SearchQuery): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.search({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.items.map(({ sessionId, seq }) => `${sessionId}${seq}`));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

async function hits(store: Store, text: string) {
  return (await store.search({ text, limit: 10 })).items;
}
