import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../domain/json.ts";
import { parseTranscript } from "./transcript.ts";

const AT = "2026-11-16T21:26:24.617Z";
const USED = { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 3000 };

function line(fields: JsonObject, usage: JsonObject = USED, id: Json = "msg_1"): string {
  const message = { id, model: "claude-opus-5", role: "assistant", content: [], usage };
  return JSON.stringify({ type: "assistant", timestamp: AT, uuid: "u-1", message, ...fields });
}

function usageOf(text: string) {
  return parseTranscript(text, {}).usage ?? [];
}

describe("the usage in a line of Claude Code", () => {
  test("of each block of a streamed answer has one key, which the store counts once", () => {
    const blocks = [5, 200, 631].map((output) =>
      usageOf(line({ requestId: "req_1" }, { ...USED, output_tokens: output })),
    );
    const reports = blocks
      .flat()
      .map(({ requestKey, isShared, tokensOutput }) => [...[requestKey, isShared, tokensOutput]]);
    expect(reports).toEqual([5, 200, 631].map((output) => ["msg_1", true, output]));
  });

  test("of a copy in a resumed or forked conversation is the same", () => {
    const copy = line({ requestId: "req_1", sessionId: "fork", sessionKind: "bg" });
    expect(usageOf(copy)).toEqual(usageOf(line({ requestId: "req_1", sessionId: "origin" })));
  });

  test("that a side chain repeats with another request id is the same request, and the sub-agent's to report", () => {
    const aside = parseTranscript(line({ requestId: "req_2", isSidechain: true, agentId: "a1" }), {});
    expect(aside.child).toEqual({ nativeId: "a1" });
    expect(aside.usage).toEqual(usageOf(line({ requestId: "req_1" })));
  });

  test.each<[what: string, fields: JsonObject, id: Json, key: string]>([
    ["without the id of its request, by that of the message", {}, "msg_1", "msg_1"],
    ["without the id of its message, by that of the request", { requestId: "req_1" }, null, "req_1"],
    ["without either, by that of the line", { uuid: "u-7" }, null, "u-7"],
  ])("is known %s", (_what, fields, id, key) => {
    expect(usageOf(line(fields, USED, id)).map(({ requestKey }) => requestKey)).toEqual([key]);
  });

  test.each<[costUSD: Json, nanoUsd: number | null]>([
    [0.2581, 258_100_000],
    ["0.2", null],
    [-1, null],
  ])("has the cost that an old release reported: %j", (costUSD, nanoUsd) => {
    expect(usageOf(line({ costUSD })).map(({ reportedNanoUsd }) => reportedNanoUsd)).toEqual([nanoUsd]);
  });

  test("without any id is not counted", () => {
    expect(usageOf(line({ uuid: null }, USED, null))).toEqual([]);
  });

  test.each<[what: string, usage: JsonObject, all: number | null, hour: number | null]>([
    ["without a breakdown", { cache_creation_input_tokens: 400 }, 400, null],
    ["with a breakdown", { cache_creation_input_tokens: 400, cache_creation: writes(100, 300) }, 400, 300],
    [
      "whose sum an older release left at 0",
      { cache_creation_input_tokens: 0, cache_creation: writes(100, 300) },
      400,
      300,
    ],
    ["that nobody measured", {}, null, null],
  ])("has cache writes %s", (_what, usage, all, hour) => {
    expect(usageOf(line({}, usage))).toMatchObject([{ tokensCacheWrite: all, tokensCacheWriteHour: hour }]);
  });

  test("has its searches, tier and speed", () => {
    const more = { server_tool_use: { web_search_requests: 2 }, service_tier: "standard", speed: "fast" };
    expect(usageOf(line({}, { ...USED, ...more }))).toMatchObject([
      { webSearches: 2, serviceTier: "standard", speed: "fast" },
    ]);
    const odd = { server_tool_use: 7, service_tier: "x".repeat(500), speed: {} };
    expect(usageOf(line({}, { ...USED, ...odd }))).toMatchObject([
      { webSearches: null, serviceTier: null, speed: null },
    ]);
  });
});

function writes(minutes: number, hour: number): JsonObject {
  return { ephemeral_5m_input_tokens: minutes, ephemeral_1h_input_tokens: hour };
}
