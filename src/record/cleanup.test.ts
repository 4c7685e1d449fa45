import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { identifyProcess } from "../machine/process.ts";
import { created, request, seen } from "../testing/events.ts";
import { livingProcess } from "../testing/living-process.ts";
import { refusalOf, tempWorld } from "../testing/temp-rollcall.ts";
import { stamp } from "./context.ts";
import type { Rollcall } from "./rollcall.ts";

/** What the daemon leaves of a terminal. */
function record(home: string, id: string): string {
  const folder = join(home, "recordings", id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "1-000000.cast"), "");
  return folder;
}

/** A session that Rollcall carried and lost, and whose process may still be there. */
async function lost(rollcall: Rollcall, id: string, pid: number): Promise<void> {
  const bodies = [
    created({ origin: "started", state: "running", process: identifyProcess(pid) }),
    seen("unknown"),
  ];
  for (const body of bodies) await rollcall.context.store.change(id, () => [stamp(rollcall.context, body)]);
}

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

  test("takes the recording along, and that of no other session", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const [old, young] = [record(world.home, "old"), record(world.home, "young")];
    await rollcall.create({ id: "old" });
    world.clock.advance({ minutes: 60 });
    await rollcall.create({ id: "young" });
    await rollcall.cleanup({ hours: 0.5, dryRun: true });
    expect(existsSync(old)).toBe(true);
    await rollcall.cleanup({ hours: 0.5 });
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
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

  test("takes the recording along, once it is certain that the process is gone", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await using agent = livingProcess();
    await lost(rollcall, "s", agent.pid);
    const recording = record(world.home, "s");
    expect([await refusalOf(rollcall.delete("s")), existsSync(recording)]).toEqual(["process_alive", true]);
    await agent.kill();
    expect([await rollcall.delete("s"), existsSync(recording)]).toEqual([true, false]);
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
