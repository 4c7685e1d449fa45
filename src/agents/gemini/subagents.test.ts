import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { entriesOf, replay, turnsOf } from "../../testing/agents/replay.ts";
import { parseChat } from "./chat/chat.ts";
import type { GeminiMemory } from "./memory.ts";
import { subagents } from "./subagents.ts";

const SAMPLE = join(import.meta.dirname, "samples", "subagent.jsonl");
const HEAD = readFileSync(SAMPLE, "utf8").split("\n")[0] as string;
const CHATS = "/home/someone/.gemini/tmp/project/chats";
const SESSION = "e7a7272f-7fd0-40f4-9724-d0dbf28aedeb";
const AT = "2026-11-18T20:00:00.000Z";

describe("a sub-agent of Gemini CLI", () => {
  test("has its own words and requests, and one turn that ends with its last call", () => {
    const results = replay(SAMPLE, subagents.parse);
    expect(entriesOf(results)).toEqual([
      expect.stringMatching(/^user text: \[\[usage:in=5/),
      'assistant tool_call: complete_task {"result":{"response":"helped"}}',
      expect.stringMatching(/^tool tool_result: complete_task/),
    ]);
    const requests = results.flatMap(({ usage = [] }) => usage);
    expect(new Set(requests.map(({ requestKey }) => requestKey)).size).toBe(2);
    expect(turnsOf(results)).toEqual(["begun", "over good"]);
  });

  test("that is told to hand its result over is still in its first turn", () => {
    const said = (id: string, type: string, text: string) => ({
      ...{ id, timestamp: AT, type, content: [{ text }] },
      ...(type === "gemini" ? { model: "m" } : {}),
    });
    const lines = [
      said("1", "user", "do it"),
      said("2", "gemini", "done"),
      said("3", "user", "You have stopped calling tools"),
    ];
    let memory: GeminiMemory = {};
    const results = lines.map((line) => {
      const parsed = subagents.parse(JSON.stringify(line), memory);
      memory = { ...memory, ...parsed.memory };
      return parsed;
    });
    expect(turnsOf(results)).toEqual(["begun"]);
  });

  test("is found by its head, in the folder of its session", () => {
    expect(
      subagents.folders(`${CHATS}/session-2026-11-19T04-37-e7a7272f.jsonl`, new Date(0), SESSION),
    ).toEqual([`${CHATS}/${SESSION}`]);
    expect(subagents.identify(`${CHATS}/${SESSION}/b022aeae.jsonl`, HEAD)).toEqual({
      nativeId: "b022aeae-ae0b-48c9-a754-7d5a748281de",
      sessionNativeId: SESSION,
      beganAt: "2026-11-19T04:37:39.151Z",
    });
    const main = HEAD.replace('"subagent"', '"main"');
    expect(subagents.identify(`${CHATS}/${SESSION}/b022aeae.jsonl`, main)).toBeUndefined();
    expect(subagents.identify(`${CHATS}/session-2026-11-19T04-37-e7a7272f.jsonl`, HEAD)).toBeUndefined();
  });

  test("is done when the call of its session has a result, however it went", () => {
    const call = (status: string) =>
      parseChat(
        JSON.stringify({
          ...{ id: "a", timestamp: AT, type: "gemini", model: "m", content: "" },
          toolCalls: [{ id: "c", name: "invoke_agent", status, agentId: "b" }],
        }),
        {},
      ).doneChildren;
    expect([call("executing"), call("success"), call("error")]).toEqual([undefined, ["b"], ["b"]]);
  });
});
