import { describe, expect, test } from "vitest";
import type { ListOptions, Rollcall } from "../index.ts";
import { refusalOf, tempWorld, type World } from "../testing/temp-rollcall.ts";

/** Options, and which of the sessions below they show. */
const OPTIONS: readonly (readonly [ListOptions, string[]])[] = [
  [{}, ["d", "c", "b", "a"]],
  [{ limit: 0 }, ["d", "c", "b", "a"]],
  [{ limit: 2 }, ["d", "c"]],
  [{ activeOnly: true }, ["c", "b", "a"]],
  [{ activeOnly: true, status: "completed" }, []],
  [{ status: "completed" }, ["d"]],
  [{ state: "stopped" }, ["d"]],
  [{ resumable: true }, ["b"]],
  [{ agent: "architect" }, ["b", "a"]],
  [{ agent: "codex" }, ["c"]],
  [{ agent: "architect", limit: 1 }, ["b"]],
  [{ kind: "autonomous" }, ["c"]],
  [{ channel: "slack" }, ["d"]],
  [{ where: { task_id: "T1" } }, ["c", "a"]],
  [{ where: { phase: "approval" } }, ["b"]],
  [{ where: { count: "3" } }, ["a"]],
  [{ where: { task_id: "T1", agent_type: "codex" } }, ["c"]],
  [{ where: { constructor: "x" } }, []],
  [{ since: "2026-01-08T18:07:30.000Z" }, ["d", "c"]],
  [{ until: "2026-01-08T18:07:30.000Z" }, ["b", "a"]],
  [{ createdSince: "2026-01-08T18:06:30.000Z", createdUntil: "2026-01-08T18:08:30.000Z" }, ["c", "b"]],
];

describe("a list", () => {
  test.each(OPTIONS)("with %o is in order of the newest activity", async (options, ids) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await fill(world, rollcall);
    expect(await idsOf(rollcall, options)).toEqual(ids);
  });

  test.each([
    { state: "dreaming" },
    { status: "done" },
    { kind: "batch" },
    { channel: "fax" },
    { cursor: "x" },
  ])("with %o is refused", async (options) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    expect(await refusalOf(rollcall.page(options as ListOptions))).toBe("bad_input");
  });

  test("moves a session to the front when it is updated", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await fill(world, rollcall);
    world.clock.advance({ minutes: 1 });
    await rollcall.update("a", { metadata: {} });
    expect((await idsOf(rollcall, {}))[0]).toBe("a");
  });

  test("of hundreds goes through all of them, page by page", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const ids = Array.from({ length: 450 }, (_, n) => `s${String(n).padStart(3, "0")}`);
    await rollcall.upsert(ids.map((id) => ({ id, last_active_at: "2026-01-01" })));
    expect(await idsOf(rollcall, {})).toEqual(ids);
    expect(await idsOf(rollcall, { limit: 301 })).toEqual(ids.slice(0, 301));
  });

  test("pages by cursor", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await fill(world, rollcall);
    const first = await rollcall.page({ limit: 3 });
    const second = await rollcall.page({ limit: 3, cursor: first.nextCursor as string });
    expect([second.sessions.map(({ id }) => id), second.nextCursor]).toEqual([["a"], null]);
  });

  test("shows resumable sessions only as long as they are", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await fill(world, rollcall);
    world.clock.advance({ minutes: 30 });
    expect(await idsOf(rollcall, { resumable: true })).toEqual([]);
  });
});

describe("a reference", () => {
  test("is the full id, the six digits of tables, a name, or the newest", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const { id } = await rollcall.create({ name: "reviewer" });
    for (const reference of [id, id.slice(-6), "reviewer", "last"])
      expect(await rollcall.resolve(reference)).toBe(id);
    expect(await refusalOf(rollcall.resolve(id.slice(0, -1)))).toBe("session_not_found");
  });

  test("that is an id wins over six digits and a name", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const { id } = await rollcall.create();
    await rollcall.create({ id: id.slice(-6) });
    await rollcall.create({ name: id });
    expect([await rollcall.resolve(id), await rollcall.resolve(id.slice(-6))]).toEqual([id, id.slice(-6)]);
  });

  test("by name means the newest one where none of them is carried and lives", async () => {
    using world = tempWorld();
    let ms = Date.now();
    await using rollcall = await world.open({ now: () => (ms += 1000) });
    await rollcall.create({ id: "a", name: "n" });
    await rollcall.finalize("a", "completed");
    await rollcall.create({ id: "b", name: "n" });
    expect(await rollcall.resolve("n")).toBe("b");
    await rollcall.create({ id: "c", name: "n" });
    expect(await rollcall.resolve("n")).toBe("c");
  });

  test("to oneself works inside a session only", async () => {
    using world = tempWorld();
    await using inside = await world.open({ env: { ROLLCALL_SESSION_ID: "around" } });
    await using outside = await world.open();
    expect(await inside.resolve("self")).toBe("around");
    expect(await refusalOf(outside.resolve("self"))).toBe("not_inside_session");
  });

  test.each(["", "../x", "a\nb", "-x", " x"])("that could never be one (%j) is refused", async (text) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    expect(await refusalOf(rollcall.resolve(text))).toBe("bad_id");
  });
});

async function fill({ clock }: World, rollcall: Rollcall): Promise<void> {
  await rollcall.create({ id: "a", agentName: "architect", metadata: { task_id: "T1", count: 3 } });
  clock.advance({ minutes: 1 });
  await rollcall.create({ id: "b", agentName: "architect" });
  await rollcall.update("b", { phase: "approval" });
  clock.advance({ minutes: 1 });
  await rollcall.create({ id: "c", agentType: "codex", kind: "autonomous", taskId: "T1" });
  clock.advance({ minutes: 1 });
  await rollcall.create({ id: "d", channel: "slack" });
  await rollcall.finalize("d", "completed");
}

async function idsOf(rollcall: Rollcall, options: ListOptions): Promise<string[]> {
  return (await Array.fromAsync(rollcall.list(options))).map(({ id }) => id);
}
