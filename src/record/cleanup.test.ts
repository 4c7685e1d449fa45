import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { request } from "../testing/events.ts";
import { livingProcess } from "../testing/living-process.ts";
import { refusalOf, tempWorld } from "../testing/temp-rollcall.ts";

describe("cleanup", () => {
  test("removes what was not active for a day, and names beforehand exactly what it removes", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "old" });
    await rollcall.upsert([{ id: "older" }]);
    world.clock.advance({ minutes: 24 * 60, ms: 1 });
    await rollcall.create({ id: "new" });
    const planned = await rollcall.cleanup({ dryRun: true });
    expect((await rollcall.page()).sessions).toHaveLength(3);
    const done = await rollcall.cleanup();
    expect([planned.dryRun, done.dryRun, done.removed]).toEqual([true, false, planned.removed]);
    expect([done.removed.toSorted(), (await rollcall.page()).sessions.map(({ id }) => id)]).toEqual([
      ["old", "older"],
      ["new"],
    ]);
  });

  test("keeps what was active exactly so many hours ago", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    world.clock.advance({ minutes: 60 });
    expect((await rollcall.cleanup({ hours: 1 })).removed).toEqual([]);
    world.clock.advance({ ms: 1 });
    expect((await rollcall.cleanup({ hours: 1 })).removed).toEqual(["s"]);
  });

  test("keeps a session as long as its process lives", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await using agent = livingProcess();
    await rollcall.create({ id: "s", pid: agent.pid });
    world.clock.advance({ minutes: 60 });
    expect((await rollcall.cleanup({ hours: 0, dryRun: true })).removed).toEqual([]);
    expect((await rollcall.cleanup({ hours: 0 })).removed).toEqual([]);
    await agent.kill();
    expect((await rollcall.cleanup({ hours: 0 })).removed).toEqual(["s"]);
  });

  test("takes the record file along and leaves a tombstone and the usage", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.recordUsage("s", [request("r")]);
    world.clock.advance({ minutes: 60 });
    await rollcall.cleanup({ hours: 0 });
    expect([
      existsSync(world.filePath("s")),
      await rollcall.context.store.isTombstone({ sessionId: "s" }),
    ]).toEqual([false, true]);
    expect((await rollcall.stats()).usage.tokensInput).toBe(10);
  });

  test("leaves what was imported alone unless it is asked for", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    world.clock.advance({ minutes: 60 });
    expect((await rollcall.cleanup({ hours: 0, imported: true })).removed).toEqual([]);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("of %d hours is refused", async (hours) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    expect(await refusalOf(rollcall.cleanup({ hours }))).toBe("bad_input");
  });

  test("of more hours than there are finds nothing", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    expect((await rollcall.cleanup({ hours: 1e12 })).removed).toEqual([]);
  });

  test("of hundreds removes them all, and tells how far it is", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.upsert(
      Array.from({ length: 450 }, (_, n) => ({ id: `s${n}`, last_active_at: "2020-01-01" })),
    );
    const told: number[] = [];
    expect((await rollcall.cleanup({ progress: (removed) => told.push(removed) })).removed).toHaveLength(450);
    expect(told.at(-1)).toBe(450);
  });
});

describe("deleting", () => {
  test("removes the record with its file and entries, and says whether there was one", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.addEntry("s", { role: "user", kind: "text", text: "needle", tool: null });
    expect([await rollcall.delete("s"), await rollcall.delete("s")]).toEqual([true, false]);
    expect([await rollcall.find("s"), existsSync(world.filePath("s"))]).toEqual([undefined, false]);
    expect((await rollcall.search("needle")).items).toEqual([]);
  });

  test("is told to who follows", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    const after = await rollcall.feedEnd();
    await rollcall.delete("s");
    expect(await Array.fromAsync(rollcall.feed({ after }))).toMatchObject([
      { sessionId: "s", body: { kind: "deleted" } },
    ]);
  });

  test("frees the id", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s", purpose: "first" });
    await rollcall.delete("s");
    expect(await rollcall.create({ id: "s", purpose: "second" })).toMatchObject({
      seq: 1,
      purpose: "second",
    });
    expect(world.readFile("s")).toMatchObject({ purpose: "second" });
  });
});
