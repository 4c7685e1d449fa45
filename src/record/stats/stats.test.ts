import { describe, expect, test } from "vitest";
import { toInstant } from "../../domain/time.ts";
import { delegation } from "../../testing/delegation.ts";
import { entryAdded, happened, newEvent, REQUEST, request } from "../../testing/events.ts";
import { tempWorld, type World } from "../../testing/temp-rollcall.ts";
import { adviseDelegation } from "../delegate/delegate.ts";
import type { Rollcall } from "../rollcall.ts";

describe("usage", () => {
  test("of a parent is shown with and without its children", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "parent" });
    await rollcall.create({ id: "child", parentId: "parent" });
    await rollcall.create({ id: "grandchild", parentId: "child" });
    for (const id of ["parent", "child", "grandchild"]) await rollcall.recordUsage(id, [request("r")]);
    const { usage, usageWithChildren } = await rollcall.get("parent");
    expect([usage.tokensInput, usageWithChildren.tokensInput, usageWithChildren.partial]).toEqual([
      10,
      30,
      false,
    ]);
    expect(
      (await rollcall.page()).sessions.map((session) => session.usageWithChildren.tokensInput).sort(),
    ).toEqual([10, 20, 30]);
  });

  test("of a family is partial when one of it measured nothing", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "parent" });
    await rollcall.create({ id: "child", parentId: "parent" });
    await rollcall.recordUsage("parent", [request("r")]);
    expect((await rollcall.get("parent")).usageWithChildren).toMatchObject({
      tokensInput: 10,
      partial: true,
    });
  });
});

describe("statistics", () => {
  test("count sessions by status, errors and durations", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await fill(world, rollcall);
    const { sessions, durationMs } = await rollcall.stats();
    expect(sessions).toEqual({
      total: 3,
      active: 1,
      completed: 1,
      failed: 1,
      cancelled: 0,
      unknown: 0,
      withErrors: 1,
    });
    expect(durationMs.p95).toBe(180_000);
  });

  test.each([
    ["agent", ["codex", "unknown"]],
    ["purpose", ["general", "review"]],
    ["day", ["2026-01-08"]],
    ["model", ["model-a", null]],
  ] as const)("by %s have a group for each", async (by, groups) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await fill(world, rollcall);
    expect((await rollcall.stats({ by })).groups.map(({ group }) => group).sort()).toEqual(
      [...groups].sort(),
    );
  });

  test("add what was counted and what was declared", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "counted" });
    await rollcall.recordUsage("counted", [request("r")]);
    await rollcall.upsert([{ id: "declared", prompt_tokens: 5 }]);
    expect((await rollcall.stats()).usage).toMatchObject({ tokensInput: 15, partial: true });
  });

  test("tell how long agents waited for people, with waits that are open, and by agent", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const { store } = rollcall.context;
    for (const [id, agentType] of [
      ["a", "claude"],
      ["b", "codex"],
    ] as const)
      await rollcall.create({ id, agentType });
    const ask = async (id: string, requestId: string) => {
      const since = toInstant(world.clock.now());
      const body = happened("asked", { waiting: { ...REQUEST, requestId, since } });
      await store.change(id, () => [newEvent(body, since)]);
    };
    const answer = (id: string) =>
      store.change(id, () => [newEvent(happened("answered"), toInstant(world.clock.now()))]);
    await ask("a", "r1");
    world.clock.advance({ minutes: 3 });
    await answer("a");
    await ask("a", "r2");
    await ask("b", "r1");
    world.clock.advance({ minutes: 1 });
    await answer("a");
    world.clock.advance({ minutes: 1 });
    const { waits } = await rollcall.stats();
    const minutes = (n: number) => n * 60_000;
    expect(waits).toMatchObject({
      count: 3,
      open: 1,
      totalMs: minutes(6),
      medianMs: minutes(2),
      longestMs: minutes(3),
    });
    expect(waits.byAgent).toMatchObject([
      { agent: "claude", count: 2, open: 0, totalMs: minutes(4) },
      { agent: "codex", count: 1, open: 1, totalMs: minutes(2) },
    ]);
    expect((await rollcall.get("a")).waitedMs).toBe(minutes(4));
    expect((await store.verify()).problems).toEqual([]);
  });

  test("tell which tools failed most", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "a" });
    const call = (name: string) => entryAdded("", { kind: "tool_call", tool: { name } });
    const result = (name: string, isError: boolean) =>
      entryAdded("", { role: "tool", kind: "tool_result", tool: { name, ...(isError ? { isError } : {}) } });
    const bodies = [
      call("Bash"),
      result("Bash", true),
      call("Bash"),
      result("Bash", false),
      call("Read"),
      result("Read", false),
    ];
    await rollcall.context.store.change("a", () => bodies.map((body) => newEvent(body)));
    expect((await rollcall.stats()).tools).toEqual([
      { tool: "Bash", calls: 2, failures: 1, failureRate: 0.5 },
      { tool: "Read", calls: 1, failures: 0, failureRate: 0 },
    ]);
    expect((await rollcall.context.store.verify()).problems).toEqual([]);
    await rollcall.delete("a");
    expect((await rollcall.stats()).tools).toEqual([]);
  });

  test("of an empty store are zero counts and unknown figures", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const { sessions, usage, resume } = await rollcall.stats({ resume: true });
    expect([sessions.total, usage.tokensTotal, resume?.resumeRate.value, resume?.resumeRate.met]).toEqual([
      0,
      null,
      null,
      null,
    ]);
  });
});

describe("the resume figures", () => {
  test("measure delegations against the targets of the requirements", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    for (const id of ["good", "bad", "open"]) await resumable(rollcall, id);
    for (const id of ["good", "bad", "open"])
      await adviseDelegation(rollcall, delegation({ agentName: "a", agentId: id }));
    await adviseDelegation(rollcall, delegation({ agentName: "a" }));
    world.clock.advance({ minutes: 1 });
    await rollcall.update("good", { phase: "executing" });
    await rollcall.update("bad", { error: "e" });
    const { resume } = await rollcall.stats({ resume: true });
    expect(resume).toMatchObject({ delegations: 4, resumed: 3, succeeded: 1, failed: 1, pending: 1 });
    expect(resume?.resumeRate).toEqual({ value: 0.75, target: "> 60 %", met: true });
    expect(resume?.resumeSuccessRate).toEqual({ value: 0.5, target: "> 80 %", met: false });
  });

  test("have the targets for durations, errors and storage", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await fill(world, rollcall);
    const { resume } = await rollcall.stats({ resume: true });
    expect(resume?.durationMedianMs).toMatchObject({ target: "< 5 min", met: true });
    expect(resume?.durationP95Ms).toMatchObject({ target: "< 30 min", met: true });
    expect(resume?.errorRate).toEqual({ value: 1 / 3, target: "< 10 %", met: false });
    expect(resume?.storageBytes).toMatchObject({ target: "< 100 MB", met: true });
  });
});

async function resumable(rollcall: Rollcall, id: string, metadata = {}): Promise<void> {
  await rollcall.create({ id, agentName: "a", metadata });
  await rollcall.update(id, { phase: "approval" });
}

async function fill({ clock }: World, rollcall: Rollcall): Promise<void> {
  await rollcall.create({ id: "done", agentType: "codex" });
  await rollcall.create({ id: "broken", purpose: "review" });
  await rollcall.create({ id: "busy" });
  await rollcall.recordUsage("done", [request("r")]);
  await rollcall.update("broken", { error: "e" });
  clock.advance({ minutes: 1 });
  await rollcall.finalize("done", "completed");
  clock.advance({ minutes: 2 });
  await rollcall.finalize("broken", "failed");
}
