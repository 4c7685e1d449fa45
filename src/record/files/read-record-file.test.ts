import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { tempWorld, type World } from "../../testing/temp-rollcall.ts";
import { restoreFromFiles } from "./restore-files.ts";

describe("a record file", () => {
  test.each(GARBAGE)("takes a file with garbage in %s for damaged (case %#)", async (field, value) => {
    using world = tempWorld();
    await loseStore(world, { [field]: value });
    const text = readFileSync(world.filePath("s"), "utf8");
    await using rollcall = await world.open();
    const { restored, corrupt } = await restoreFromFiles(rollcall, world.workspace);
    expect([restored, corrupt.length]).toEqual([[], 1]);
    expect(corrupt[0]?.problem).toContain(field);
    expect(await rollcall.find("s")).toBeUndefined();
    expect(readFileSync(world.filePath("s"), "utf8")).toBe(text);
  });

  test("brings times in the one form that the store compares, whichever form they have", async () => {
    using world = tempWorld();
    const times = { lastActiveAt: "2026-01-08 18:05:30+00:00", stateSince: "2026-01-08T18:05" };
    await loseStore(world, times);
    await using rollcall = await world.open();
    await restoreFromFiles(rollcall, world.workspace);
    expect(await rollcall.get("s")).toMatchObject({
      lastActiveAt: "2026-01-08T18:05:30.000Z",
      stateSince: "2026-01-08T18:05:00.000Z",
    });
  });

  test("gives neutral words for those of a later version, and 0 for counters below it", async () => {
    using world = tempWorld();
    const later = { agentType: "newer", kind: "newer", state: "newer", phase: "newer", errorCount: -1 };
    await loseStore(world, { ...later, newer: [1] });
    await using rollcall = await world.open();
    await restoreFromFiles(rollcall, world.workspace);
    expect(await rollcall.get("s")).toMatchObject({
      agentType: "unknown",
      kind: "interactive",
      state: "unknown",
      phase: "initializing",
      errorCount: 0,
    });
  });
});

const TIMES = [
  "createdAt",
  "endedAt",
  "stateSince",
  "startedAt",
  "finalizedAt",
  "lastActiveAt",
  "lastInputAt",
];
const GARBAGE: readonly (readonly [string, unknown])[] = [
  ...TIMES.flatMap((name) => [[name, "garbage"] as const, [name, 5] as const]),
  ["lastActiveAt", null],
  ["stateSince", null],
  ["state", 5],
  ["phase", null],
  ["name", 5],
  ["goal", { text: "x" }],
  ["metadata", "text"],
  ["metadata", { large: "x".repeat(70_000) }],
  ["history", "none"],
  ["history", [{ fromPhase: "planning", toPhase: "approval", timestamp: "garbage" }]],
  ["history", [5]],
  ["lastError", { message: "m", at: "garbage" }],
  ["lastError", { at: "2026-01-08T18:05:30Z" }],
  ["waiting", { for: "prompt", since: "garbage" }],
  ["process", { pid: "1", startTime: "1", bootId: "b" }],
  ["exitCode", "0"],
  ["generation", "2"],
  ["errorCount", "many"],
  ["resumeCount", null],
  ["resumeReady", "yes"],
  ["usage", 5],
  ["usage", { tokensTotal: 5, tokensInput: "5" }],
  ["messages", {}],
  ["messages", ["text"]],
  ["messages", [{ role: "user", content: "x", tool: 5 }]],
  ["messages", [{ role: "user", content: "x", name: 5 }]],
  ["messages", [{ role: "user", content: "x", toolCalls: ["call"] }]],
  ["toolCalls", "none"],
  ["toolCalls", [{ params: {} }]],
  ["toolCalls", [{ name: "x", timestamp: "garbage" }]],
  ["order", "none"],
  [
    "order",
    [
      { list: "messages", kind: "text", at: "garbage" },
      { list: "toolCalls", kind: "tool_call", at: 5 },
    ],
  ],
].map(([field, value]) => [field as string, value] as const);

/** A record file whose store is lost, with other values in it. */
async function loseStore(world: World, values: object): Promise<void> {
  const rollcall = await world.open();
  await rollcall.create({ id: "s" });
  await rollcall.addEntry("s", { role: "user", kind: "text", text: "hello", tool: null });
  await rollcall.addEntry("s", { role: "assistant", kind: "tool_call", text: null, tool: { name: "Read" } });
  await rollcall.close();
  rmSync(world.home, { recursive: true });
  writeFileSync(world.filePath("s"), JSON.stringify({ ...world.readFile("s"), ...values }));
}
