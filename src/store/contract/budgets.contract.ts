import { describe, expect, test } from "vitest";
import type { Budget } from "../../domain/limits/limit.ts";
import type { SessionEvent } from "../../domain/session/event.ts";
import { LAUNCH } from "../../testing/carried.ts";
import { happened, request, T0, T1 } from "../../testing/events.ts";
import type { Store } from "../store.ts";
import { append, count, type MakePlace, sessionAt } from "./place.ts";

const COST: Budget = { kind: "max_cost", allowed: 50_000_000, unit: "nano_usd" };
const TOKENS: Budget = { kind: "max_tokens", allowed: 100, unit: "tokens" };

let keys = 0;
const costing = (usd: number) => request(`budget-${++keys}`, { reportedNanoUsd: Math.round(usd * 1e9) });

/** A session that Rollcall carries. */
async function carried(store: Store, id: string, parentId: string | null, limits: readonly Budget[] = []) {
  const launch = { ...LAUNCH, limits };
  await sessionAt(store, id, 0, { origin: "started", state: "starting", launch, identity: { parentId } });
}

async function told(store: Store, id: string): Promise<SessionEvent["body"][]> {
  const bodies = (await store.events(id)).map(({ body }) => body);
  return bodies.filter(({ kind }) => kind !== "created" && kind !== "usage_changed");
}

const states = async (store: Store, ...ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await store.findRow(id))?.state));

export function budgetsContract(makePlace: MakePlace): void {
  describe("budgets", () => {
    test("are announced once and ended by in the commit that adds the requests", async () => {
      using place = makePlace();
      await using store = place.open();
      await carried(store, "s", null, [COST]);
      await count(store, "s", [costing(0.03)]);
      expect(await told(store, "s")).toEqual([]);
      await count(store, "s", [costing(0.012)]);
      await count(store, "s", [costing(0.001)]);
      expect(await told(store, "s")).toEqual([{ kind: "limit_neared", limit: COST, used: 42_000_000 }]);
      const change = await store.change("s", () => ({ events: [], usage: [costing(0.02)], at: T1 }));
      expect(change.events.map(({ body }) => body.kind)).toEqual(["usage_changed", "end_began"]);
      expect(change.row).toMatchObject({ state: "stopping", stateSince: T1, stateSource: "usage" });
      expect(change.row.carried?.endReason).toBe("max_cost: $0.063 of $0.05");
      await count(store, "s", [costing(1)]);
      expect((await told(store, "s")).map(({ kind }) => kind)).toEqual(["limit_neared", "end_began"]);
    });

    test("count each request once, however it is reported", async () => {
      using place = makePlace();
      await using store = place.open();
      await carried(store, "s", null, [TOKENS]);
      const report = (tokensOutput: number) =>
        request("same", { isShared: true, tokensInput: 10, tokensOutput });
      for (const output of [10, 50, 50, 40]) await count(store, "s", [report(output)]);
      expect(await told(store, "s")).toEqual([]);
      await count(store, "s", [report(90)]);
      expect(await states(store, "s")).toEqual(["stopping"]);
    });

    test("count children of all levels, and end those that run", async () => {
      using place = makePlace();
      await using store = place.open();
      await carried(store, "top", null);
      await carried(store, "s", "top", [COST]);
      await carried(store, "child", "s");
      await carried(store, "over", "s");
      await append(store, "over", happened("ended"));
      await sessionAt(store, "sub", 0, { origin: "observed", identity: { parentId: "child" } });
      await carried(store, "grandchild", "sub");
      await carried(store, "other", "top");
      await count(store, "s", [costing(0.01)]);
      await count(store, "over", [costing(0.01)]);
      await count(store, "sub", [costing(0.01)]);
      await count(store, "other", [costing(9)]);
      expect(await states(store, "s", "child")).toEqual(["starting", "starting"]);
      const change = await store.change("grandchild", () => ({ events: [], usage: [costing(0.03)] }));
      expect(change.row.state).toBe("stopping");
      const family = ["top", "s", "child", "over", "sub", "grandchild", "other"];
      expect(await states(store, ...family)).toEqual([
        ...["starting", "stopping", "stopping", "stopped", "running", "stopping", "starting"],
      ]);
      expect((await store.findRow("child"))?.carried?.endReason).toBe("max_cost of s: $0.06 of $0.05");
    });

    test("of an ended session still count for those below it", async () => {
      using place = makePlace();
      await using store = place.open();
      await carried(store, "s", null, [COST]);
      await carried(store, "child", "s");
      await append(store, "s", happened("ended"));
      await count(store, "child", [costing(0.06)]);
      expect(await states(store, "s", "child")).toEqual(["stopped", "stopping"]);
    });

    test("add up what is asked for at the same time", async () => {
      using place = makePlace();
      await using store = place.open();
      await carried(store, "s", null, [COST]);
      const children = Array.from({ length: 6 }, (_, n) => `child-${n}`);
      for (const id of children) await carried(store, id, "s");
      const changes = await Promise.all(
        children.map((id) => store.change(id, () => ({ events: [], usage: [costing(0.01)] }))),
      );
      expect(changes.map(({ row }) => row.state)).toEqual([
        ...["starting", "starting", "starting", "starting", "stopping", "stopping"],
      ]);
      expect(await states(store, "s", ...children)).toEqual(Array(7).fill("stopping"));
      expect((await store.findRow("s"))?.carried?.endReason).toBe("max_cost: $0.05 of $0.05");
    });

    test("hold in whichever process the requests are committed", async () => {
      using place = makePlace();
      await using one = place.open();
      await using two = place.open();
      await carried(one, "s", null, [COST]);
      await carried(two, "child", "s");
      await count(one, "s", [costing(0.03)]);
      await count(two, "child", [costing(0.03)]);
      expect(await states(one, "s", "child")).toEqual(["stopping", "stopping"]);
    });

    test("count for a session from the moment it gets its parent, or is launched with one", async () => {
      using place = makePlace();
      await using store = place.open();
      await carried(store, "s", null, [COST]);
      await carried(store, "late", null);
      await count(store, "late", [costing(0.06)]);
      const identity = { parentId: "s" };
      await Promise.all([
        append(store, "late", { kind: "identified", identity }),
        count(store, "late", [costing(0.01)]),
      ]);
      expect(await states(store, "s", "late")).toEqual(["stopping", "stopping"]);
      await carried(store, "again", null);
      await append(store, "again", happened("ended"));
      const launch = { ...LAUNCH, limits: [TOKENS] };
      await Promise.all([
        append(store, "again", happened("resumed", { launch })),
        count(store, "again", [request("many", { tokensInput: 100 })]),
      ]);
      expect(await states(store, "again")).toEqual(["stopping"]);
    });

    test("say which model they cannot count", async () => {
      using place = makePlace();
      await using store = place.open();
      await carried(store, "s", null, [COST]);
      await carried(store, "child", "s");
      const odd = { model: "odd", reportedNanoUsd: null, computedNanoUsd: null };
      await count(store, "child", [request("odd-1", odd)]);
      await count(store, "s", [request("odd-2", odd)]);
      expect(await told(store, "s")).toEqual([{ kind: "limit_uncounted", limit: COST, model: "odd" }]);
    });

    test("that are used up are found before anything is launched under them", async () => {
      using place = makePlace();
      await using store = place.open();
      await carried(store, "s", null, [COST]);
      await count(store, "s", [costing(0.06)]);
      const ask = async (id: string, parentId: string | null, limits: readonly Budget[]) => {
        let found: unknown;
        await store
          .change(id, (_, { findSpentBudget }) => {
            found = findSpentBudget(parentId, limits);
            return [];
          })
          .catch(() => {});
        return found;
      };
      expect(await ask("new", "s", [])).toEqual({ sessionId: "s", budget: COST, used: 60_000_000 });
      expect(await ask("new", null, [COST])).toBeUndefined();
      expect(await ask("s", null, [COST])).toMatchObject({ sessionId: "s" });
      expect(await ask("s", null, [{ ...COST, allowed: 60_000_001 }])).toBeUndefined();
      expect(await ask("s", null, [])).toBeUndefined();
    });

    test("keep what removed children had used", async () => {
      using place = makePlace();
      await using store = place.open();
      await carried(store, "s", null, [COST]);
      await carried(store, "child", "s");
      await carried(store, "grandchild", "child");
      for (const id of ["child", "grandchild"]) await count(store, id, [costing(0.02)]);
      for (const id of ["child", "grandchild"]) await append(store, id, happened("ended"));
      expect(await store.remove(["grandchild", "child"], T0)).toHaveLength(2);
      await carried(store, "next", "s");
      await count(store, "next", [costing(0.01)]);
      expect(await states(store, "s", "next")).toEqual(["stopping", "stopping"]);
    });
  });
}
