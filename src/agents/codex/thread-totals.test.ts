import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentTotals, addTotals, type ModelTotal } from "../../domain/reported-totals.ts";
import { replay } from "../../testing/agents/replay.ts";
import { parseStream } from "./autonomous/stream.ts";
import type { CodexMemory } from "./memory.ts";
import { parseRollout } from "./rollout/rollout.ts";

const SAMPLES = join(import.meta.dirname, "samples");
const rollout = (name: string) => replay(join(SAMPLES, `rollout-${name}.jsonl`), parseRollout);
const stream = (name: string) => replay(join(SAMPLES, `stream-${name}.jsonl`), parseStream);
const totalsIn = (parsed: readonly { totals?: AgentTotals }[]) =>
  parsed.flatMap(({ totals }) => totals ?? []);
const newIn = (totals: readonly AgentTotals[]) =>
  totals.flatMap(({ sinceLast }) => [sinceLast ?? []]).reduce<readonly ModelTotal[]>(addTotals, []);

describe("the totals of Codex", () => {
  test.each(["scripts", "functions", "interrupts"])(
    "at the end of each turn of the rollout %s are those of its requests",
    (name) => {
      const parsed = rollout(name);
      const used = parsed
        .flatMap(({ usage = [] }) => usage)
        .map(({ tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite }): ModelTotal[] => [
          { model: null, tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite, nanoUsd: null },
        ])
        .reduce<readonly ModelTotal[]>(addTotals, []);
      const totals = totalsIn(parsed);
      expect(totals.at(-1)).toMatchObject({ source: "transcript", countsSubagents: false, total: used });
      expect(newIn(totals)).toEqual(used);
    },
  );

  test.each(["approvals", "edits"])("at the end of each turn of the stream %s are what is new", (name) => {
    const totals = totalsIn(stream(name));
    expect(totals.length).toBeGreaterThan(1);
    expect(newIn(totals)).toEqual(totals.at(-1)?.total);
  });

  test("in the stream count a message that is sent again once, and one before the first turn not at all", () => {
    const used = (input: number) => ({ inputTokens: input, cachedInputTokens: 30, outputTokens: 5 });
    const updated = (turnId: string, total: number, last: number) => ({
      method: "thread/tokenUsage/updated",
      params: { threadId: "t", turnId, tokenUsage: { total: used(total), last: used(last) } },
    });
    const done = { method: "turn/completed", params: { threadId: "t", turn: { status: "completed" } } };
    const started = { method: "turn/started", params: { threadId: "t", turn: { id: "new" } } };
    let memory: CodexMemory = { thread: "t" };
    const said: AgentTotals[] = [];
    for (const line of [
      ...[updated("old", 100, 100), done, started],
      ...[updated("new", 150, 50), updated("new", 150, 50), done, done],
    ]) {
      const parsed = parseStream(JSON.stringify(line), memory);
      memory = { ...memory, ...parsed.memory };
      if (parsed.totals) said.push(parsed.totals);
    }
    expect(said).toMatchObject([
      {
        source: "stream",
        total: [{ tokensInput: 120, tokensCacheRead: 30 }],
        sinceLast: [{ tokensInput: 20 }],
      },
    ]);
  });
});
