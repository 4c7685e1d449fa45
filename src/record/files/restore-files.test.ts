import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EntryKind, NewEntry, Rollcall } from "../../index.ts";
import { request } from "../../testing/events.ts";
import { refusalOf, tempWorld, type World } from "../../testing/temp-rollcall.ts";
import { restoreFromFiles } from "./restore-files.ts";

describe("rebuilding a lost store from record files", () => {
  test("brings back the record, with its usage as totals", async () => {
    using world = tempWorld();
    const before = await lose(world, async (rollcall) => {
      await rollcall.create({ id: "s", name: "n", metadata: { some_key: 1 }, role: "control" });
      await rollcall.update("s", { phase: "approval", error: "e" });
      await rollcall.recordUsage("s", [request("r")]);
      return rollcall.get("s");
    });
    await using rollcall = await world.open();
    expect(await restoreFromFiles(rollcall, world.workspace)).toEqual({
      restored: ["s"],
      present: [],
      corrupt: [],
    });
    const { seq: _, ...expected } = before;
    expect(await rollcall.get("s")).toMatchObject({
      ...expected,
      usage: { ...expected.usage, tokensReasoning: null },
    });
    expect((await rollcall.verify()).problems).toEqual([]);
  });

  test("brings back entries in their order, with kinds, times and tools", async () => {
    using world = tempWorld();
    const before = await lose(world, async (rollcall) => {
      await rollcall.create({ id: "s" });
      for (const [n, kind] of KINDS_IN_ORDER.entries()) {
        world.clock.advance({ seconds: 1 });
        await rollcall.addEntry("s", entry(kind, n));
      }
      return Array.fromAsync(rollcall.entries("s"));
    });
    await using rollcall = await world.open();
    await restoreFromFiles(rollcall, world.workspace);
    expect(await Array.fromAsync(rollcall.entries("s"))).toEqual(before);
    expect((await rollcall.get("s")).usage.turns).toBe(2);
  });

  test("leaves alone what the store has", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const present = await rollcall.create({ id: "s" });
    expect(await restoreFromFiles(rollcall, world.workspace)).toEqual({
      restored: [],
      present: ["s"],
      corrupt: [],
    });
    expect(await rollcall.get("s")).toEqual(present);
  });

  test("reports damaged files, keeps them, and goes on with the others", async () => {
    using world = tempWorld();
    await lose(world, (rollcall) => rollcall.create({ id: "good" }));
    const damaged = {
      "cut.json": '{"id": "cut", "crea',
      "list.json": "[]",
      "empty.json": "",
      "other.json": '{"id":"another"}',
    };
    for (const [name, text] of Object.entries(damaged))
      writeFileSync(join(dirname(world.filePath("x")), name), text);
    await using rollcall = await world.open();
    const { restored, corrupt } = await restoreFromFiles(rollcall, world.workspace);
    expect([restored, corrupt.map(({ path }) => path.split("/").at(-1))]).toEqual([
      ["good"],
      Object.keys(damaged).toSorted(),
    ]);
    for (const [name, text] of Object.entries(damaged))
      expect(readFileSync(join(dirname(world.filePath("x")), name), "utf8")).toBe(text);
  });

  test("takes no file for a session of another name", async () => {
    using world = tempWorld();
    await lose(world, (rollcall) => rollcall.create({ id: "s" }));
    copyFileSync(world.filePath("s"), world.filePath("prefix-s"));
    await using rollcall = await world.open();
    const { restored, corrupt } = await restoreFromFiles(rollcall, world.workspace);
    expect([restored, corrupt.length]).toEqual([["s"], 1]);
  });

  test("reads a file that has no more than document 002 asks for", async () => {
    using world = tempWorld();
    mkdirSync(dirname(world.filePath("x")), { recursive: true });
    writeFileSync(world.filePath("session-20251208-143052-abc123"), JSON.stringify(DOCUMENT_002));
    await using rollcall = await world.open();
    await restoreFromFiles(rollcall, dirname(world.filePath("x")));
    const session = await rollcall.get("session-20251208-143052-abc123");
    expect(session).toMatchObject({
      role: "control",
      outcome: "success",
      state: "stopped",
      startedAt: "2025-12-08T14:30:52.000Z",
      endedAt: "2025-12-08T14:35:12.000Z",
    });
    expect(session.usage).toMatchObject({ tokensInput: 12450, tokensOutput: 3200, tokensTotal: 15650 });
    expect((await Array.fromAsync(rollcall.entries(session.id))).map(({ kind }) => kind)).toEqual([
      "text",
      "text",
      "tool_call",
    ]);
  });

  test("keeps the work of a session that goes on apart from the end of its process", async () => {
    using world = tempWorld();
    await lose(world, (rollcall) => rollcall.create({ id: "s" }));
    const file = world.readFile("s");
    const finalizedAt = world.clock.instant;
    writeFileSync(
      world.filePath("s"),
      JSON.stringify({
        ...file,
        origin: "started",
        phase: "completed",
        finalizedAt,
        endTime: finalizedAt,
        outcome: "success",
      }),
    );
    await using rollcall = await world.open();
    await restoreFromFiles(rollcall, world.workspace);
    expect(await rollcall.get("s")).toMatchObject({ state: "running", finalizedAt, endedAt: null });
  });

  test("of a folder that is not there says so", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    expect(await refusalOf(restoreFromFiles(rollcall, join(world.workspace, "nowhere")))).toBe("not_found");
  });

  test("gives the same files again", async () => {
    using world = tempWorld();
    await lose(world, async (rollcall) => {
      await rollcall.create({ id: "s" });
      await rollcall.addEntry("s", entry("text", 1));
    });
    const { order: _o, seq: _s, ...before } = world.readFile("s");
    await using rollcall = await world.open();
    await restoreFromFiles(rollcall, world.workspace);
    expect(world.readFile("s")).toMatchObject(before);
  });
});

const KINDS_IN_ORDER: readonly EntryKind[] = [
  "text",
  "tool_call",
  "tool_result",
  "thinking",
  "tool_call",
  "text",
  "notice",
];

const DOCUMENT_002 = {
  id: "session-20251208-143052-abc123",
  role: "control",
  model: "claude-sonnet-4-20250514",
  chainId: "CHAIN-037-agent-runtime-core",
  taskId: null,
  startTime: "2025-12-08T14:30:52.000Z",
  endTime: "2025-12-08T14:35:12.000Z",
  outcome: "success",
  tokenUsage: { input: 12450, output: 3200, total: 15650 },
  messages: [
    { role: "system", content: "..." },
    { role: "tool", name: "chain:status", content: "..." },
  ],
  toolCalls: [
    {
      timestamp: "2025-12-08T14:31:05.000Z",
      name: "chain:status",
      params: { chainId: "CHAIN-037" },
      result: { success: true },
      governanceResult: { allowed: true },
    },
  ],
};

function entry(kind: EntryKind, n: number): NewEntry {
  const tool = { name: `tool-${n}`, params: { n }, result: { n_n: n }, governanceResult: null };
  if (kind === "tool_call") return { role: "assistant", kind, text: null, tool };
  if (kind === "tool_result") return { role: "tool", kind, text: `result ${n}`, tool };
  return { role: kind === "text" ? "user" : "assistant", kind, text: `${kind} ${n}`, tool: null };
}

/** Does some work and loses the store afterwards; the record files stay. */
async function lose<T>(world: World, work: (rollcall: Rollcall) => Promise<T>): Promise<T> {
  const rollcall = await world.open();
  const result = await work(rollcall);
  await rollcall.close();
  rmSync(world.home, { recursive: true });
  expect(existsSync(world.home)).toBe(false);
  return result;
}
