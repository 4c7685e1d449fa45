import { describe, expect, test } from "vitest";
import { STATUSES } from "../index.ts";
import { request } from "../testing/events.ts";
import { refusalOf, tempWorld } from "../testing/temp-rollcall.ts";

describe("upsert", () => {
  test("makes the record of document 003, and brings it to what is said later", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const row = {
      id: "s1",
      kind: "interactive",
      status: "active",
      channel: "cli",
      model: "claude-sonnet-4-6",
    };
    const counts = { turns: 0, prompt_tokens: 0, completion_tokens: 0, reasoning_tokens: 0, cost_cents: 0 };
    const times = {
      created_at: "2026-01-01T00:00:00",
      last_active_at: "2026-01-01T00:00:00",
      goal_text: null,
    };
    expect(await rollcall.upsert([{ ...row, ...counts, ...times }])).toBe(1);
    await rollcall.upsert([{ ...row, ...counts, ...times, turns: 5, status: "completed", cost_cents: 250 }]);
    expect(await rollcall.get("s1")).toMatchObject({
      status: "completed",
      createdAt: "2026-01-01T00:00:00.000Z",
      lastActiveAt: "2026-01-01T00:00:00.000Z",
      usage: { turns: 5, costUsd: 2.5, tokensInput: 0, costSource: "reported" },
    });
  });

  test("checks every line before the first is written", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    expect(await refusalOf(rollcall.upsert([{ id: "good" }, { id: "bad", status: "done" }]))).toBe(
      "bad_input",
    );
    expect(await rollcall.find("good")).toBeUndefined();
  });

  test("with several lines of one session applies them in order", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.upsert([
      { id: "s", turns: 1 },
      { id: "s", turns: 2, model: "m" },
      { id: "s", turns: 3 },
    ]);
    expect(await rollcall.get("s")).toMatchObject({ model: "m", usage: { turns: 3 } });
  });

  test("keeps no record file", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.upsert([{ id: "s" }]);
    expect(() => world.readFile("s")).toThrow(/ENOENT/);
    expect(world.warnings).toEqual([]);
  });

  test("of a record with a file brings the file along", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.upsert([{ id: "s", model: "m" }]);
    expect(world.readFile("s")).toMatchObject({ model: "m" });
  });

  test.each(STATUSES)("may say %s, and what the status means is stored", async (status) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.upsert([{ id: "s", status }]);
    const meaning = {
      active: ["running", null],
      completed: ["stopped", "success"],
      failed: ["failed", "failure"],
      cancelled: ["stopped", "interrupted"],
      unknown: ["unknown", null],
    }[status];
    const { state, outcome } = await rollcall.get("s");
    expect([state, outcome]).toEqual(meaning);
  });

  test("of totals is refused where requests were counted", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.recordUsage("s", [request("r")]);
    expect(await refusalOf(rollcall.upsert([{ id: "s", prompt_tokens: 1, model: "m" }]))).toBe(
      "totals_from_ledger",
    );
    expect(await rollcall.get("s")).toMatchObject({ model: null, usage: { tokensInput: 10 } });
  });

  test("of another status over a final record is refused whole", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.finalize("s", "completed");
    expect(await refusalOf(rollcall.upsert([{ id: "s", status: "active", model: "m" }]))).toBe("finalized");
    expect(await rollcall.get("s")).toMatchObject({ phase: "completed", model: null });
  });

  test("of a session on another machine leaves it there", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.upsert([{ id: "s", machine: "there" }]);
    expect(await rollcall.reconcile()).toBe(0);
    expect((await rollcall.get("s")).machine).toBe("there");
  });

  test("with a name that nobody could call is refused", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    expect(await refusalOf(rollcall.upsert([{ id: "s", name: "a/b" }]))).toBe("bad_id");
    expect(await rollcall.find("s")).toBeUndefined();
  });

  test("with metadata null forgets the metadata", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.upsert([{ id: "s", metadata: { a: 1 } }]);
    await rollcall.upsert([{ id: "s", metadata: null }]);
    expect((await rollcall.get("s")).metadata).toEqual({});
  });
});
