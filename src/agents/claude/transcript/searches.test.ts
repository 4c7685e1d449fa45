import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../domain/json.ts";
import type { ClaudeMemory } from "../memory.ts";
import { parseRecord } from "./transcript.ts";

const AT = "2026-11-16T21:26:24.617Z";

function answer(output: number, content: JsonObject, more: JsonObject = {}): JsonObject {
  const usage = { input_tokens: 1, output_tokens: output, ...more };
  const message = { id: "msg_1", role: "assistant", model: "claude-opus-5", content: [content], usage };
  return { type: "assistant", timestamp: AT, requestId: "req_1", uuid: "u", message };
}

const searchCall = (id: string): JsonObject => ({ type: "tool_use", id, name: "WebSearch", input: {} });

function result(id: string, searchCount: number): JsonObject {
  const message = { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "found" }] };
  return { type: "user", timestamp: AT, uuid: "r", message, toolUseResult: { searchCount } };
}

/** The searches and the output of each report of a request. */
function reports(...lines: readonly JsonObject[]): (readonly [number | null, number | null])[] {
  let memory: ClaudeMemory = {};
  return lines.flatMap((line) => {
    const parsed = parseRecord(line, memory);
    memory = { ...memory, ...parsed.memory };
    return (parsed.usage ?? []).map(({ webSearches, tokensOutput }) => [webSearches, tokensOutput] as const);
  });
}

describe("the web searches of a request", () => {
  test("are those that the result of its tool counts", () => {
    expect(reports(answer(9, searchCall("t1")), result("t1", 3))).toEqual([
      [null, 9],
      [3, 9],
    ]);
  });

  test("add up over the calls of one answer, with its greatest output", () => {
    const lines = [
      answer(9, { type: "text", text: "a" }),
      answer(5, searchCall("t1")),
      answer(7, searchCall("t2")),
    ];
    expect(reports(...lines, result("t1", 3), result("t2", 1)).slice(-2)).toEqual([
      [3, 9],
      [4, 9],
    ]);
  });

  test("are not counted again where the request counts them itself", () => {
    const own = { server_tool_use: { web_search_requests: 2 } };
    expect(reports(answer(9, searchCall("t1"), own), result("t1", 2))).toEqual([[2, 9]]);
  });

  test("of another tool's result are none", () => {
    expect(reports(answer(9, searchCall("t1")), result("t2", 3))).toEqual([[null, 9]]);
  });
});

test("a remembered search that is no request is passed over", () => {
  const memory = { searching: { call: null } } as unknown as ClaudeMemory;
  expect(parseRecord(answer(5, searchCall("other")), memory).memory?.searching).toMatchObject({
    other: { requestKey: expect.any(String) },
  });
  expect(parseRecord(result("call", 2), memory).usage ?? []).toEqual([]);
});
