import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../domain/json.ts";
import type { UsageEntry } from "../../../domain/usage.ts";
import { replay } from "../../../testing/agents/replay.ts";
import type { CodexMemory } from "../memory.ts";
import { parseRollout } from "./rollout.ts";

const AT = "2026-11-16T21:26:24.617Z";
const TURN = "01a1e642-8d8f-7991-84ce-5fbedce5250c";
const SAMPLES = join(import.meta.dirname, "..", "samples");

function used(input: number, output: number, more: JsonObject = {}): JsonObject {
  return { input_tokens: input, output_tokens: output, ...more };
}

function tokenCount(total: Json, last?: Json): JsonObject {
  const info = { total_token_usage: total, ...(last === undefined ? {} : { last_token_usage: last }) };
  return { type: "event_msg", payload: { type: "token_count", info } };
}

function turnContext(turnId: string): JsonObject {
  return { type: "turn_context", payload: { turn_id: turnId, model: "gpt-5.4" } };
}

function usageOf(...lines: readonly JsonObject[]): UsageEntry[] {
  let memory: CodexMemory = {};
  return lines.flatMap((line) => {
    const parsed = parseRollout(JSON.stringify({ timestamp: AT, ...line }), memory);
    memory = { ...memory, ...parsed.memory };
    return parsed.usage ?? [];
  });
}

const amounts = (...lines: readonly JsonObject[]) =>
  usageOf(...lines).map(({ tokensInput, tokensOutput }) => [tokensInput, tokensOutput]);

describe("a rollout that names no requests", () => {
  test("counts what each last request used, for the model of its turn", () => {
    const last = used(3500, 20, { cached_input_tokens: 3000, cache_write_input_tokens: 400 });
    const [request] = usageOf(turnContext(TURN), tokenCount({ ...last, total_tokens: 3520 }, last));
    expect(request).toMatchObject({
      ...{ model: "gpt-5.4", isShared: true, tokensInput: 100, tokensOutput: 20 },
      ...{ tokensCacheRead: 3000, tokensCacheWrite: 400 },
    });
  });

  test("counts a request once whose totals are written again", () => {
    const once = tokenCount(used(100, 20), used(100, 20));
    expect(amounts(turnContext(TURN), once, once, tokenCount(used(300, 50), used(200, 30)))).toEqual([
      [100, 20],
      [200, 30],
    ]);
  });

  test("counts the rise of the totals where the last request is missing, and all of them after a reset", () => {
    const totals = [used(100, 20), used(300, 50), used(40, 5)].map((total) => tokenCount(total));
    expect(amounts(turnContext(TURN), ...totals)).toEqual([
      [100, 20],
      [200, 30],
      [40, 5],
    ]);
  });

  test("counts nothing where there is no information", () => {
    expect(amounts({ type: "event_msg", payload: { type: "token_count", info: null } })).toEqual([]);
  });

  test("gives the copy of a request in a fork the key of its origin, however it is stamped", () => {
    const lines = [turnContext(TURN), tokenCount(used(100, 20), used(100, 20))];
    const later = { timestamp: "2026-11-17T00:00:00.000Z" };
    const [origin] = usageOf(...lines);
    const [copy] = usageOf(...lines.map((line) => ({ ...line, ...later })));
    expect([copy?.requestKey, copy?.isShared]).toEqual([origin?.requestKey, true]);
  });

  test("gives requests of two turns with the same totals two keys", () => {
    const other = TURN.replace("01a1", "01a2");
    const count = tokenCount(used(100, 20), used(100, 20));
    const keys = [TURN, other].flatMap((turn) => usageOf(turnContext(turn), count));
    expect(new Set(keys.map(({ requestKey }) => requestKey)).size).toBe(2);
  });

  test("counts requests after a reset in mid-turn, though the totals are those of earlier ones again", () => {
    const counts = [1, 2, 1, 2].map((times) => tokenCount(used(100 * times, 20 * times), used(100, 20)));
    const keys = usageOf(turnContext(TURN), ...counts).map(({ requestKey }) => requestKey);
    expect(new Set(keys).size).toBe(4);
  });

  test("counts nothing for totals that a fork takes over without a request", () => {
    const lines = [tokenCount(used(500, 60), used(0, 0)), tokenCount(used(600, 80), used(100, 20))];
    expect(amounts(turnContext(TURN), ...lines)).toEqual([[100, 20]]);
  });

  test("keeps what a turn used that was rolled back", () => {
    const back = { type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } };
    expect(amounts(turnContext(TURN), tokenCount(used(100, 20), used(100, 20)), back)).toEqual([[100, 20]]);
  });
});

test.each(["functions", "scripts", "interrupts", "errors"])(
  "the rollout of %s, which names its requests, counts each of them once and no totals beside them",
  (name) => {
    const parsed = replay(join(SAMPLES, `rollout-${name}.jsonl`), parseRollout);
    const keys = parsed.flatMap(({ usage = [] }) => usage.map(({ requestKey }) => requestKey));
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => !key.startsWith("resp_"))).toEqual([]);
  },
);
