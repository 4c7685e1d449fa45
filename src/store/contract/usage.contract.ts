import { describe, expect, test } from "vitest";
import { addToLedger, EMPTY_LEDGER, type UsageGroup } from "../../domain/usage.ts";
import { created, newEvent, request, T0, T1, T2 } from "../../testing/events.ts";
import type { Delegation, Store } from "../store.ts";
import { append, codeOf, count, type MakePlace, sessionAt } from "./place.ts";

const NEXT_DAY = "2026-01-09T00:00:00.000Z";

/** Requests of `fill` below by group. */
const GROUPS: readonly (readonly [UsageGroup | null, Record<string, number>])[] = [
  [null, { null: 4 }],
  ["agent", { claude: 3, codex: 1 }],
  ["model", { "model-a": 2, "model-b": 1, null: 1 }],
  ["day", { "2026-01-08": 3, "2026-01-09": 1 }],
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

    test("is heard in the feed once for each commit, and not where nothing is new", async () => {
      using place = makePlace();
      await using store = place.open();
      await append(store, "s", created());
      await Promise.all(["a", "b", "c"].map((key) => count(store, "s", [request(key)])));
      await count(store, "s", [request("a")]);
      await count(store, "s", [request("d")]);
      const kinds = (await store.feed(undefined, 10)).events.map(({ body }) => body.kind);
      expect(kinds).toEqual(["created", "usage_changed", "usage_changed"]);
      expect((await store.find("s"))?.ledger.requests).toBe(4);
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
      expect(await requestsBy(store, "day", NEXT_DAY)).toEqual({ "2026-01-09": 1 });
      await store.remove(["a", "b"], T1);
      expect(await requestsBy(store, "day", NEXT_DAY)).toEqual({ "2026-01-09": 1 });
    });
  });

  describe("the log of delegations", () => {
    test("keeps each in order and reads them since a time", async () => {
      using place = makePlace();
      await using store = place.open();
      const log = [delegation(T0, false, "no_existing_session"), delegation(T1, true, "session_resumable")];
      for (const entry of log) await store.logDelegation(entry);
      expect(await Array.fromAsync(store.delegations())).toEqual(log);
      expect(await Array.fromAsync(store.delegations(T1))).toEqual(log.slice(1));
    });

    test("finds the latest of a task", async () => {
      using place = makePlace();
      await using store = place.open();
      const of = (taskId: string, at: string) => ({ ...delegation(at, false, "finalized"), taskId });
      for (const entry of [of("a", T0), of("a", T1), of("b", T2)]) await store.logDelegation(entry);
      expect(await store.findDelegation("a")).toEqual(of("a", T1));
      expect(await store.findDelegation("c")).toBeUndefined();
    });
  });
}

async function fill(store: Store): Promise<void> {
  await sessionAt(store, "a", 0, {
    identity: { agentType: "claude", purpose: "review", workspacePath: "/work" },
  });
  await sessionAt(store, "b", 0, { identity: { agentType: "codex", purpose: null } });
  await count(store, "a", [request("1"), request("2", { at: NEXT_DAY }), request("3", { model: null })]);
  await count(store, "b", [request("1", { model: "model-b" })]);
}

async function requestsBy(
  store: Store,
  by: UsageGroup | null,
  since?: string,
): Promise<Record<string, number>> {
  const totals = await store.usageTotals({ by, ...(since === undefined ? {} : { since }) });
  return Object.fromEntries(totals.map(({ group, ledger }) => [String(group), ledger.requests]));
}

function delegation(at: string, resume: boolean, reason: string): Delegation {
  return { at, agentName: "a", taskId: null, sessionId: null, seq: null, resume, reason };
}
