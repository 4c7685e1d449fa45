import { describe, expect, test } from "vitest";
import { OUTCOMES } from "../../domain/session/outcome.ts";
import { STATES, STATUSES, statusOf } from "../../domain/session/state.ts";
import { created, newEvent, rowAfter, T0 } from "../../testing/events.ts";
import type { ListQuery, Store } from "../store.ts";
import { codeOf, type MakePlace, sessionAt } from "./place.ts";

const minute = (n: number) => new Date(Date.parse(T0) + n * 60_000).toISOString();

/** Filters, and which of the four sessions below they leave over. */
const FILTERS: readonly (readonly [Omit<ListQuery, "limit">, string[]])[] = [
  [{}, ["d", "c", "b", "a"]],
  [{ kind: "acp" }, ["b"]],
  [{ channel: "slack" }, ["c"]],
  [{ agent: "architect" }, ["a"]],
  [{ agent: "codex" }, ["c"]],
  [{ taskId: "T1" }, ["d", "a"]],
  [{ parentId: "a" }, ["b"]],
  [{ nativeId: "n" }, ["d"]],
  [{ nativeId: "n", agent: "codex" }, []],
  [{ machine: "there" }, ["d"]],
  [{ origins: ["upserted", "imported"] }, ["d", "c"]],
  [{ origins: [] }, []],
  [{ states: ["waiting_input"] }, ["b"]],
  [{ states: ["waiting_input", "running"] }, ["d", "c", "b", "a"]],
  [{ statuses: ["active"] }, ["d", "c", "b", "a"]],
  [{ statuses: [] }, []],
  [{ activeSince: minute(2) }, ["d", "c"]],
  [{ activeUntil: minute(2) }, ["b", "a"]],
  [{ createdSince: minute(1), createdUntil: minute(3) }, ["c", "b"]],
  [{ taskId: "T1", machine: "here" }, ["a"]],
  [{ where: (row) => row.id > "b" }, ["d", "c"]],
];

export function listsContract(makePlace: MakePlace): void {
  describe("a list", () => {
    test.each(FILTERS)("filtered by %o is in order of the newest activity", async (filter, ids) => {
      using place = makePlace();
      await using store = place.open();
      await fill(store);
      expect(await idsOf(store, { ...filter, limit: 0 })).toEqual(ids);
    });

    test("applies its filters before the limit", async () => {
      using place = makePlace();
      await using store = place.open();
      await fill(store);
      expect(await idsOf(store, { taskId: "T1", limit: 1 })).toEqual(["d"]);
      expect(await idsOf(store, { where: ({ id }) => id === "a", limit: 1 })).toEqual(["a"]);
    });

    test("orders by id what was active at the same time, and pages through it without gaps", async () => {
      using place = makePlace();
      await using store = place.open();
      for (const id of ["c", "a", "d", "b", "e"]) await sessionAt(store, id, 0);
      await sessionAt(store, "z", 1);
      expect(await pagesOf(store, { limit: 2 })).toEqual([
        ["z", "a"],
        ["b", "c"],
        ["d", "e"],
      ]);
      expect(await pagesOf(store, { limit: 2, where: ({ id }) => id !== "b" })).toEqual([
        ["z", "a"],
        ["c", "d"],
        ["e"],
      ]);
    });

    test("has no next page when the last one is full", async () => {
      using place = makePlace();
      await using store = place.open();
      await fill(store);
      expect((await store.list({ limit: 4 })).nextCursor).toBeUndefined();
      expect((await store.list({ limit: 0 })).nextCursor).toBeUndefined();
    });

    test("of more than a thousand is whole when all are asked for", async () => {
      using place = makePlace();
      await using store = place.open();
      const ids = Array.from({ length: 1203 }, (_, n) => `s${String(n).padStart(4, "0")}`);
      await Promise.all(ids.map((id) => sessionAt(store, id, 0)));
      expect(await idsOf(store, { limit: 0 })).toEqual(ids);
    });

    test("refuses a cursor that is none", async () => {
      using place = makePlace();
      await using store = place.open();
      expect(await codeOf(store.list({ limit: 1, cursor: "next" }))).toBe("bad_input");
    });

    test("by status finds exactly what the domain calls so, for every state and outcome", async () => {
      using place = makePlace();
      await using store = place.open();
      await fillCombinations(store);
      const { items } = await store.list({ limit: 0 });
      for (const status of STATUSES) {
        const expected = items.filter(({ row }) => statusOf(row) === status).map(({ row }) => row.id);
        expect(await idsOf(store, { statuses: [status], limit: 0 })).toEqual(expected);
      }
    });

    test("of detached sessions has the live ones without a terminal, not those only observed", async () => {
      using place = makePlace();
      await using store = place.open();
      await fill(store);
      await store.observe([{ sessionId: "a", observed: { attached: false } }]);
      await store.observe([{ sessionId: "b", observed: { attached: true } }]);
      expect(await idsOf(store, { detached: true, limit: 0 })).toEqual(["a"]);
    });
  });

  describe("a reference", () => {
    test("by its six digits or by name finds the newest first", async () => {
      using place = makePlace();
      await using store = place.open();
      await sessionAt(store, "session-20260108-180530-abc123", 0, { identity: { name: "n" } });
      await sessionAt(store, "session-20260109-180530-abc123", 1);
      await sessionAt(store, "brought-abc123", 2, { identity: { name: "n" } });
      const bySuffix = await store.findByReference({ suffix: "abc123" });
      expect(bySuffix.map(({ id }) => id)).toEqual([
        "session-20260109-180530-abc123",
        "session-20260108-180530-abc123",
      ]);
      expect((await store.findByReference({ name: "n" })).map(({ id }) => id)[0]).toBe("brought-abc123");
      expect(await store.findByReference({ name: "N" })).toEqual([]);
    });

    test("to the newest is to the one created last, and to none in an empty store", async () => {
      using place = makePlace();
      await using store = place.open();
      expect(await store.newest()).toBeUndefined();
      await sessionAt(store, "a", 5);
      await sessionAt(store, "b", 1);
      expect(await store.newest()).toBe("a");
    });
  });

  describe("a family", () => {
    test("is the session and everything below it", async () => {
      using place = makePlace();
      await using store = place.open();
      for (const [id, parentId] of [
        ["a", null],
        ["b", "a"],
        ["c", "b"],
        ["d", null],
      ] as const)
        await sessionAt(store, id, 0, { identity: { parentId } });
      const { items } = await store.family("a");
      expect(items.map(({ row }) => row.id).sort()).toEqual(["a", "b", "c"]);
      expect(items.map(({ hasChildren }) => hasChildren).sort()).toEqual([false, true, true]);
    });

    test("of sessions that name each other as parents ends", async () => {
      using place = makePlace();
      await using store = place.open();
      await sessionAt(store, "a", 0, { identity: { parentId: "b" } });
      await sessionAt(store, "b", 0, { identity: { parentId: "a" } });
      expect((await store.family("a")).items).toHaveLength(2);
    });
  });
}

async function fill(store: Store): Promise<void> {
  await sessionAt(store, "a", 0, { identity: { agentName: "architect", taskId: "T1" } });
  await sessionAt(store, "b", 1, { identity: { kind: "acp", parentId: "a" }, state: "waiting_input" });
  await sessionAt(store, "c", 2, { identity: { channel: "slack", agentType: "codex" }, origin: "upserted" });
  await sessionAt(store, "d", 3, {
    identity: { machine: "there", taskId: "T1", nativeId: "n" },
    origin: "imported",
  });
}

/** Brought back as they are, since no life leads to some of these rows. */
async function fillCombinations(store: Store): Promise<void> {
  const { seq: _, ...row } = rowAfter(created());
  for (const state of STATES)
    for (const outcome of [null, ...OUTCOMES])
      await store.change(`${state}-${outcome}`, () => [
        newEvent({ kind: "restored", row: { ...row, state, outcome } }),
      ]);
}

async function idsOf(store: Store, query: ListQuery): Promise<string[]> {
  return (await store.list(query)).items.map(({ row }) => row.id);
}

async function pagesOf(store: Store, query: ListQuery): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(page.items.map(({ row }) => row.id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}
