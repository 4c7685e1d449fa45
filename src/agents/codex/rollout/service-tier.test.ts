import { expect, test } from "vitest";
import type { JsonObject } from "../../../domain/json.ts";
import { createPriceRequest } from "../../../telemetry/prices.ts";
import type { CodexMemory } from "../memory.ts";
import { parseRollout, parseRolloutUsage } from "./rollout.ts";

const AT = "2026-09-01T10:00:00.000Z";

const turn = (id: string): JsonObject => ({
  type: "turn_context",
  payload: { turn_id: id, model: "gpt-5.5" },
});

const settings = (more: JsonObject): JsonObject => ({
  type: "event_msg",
  payload: { type: "thread_settings_applied", thread_settings: { model: "gpt-5.5", ...more } },
});

const response = (id: string): JsonObject => ({
  type: "token_usage_record",
  payload: { response_id: id, usage: { input_tokens: 1000, output_tokens: 100 } },
});

const counted = (total: number): JsonObject => ({
  type: "event_msg",
  payload: {
    type: "token_count",
    info: { total_token_usage: { input_tokens: total, output_tokens: 1 } },
  },
});

function requestsOf(parse: typeof parseRollout, lines: readonly JsonObject[]) {
  let memory: CodexMemory = {};
  return lines.flatMap((line) => {
    const parsed = parse(JSON.stringify({ timestamp: AT, ...line }), memory);
    memory = { ...memory, ...parsed.memory };
    return parsed.usage ?? [];
  });
}

const speeds = (...lines: readonly JsonObject[]) =>
  requestsOf(parseRollout, lines).map(({ serviceTier, speed }) => [serviceTier, speed]);

const FAST = ["priority", "fast"];
const USUAL = [null, null];

test.each([parseRollout, parseRolloutUsage])("a request at priority is priced as fast by %o", (parse) => {
  const [usual] = requestsOf(parse, [turn("a"), settings({}), response("r")]);
  const [fast] = requestsOf(parse, [turn("a"), settings({ service_tier: "priority" }), response("r")]);
  const price = createPriceRequest();
  const nanoUsd = (usual && price(usual).computedNanoUsd) ?? 0;
  expect(nanoUsd).toBeGreaterThan(0);
  expect(fast && price(fast)).toMatchObject({ speed: "fast", computedNanoUsd: nanoUsd * 2.5 });
});

test("settings behind the beginning of a turn count from its first request on", () => {
  expect(speeds(turn("a"), settings({ service_tier: "priority" }), response("1"), response("2"))).toEqual([
    FAST,
    FAST,
  ]);
});

test("settings that change in the middle of a turn count from the next turn on", () => {
  const change = settings({ service_tier: "priority" });
  expect(
    speeds(turn("a"), response("1"), change, turn("a"), response("2"), turn("b"), response("3")),
  ).toEqual([USUAL, USUAL, FAST]);
});

test("settings without a tier, or with the usual one, take the fast mode back", () => {
  const fast = settings({ service_tier: "priority" });
  const lines = [fast, turn("a"), response("1"), settings({ service_tier: null }), turn("b"), response("2")];
  expect(speeds(...lines)).toEqual([FAST, USUAL]);
  const usual = settings({ service_tier: "default" });
  expect(speeds(fast, turn("a"), response("1"), usual, turn("b"), response("2"))).toEqual([
    FAST,
    ["default", null],
  ]);
});

test("a release that names no requests has the tier too, and the older word for it", () => {
  expect(speeds(settings({ service_tier: "fast" }), turn("a"), counted(5), counted(9))).toEqual([
    ["fast", "fast"],
    ["fast", "fast"],
  ]);
});
