import { describe, expect, test } from "vitest";
import { livingProcess } from "../testing/living-process.ts";
import { tempWorld } from "../testing/temp-rollcall.ts";

describe("reconcile", () => {
  test("marks unknown what claims to run without a process, once, and leaves the last activity alone", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const before = await rollcall.create({ id: "s" });
    world.clock.advance({ minutes: 5 });
    expect(await rollcall.reconcile()).toBe(1);
    const { state, status, outcome, lastActiveAt, endedAt } = await rollcall.get("s");
    expect([state, status, outcome, endedAt, lastActiveAt]).toEqual([
      "unknown",
      "unknown",
      null,
      null,
      before.lastActiveAt,
    ]);
    expect(await rollcall.reconcile()).toBe(0);
  });

  test("spares the current one and those whose process lives, and takes them when it is gone", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await using agent = livingProcess();
    await rollcall.create({ id: "current" });
    await rollcall.create({ id: "living", pid: agent.pid });
    expect(await rollcall.reconcile({ current: "current" })).toBe(0);
    await agent.kill();
    expect(await rollcall.reconcile({ current: "current" })).toBe(1);
    expect([(await rollcall.get("living")).state, (await rollcall.get("current")).state]).toEqual([
      "unknown",
      "running",
    ]);
  });

  test("knows a process by more than its pid", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await using agent = livingProcess();
    const { process } = await rollcall.create({ id: "s", pid: agent.pid });
    expect(process).toEqual({
      pid: agent.pid,
      startTime: expect.stringMatching(/^\d+$/),
      bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test("leaves what has ended, what is unknown and what belongs to another machine alone", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.upsert([
      { id: "ended", status: "completed" },
      { id: "lost", status: "unknown" },
      { id: "far", machine: "another" },
    ]);
    expect(await rollcall.reconcile()).toBe(0);
    expect((await rollcall.get("far")).state).toBe("running");
  });

  test("is undone by the next update, which clears the reason", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.reconcile();
    expect(await rollcall.get("s")).toMatchObject({ endReason: "no_living_process", stateSource: "process" });
    expect(await rollcall.update("s", { phase: "planning" })).toMatchObject({
      state: "running",
      endReason: null,
    });
  });

  test("brings the record file along", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.reconcile();
    expect(world.readFile("s")).toMatchObject({ state: "unknown" });
  });

  test("of many at once counts them all", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.upsert(Array.from({ length: 300 }, (_, n) => ({ id: `s${n}` })));
    expect(await rollcall.reconcile()).toBe(300);
  });
});
