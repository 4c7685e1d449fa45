import { describe, expect, test } from "vitest";
import { usageOf } from "../../domain/session/record.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { addToLedger, EMPTY_LEDGER } from "../../domain/usage.ts";
import { created, entryAdded, finalized, newEvent, request, T1, T2 } from "../../testing/events.ts";
import type { TotalsGroup } from "../statistics.ts";
import type { Store } from "../store.ts";
import { append, codeOf, count, type MakePlace, sessionAt } from "./place.ts";

const NO_TOTALS = {
  ...{ turns: null, tokensInput: null, tokensOutput: null, tokensCacheRead: null },
  ...{ tokensCacheWrite: null, tokensReasoning: null, costUsd: null },
};
const NEXT_DAY = "2026-01-09T00:00:00.000Z";

/** Requests of `fill` below by group. */
const GROUPS: readonly (readonly [TotalsGroup | null, Record<string, number>])[] = [
  [null, { null: 4 }],
  ["agent", { claude: 3, codex: 1 }],
  ["name", { build: 3, null: 1 }],
  ["model", { "model-a": 2, "model-b": 1, null: 1 }],
  ["quarter", { "2026-01-08T18:00": 3, "2026-01-09T00:00": 1 }],
  ["purpose", { review: 3, null: 1 }],
  ["folder", { "/work": 3, null: 1 }],
];

export function usageContract(makePlace: MakePlace): void {
  describe("the ledger", () => {
    test("counts each request once: one with a known key replaces the earlier", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await count(store, "s", [request("a", { tokensInput: 1 }), request("b")]);
      await count(store, "s", [request("a", { tokensInput: 7, reportedNanoUsd: null })]);
      const expected = [request("a", { tokensInput: 7, reportedNanoUsd: null }), request("b")];
      expect(await store.usageOf("s")).toEqual(expected);
      expect((await store.find("s"))?.ledger).toEqual(expected.reduce(addToLedger, EMPTY_LEDGER));
    });

    test("is left as it is by requests that it has already", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      expect(await count(store, "s", [request("a"), request("b")])).toBe(true);
      const before = await store.find("s");
      expect(await count(store, "s", [request("b"), request("a")])).toBe(false);
      expect(await store.find("s")).toEqual(before);
      expect(await count(store, "s", [request("b", { model: null }), request("b")])).toBe(true);
      expect(await store.usageOf("s")).toEqual([request("a"), request("b")]);
    });

    test("counts a request that its provider named in the session that reported it first, and nowhere else", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "first", created());
      await append(store, "fork", created());
      const shared = request("msg_1", { isShared: true });
      expect(await count(store, "first", [shared])).toBe(true);
      expect(await count(store, "fork", [shared, request("msg_1")])).toBe(true);
      expect(await store.usageOf("first")).toEqual([shared]);
      expect(await store.usageOf("fork")).toEqual([request("msg_1")]);
      expect(await count(store, "first", [{ ...shared, tokensInput: 99 }])).toBe(true);
      expect((await store.find("first"))?.ledger).toMatchObject({ requests: 1, sums: { tokensInput: 99 } });
    });

    test("keeps all that the price of a request depends on", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const full = request("a", {
        ...{ tokensCacheWrite: 400, tokensCacheWriteHour: 300, webSearches: 2, serviceTier: "standard" },
        ...{ speed: "fast", computedNanoUsd: 7, pricedBy: "table 1" },
      });
      await count(store, "s", [full]);
      expect(await store.usageOf("s")).toEqual([full]);
    });

    test("keeps the report with the greatest output of a request that its provider named", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const report = (tokensOutput: number | null) => request("msg_1", { isShared: true, tokensOutput });
      const news = [];
      for (const output of [5, 631, 5, null]) news.push(await count(store, "s", [report(output)]));
      expect(news).toEqual([true, true, false, false]);
      expect(await store.usageOf("s")).toEqual([report(631)]);
    });

    test("commits with the events that are decided with it, or not at all", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const update = newEvent({ kind: "updated", phase: "planning" });
      const change = await store.change("s", () => ({ events: [update], usage: [request("a")] }));
      expect(change.events.map(({ body }) => body.kind)).toEqual(["updated", "usage_changed"]);
      expect(change).toMatchObject({ isUsageNew: true, ledger: { requests: 1 }, row: { phase: "planning" } });
      const again = newEvent({ kind: "updated", phase: "approval" });
      const refused = store.change("s", () => ({ events: [again], usage: [request("b")] }), {
        expectedSeq: 1,
      });
      expect(await codeOf(refused)).toBe("seq_conflict");
      expect(await store.find("s")).toMatchObject({ row: { phase: "planning" }, ledger: { requests: 1 } });
    });

    test("is heard in the feed with the usage that each change leaves, and not where nothing is new", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await Promise.all([count(store, "s", [request("a"), request("b")]), count(store, "s", [request("c")])]);
      await count(store, "s", [request("a")]);
      await count(store, "s", [request("a", { tokensInput: 7, reportedNanoUsd: 5e8 })]);
      const heard = (await store.feed(undefined, 10)).events.flatMap(({ body }) =>
        body.kind === "usage_changed" ? [body.usage] : [],
      );
      const stored = await store.find("s");
      expect(heard.map(({ tokensInput }) => tokensInput)).toEqual([20, 30, 27]);
      expect(heard.at(-1)).toEqual(usageOf(stored?.row as SessionRow, stored?.ledger));
    });

    test("is heard with the turns that are done by then", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      const said = newEvent(entryAdded("hi", { role: "user" }));
      const { events } = await store.change("s", () => ({ events: [said], usage: [request("a")] }));
      expect(events.at(-1)?.body).toMatchObject({ kind: "usage_changed", usage: { turns: 1 } });
    });

    test("pages by key", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await count(
        store,
        "s",
        ["c", "a", "b"].map((key) => request(key)),
      );
      expect((await store.usageOf("s", { limit: 2 })).map(({ requestKey }) => requestKey)).toEqual([
        "a",
        "b",
      ]);
      expect((await store.usageOf("s", { after: "b" })).map(({ requestKey }) => requestKey)).toEqual(["c"]);
    });

    test("of a session that does not exist takes nothing", async () => {
      using place = makePlace();
      await using store = place.open();
      expect(await codeOf(count(store, "s", [request("a")]))).toBe("session_not_found");
      expect(await store.usageOf("s")).toEqual([]);
    });

    test("is known to a change that is decided after it", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      let told = 0;
      await Promise.all([
        count(store, "s", [request("a"), request("b")]),
        store.change("s", (_row, { ledger }) => {
          told = ledger.requests;
          return [];
        }),
      ]);
      expect(told).toBe(2);
    });

    test("of a hundred requests at once keeps every one", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await Promise.all(Array.from({ length: 100 }, (_, n) => count(store, "s", [request(`r${n}`)])));
      expect((await store.find("s"))?.ledger).toMatchObject({ requests: 100, sums: { tokensInput: 1000 } });
    });
  });

  describe("totals of usage", () => {
    test.each(GROUPS)("by %s stay the same when sessions are removed", async (by, expected) => {
      using place = makePlace();
      await using store = place.open();
      await fill(store);
      expect(await requestsBy(store, by)).toEqual(expected);
      await store.remove(["a"], T1);
      expect(await requestsBy(store, by)).toEqual(expected);
      await store.remove(["b"], T1);
      expect(await requestsBy(store, by)).toEqual(expected);
    });

    test("since a day leave out what came before, removed or not", async () => {
      using place = makePlace();
      await using store = place.open();
      await fill(store);
      expect(await requestsBy(store, "quarter", { since: NEXT_DAY })).toEqual({ "2026-01-09T00:00": 1 });
      await store.remove(["a", "b"], T1);
      expect(await requestsBy(store, "quarter", { since: NEXT_DAY })).toEqual({ "2026-01-09T00:00": 1 });
    });

    test("until a time leave out what came then or later, removed or not", async () => {
      using place = makePlace();
      await using store = place.open();
      await fill(store);
      expect(await requestsBy(store, null, { until: NEXT_DAY })).toEqual({ null: 3 });
      await store.remove(["a", "b"], T1);
      expect(await requestsBy(store, null, { until: NEXT_DAY })).toEqual({ null: 3 });
    });

    test("by name count a session without one under the nearest above it that has one, whichever is removed first", async () => {
      using place = makePlace();
      await using store = place.open();
      await sessionAt(store, "top", 0, { identity: { name: "build" } });
      await sessionAt(store, "child", 0, { identity: { parentId: "top" } });
      await sessionAt(store, "named", 0, { identity: { parentId: "top", name: "test" } });
      await sessionAt(store, "grandchild", 0, { identity: { parentId: "child" } });
      for (const id of ["top", "child", "named", "grandchild"]) await count(store, id, [request("1")]);
      const expected = { build: 3, test: 1 };
      expect(await requestsBy(store, "name")).toEqual(expected);
      for (const id of ["top", "child", "grandchild", "named"]) {
        await store.remove([id], T1);
        expect(await requestsBy(store, "name")).toEqual(expected);
      }
    });

    test("keep what a removed session without a ledger had declared", async () => {
      using place = makePlace();
      await using store = place.open();
      const totals = { ...NO_TOTALS, tokensInput: 7, costUsd: 0.5 };
      await append(store, "s", created(), { kind: "totals_declared", totals });
      const { groups } = store.statistics().sessions({ by: null });
      await store.remove(["s"], T1);
      const [kept] = store.statistics().usage({ by: null });
      expect(kept?.ledger).toEqual(groups[0]?.declared);
      expect(kept?.ledger).toMatchObject({ requests: 1, nanoUsd: 5e8, sums: { tokensInput: 7 } });
    });
  });

  describe("totals of sessions", () => {
    test("count each session that was made before the end of a time and active after its beginning", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "early", created(), finalized("completed"));
      await append(store, "late", { ...created(), createdAt: T2 });
      const total = (window: { since?: string; until?: string }) =>
        store.statistics().sessions({ by: null, ...window }).groups[0]?.sessions ?? 0;
      expect([total({}), total({ until: T1 }), total({ since: NEXT_DAY })]).toEqual([2, 1, 0]);
    });

    test("tell statuses, errors, turns and durations apart", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "done", created(), finalized("completed"));
      await append(store, "bad", created({ identity: { purpose: "review" } }), {
        kind: "updated",
        error: "e",
      });
      const totals = store.statistics().sessions({ by: "purpose" });
      expect(totals).toMatchObject({
        statuses: { active: 1, completed: 1 },
        withErrors: 1,
        durationsMs: [0],
      });
      expect(totals.groups.map(({ group, sessions }) => [group, sessions])).toEqual([
        ["general", 1],
        ["review", 1],
      ]);
    });
  });
}

async function fill(store: Store): Promise<void> {
  await sessionAt(store, "a", 0, {
    identity: { agentType: "claude", name: "build", purpose: "review", workspacePath: "/work" },
  });
  await sessionAt(store, "b", 0, { identity: { agentType: "codex", purpose: null } });
  await count(store, "a", [request("1"), request("2", { at: NEXT_DAY }), request("3", { model: null })]);
  await count(store, "b", [request("1", { model: "model-b" })]);
}

async function requestsBy(
  store: Store,
  by: TotalsGroup | null,
  window: { since?: string; until?: string } = {},
): Promise<Record<string, number>> {
  const totals = store.statistics().usage({ by, ...window });
  return Object.fromEntries(totals.map(({ group, ledger }) => [String(group), ledger.requests]));
}
