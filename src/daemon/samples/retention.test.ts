import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toInstant } from "../../domain/time.ts";
import type { Config } from "../../home/settings.ts";
import { created, newEvent, request } from "../../testing/events.ts";
import { tempWorld } from "../../testing/temp-rollcall.ts";
import { applyRetention } from "./retention.ts";

test("retention removes nothing by default", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await rollcall.create({ id: "old" });
  await rollcall.finalize("old", "completed");
  world.clock.advance({ minutes: 60 * 24 * 400 });
  expect(await applyRetention(rollcall.context, rollcall.context.config)).toEqual({
    sessions: 0,
    recordings: 0,
    originals: 0,
  });
});

test("retention.sessions removes what was not active for so long and keeps its usage in the totals", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await rollcall.create({ id: "old" });
  await rollcall.recordUsage("old", [request("r")]);
  await rollcall.finalize("old", "completed");
  world.clock.advance({ minutes: 120 });
  await rollcall.create({ id: "new" });
  const config: Config = { ...rollcall.context.config, "retention.sessions": "1h" };
  expect(await applyRetention(rollcall.context, config)).toMatchObject({ sessions: 1 });
  expect([await rollcall.find("old"), (await rollcall.find("new"))?.id]).toEqual([undefined, "new"]);
  expect((await rollcall.stats()).usage.tokensInput).toBe(10);
});

test("retention.imported removes what was imported, and retention.sessions leaves it", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  const { config, store, now } = rollcall.context;
  const imported = created({ origin: "imported", identity: { agentType: "claude", nativeId: "n" } });
  await store.change("imported", () => [newEvent(imported, toInstant(now()))]);
  await rollcall.create({ id: "ours" });
  world.clock.advance({ minutes: 120 });
  const left = async (name: "retention.sessions" | "retention.imported") => {
    await applyRetention(rollcall.context, { ...config, [name]: "1h" });
    return (await store.list({ limit: 0 })).items.map(({ row }) => row.id);
  };
  expect(await left("retention.sessions")).toEqual(["imported"]);
  expect(await left("retention.imported")).toEqual([]);
  expect(await store.isTombstone({ agentType: "claude", nativeId: "n" })).toBe(true);
});

test("retention.recordings removes those of sessions that ended so long ago, and of no other", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  const { home, config } = rollcall.context;
  for (const id of ["old", "open", "new"]) {
    await rollcall.create({ id });
    mkdirSync(join(home, "recordings", id), { recursive: true });
  }
  await rollcall.finalize("old", "completed");
  world.clock.advance({ minutes: 120 });
  await rollcall.finalize("new", "completed");
  const found = await applyRetention(rollcall.context, { ...config, "retention.recordings": "1h" });
  expect(found).toEqual({ sessions: 0, recordings: 1, originals: 0 });
  expect(["old", "open", "new"].map((id) => existsSync(join(home, "recordings", id)))).toEqual([
    false,
    true,
    true,
  ]);
  expect((await rollcall.find("old"))?.id).toBe("old");
});

test("retention.ceiling removes recordings of sessions that ended longest ago, no more than it has to, and no record", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  const { home, config } = rollcall.context;
  const sessions = ["second", "first", "third", "open"];
  for (const id of sessions) {
    await rollcall.create({ id });
    mkdirSync(join(home, "recordings", id), { recursive: true });
    writeFileSync(join(home, "recordings", id, "0.jsonl"), "x".repeat(10_000_000));
  }
  for (const id of ["first", "second", "third"]) {
    world.clock.advance({ minutes: 1 });
    await rollcall.finalize(id, "completed");
  }
  const left = () => sessions.filter((id) => existsSync(join(home, "recordings", id)));
  const apply = async (ceiling: string) =>
    applyRetention(rollcall.context, { ...config, "retention.ceiling": ceiling });
  expect(await apply("50MB")).toEqual({ sessions: 0, recordings: 0, originals: 0 });
  expect(await apply("25MB")).toEqual({ sessions: 0, recordings: 2, originals: 0 });
  expect(left()).toEqual(["third", "open"]);
  expect(await apply("1MB")).toEqual({ sessions: 0, recordings: 1, originals: 0 });
  expect(left()).toEqual(["open"]);
  expect((await Array.fromAsync(rollcall.list())).map(({ id }) => id).sort()).toEqual([...sessions].sort());
});

test("retention.originals removes copies of files that were not written for so long, and no newer ones", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  const { home, config, now: time } = rollcall.context;
  const copy = (name: string, at: Date) => {
    const folder = join(home, "originals", "claude", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "1.json"), "{}");
    writeFileSync(join(folder, "1.gz"), "x");
    utimesSync(join(folder, "1.json"), at, at);
    return folder;
  };
  const now = time();
  const folders = [
    copy("old", new Date(now - 2 * 86_400_000)),
    copy("new", new Date(now)),
    copy("young", new Date(0)),
  ];
  const found = await applyRetention(rollcall.context, { ...config, "retention.originals": "1d" });
  expect(found).toMatchObject({ originals: 1 });
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, true, true]);
});
