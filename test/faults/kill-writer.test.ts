import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openRollcall, type Rollcall } from "../../src/index.ts";
import { Child } from "./child.ts";
import { Place } from "./place.ts";
import { type Random, report, seededRandom, times } from "./scale.ts";

interface Writing {
  /** How many calls are under way at once. */
  readonly flight: number;
  readonly bytes: number;
  /** Whether the record file has to show every acknowledged call before anyone opens the store again. */
  readonly isFilePrompt: boolean;
}

const WRITINGS: readonly (readonly [title: string, writing: Writing])[] = [
  ["a writer of a small record file", { flight: 1, bytes: 100, isFilePrompt: true }],
  ["a writer with eight calls under way", { flight: 8, bytes: 100, isFilePrompt: true }],
  ["a writer of a large record file", { flight: 4, bytes: 40_000, isFilePrompt: false }],
];

test.each(WRITINGS)("kill -9 of %s loses no acknowledged call", async (title, writing) => {
  using place = new Place("kill");
  const random = seededRandom(`kill -9 of ${title}`);
  const rounds = times(20, 200);
  let acknowledged = 0;
  for (let round = 0; round < rounds; round++) {
    // A store is killed twenty times; with more, verifying it would take most of the time.
    const home = place.path(`home-${Math.floor(round / 20)}`);
    acknowledged += await killOnce(place, home, writing, random);
  }
  const partials = readdirSync(sessionsFolder(place)).filter((name) => name.includes(".partial-")).length;
  report(
    `${title}: ${rounds} kills, ${acknowledged} acknowledged, 0 lost; ${partials} partial record files left`,
  );
  expect(acknowledged).toBeGreaterThan(rounds);
});

async function killOnce(place: Place, home: string, writing: Writing, random: Random): Promise<number> {
  const workspace = place.folder("workspace");
  const args = [home, workspace, String(writing.flight), String(writing.bytes)];
  const writer = new Child("record-calls.ts", args, { env: place.env });
  // Now and then it dies while it starts: in the middle of opening, recovering or creating.
  if (random.below(5) === 0) await sleep(random.between(60, 250));
  else {
    await writer.said(1);
    await sleep(random.between(0, 350));
  }
  expect((await writer.kill()).signal).toBe("SIGKILL");
  const [id, ...numbers] = writer.lines;
  if (id === undefined) return 0;
  const acknowledged = numbers.map(Number);
  if (writing.isFilePrompt) expectInFile(place, id, acknowledged);
  await using rollcall = await openRollcall({ home, cwd: workspace, env: {} });
  const inStore = await expectInStore(rollcall, id, acknowledged);
  // Opening the store mends small files only.
  if (!writing.isFilePrompt) await rollcall.saveFile(id);
  await rollcall.close();
  expect(expectInFile(place, id, acknowledged)).toEqual(inStore);
  return acknowledged.length;
}

/** Once each, in the order of the calls, nothing between them missing. */
async function expectInStore(
  rollcall: Rollcall,
  id: string,
  acknowledged: readonly number[],
): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { tool, text } of rollcall.entries(id))
    numbers.push(tool ? (tool.params as { n: number }).n : Number(text));
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => n));
  expect(numbers).toEqual(expect.arrayContaining([...acknowledged]));
  expect((await rollcall.verify()).problems).toEqual([]);
  return numbers;
}

function expectInFile(place: Place, id: string, acknowledged: readonly number[]): number[] {
  const path = join(sessionsFolder(place), `${id}.json`);
  expect(existsSync(path)).toBe(true);
  const { messages, toolCalls, order } = JSON.parse(readFileSync(path, "utf8"));
  const next = { messages: messages.values(), toolCalls: toolCalls.values() };
  const numbers: number[] = order.map(({ list }: { list: "messages" | "toolCalls" }) => {
    const item = next[list].next().value;
    return list === "messages" ? Number(item.content) : item.params.n;
  });
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => n));
  expect(numbers).toHaveLength(messages.length + toolCalls.length);
  expect(numbers).toEqual(expect.arrayContaining([...acknowledged]));
  return numbers;
}

function sessionsFolder(place: Place): string {
  return join(place.folder("workspace"), ".rollcall", "sessions");
}
