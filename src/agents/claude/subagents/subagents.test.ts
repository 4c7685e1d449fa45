import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../domain/json.ts";
import { entriesOf, replay, turnsOf } from "../../../testing/agents/replay.ts";
import type { ClaudeMemory } from "../memory.ts";
import { parseTranscript } from "../transcript/transcript.ts";
import { subagents } from "./subagents.ts";
import { parseSubagent } from "./transcript.ts";

const AT = "2026-11-18T16:35:55.482Z";
const SESSION = "31cc0d88-97d1-4da7-91ff-35423633bc58";
const NESTED = join(import.meta.dirname, "..", "samples", "subagent-nested.jsonl");

function line(type: string, message: JsonObject, fields: JsonObject = {}): string {
  return JSON.stringify({ type, timestamp: AT, isSidechain: true, agentId: "a1", message, ...fields });
}

function parsed(...lines: readonly string[]) {
  let memory: ClaudeMemory = {};
  return lines.map((text) => {
    const result = parseSubagent(text, memory);
    memory = { ...memory, ...result.memory };
    return result;
  });
}

const task = line("user", { role: "user", content: "do it" });
const answer = (id: string, stop_reason: string | null, text = "done") =>
  line("assistant", {
    ...{ id, model: "claude-haiku-4-5", stop_reason, content: [{ type: "text", text }] },
    usage: { input_tokens: 5, output_tokens: 6 },
  });

describe("the transcript of a sub-agent of Claude Code", () => {
  test("has its own words, requests and turn (rule D4)", () => {
    const results = replay(NESTED, parseSubagent);
    expect(entriesOf(results).map((entry) => entry.slice(0, 60))).toEqual([
      expect.stringMatching(/^user text: \[\[usage:in=5/),
      expect.stringMatching(/^assistant tool_call: Bash/),
      'tool tool_result: Bash "hi"',
      expect.stringMatching(/^assistant tool_call: Task/),
      expect.stringMatching(/^tool tool_result: Task/),
      "assistant text: SUBDONE",
    ]);
    expect(results.flatMap(({ usage = [] }) => usage)).toHaveLength(3);
    expect(turnsOf(results)).toEqual(["begun", "over good"]);
  });

  test("ends its turn once, however many blocks its last message has, and begins another with the next text", () => {
    const results = parsed(task, answer("m1", "end_turn"), answer("m1", "end_turn"), task);
    expect(turnsOf(results)).toEqual(["begun", "over good", "begun"]);
  });

  test("begins no turn with an answer that has no message", () => {
    expect(turnsOf(parsed(task, answer("m1", "end_turn"), '{"type":"assistant"}'))).toEqual([
      "begun",
      "over good",
    ]);
  });

  test("goes on while its model calls tools or has not said why it stopped", () => {
    expect(turnsOf(parsed(task, answer("m1", null), answer("m2", "tool_use")))).toEqual(["begun"]);
  });

  test.each<[what: string, over: string, end: string]>([
    ["an interrupt", "over aborted", line("user", { content: "[Request interrupted by user]" })],
    [
      "an error of the API",
      "over failed API Error: 400",
      line(
        "assistant",
        { model: "<synthetic>", content: [{ type: "text", text: "API Error: 400" }] },
        { isApiErrorMessage: true },
      ),
    ],
  ])("ends its turn with %s", (_what, over, end) => {
    expect(turnsOf(parsed(task, end))).toEqual(["begun", over]);
  });
});

describe("a sub-agent of Claude Code", () => {
  const folder = `/c/projects/-project/${SESSION}/subagents`;

  test.each([
    ["beside others", `${folder}/agent-a7.jsonl`],
    ["in a workflow", `${folder}/workflows/w1/agent-a7.jsonl`],
  ])("is known by its path %s", (_where, path) => {
    expect(subagents.identify(path, "{}")).toEqual({ nativeId: "a7", sessionNativeId: SESSION });
  });

  test("of an older release is known by its first line", () => {
    const first = JSON.stringify({ sessionId: SESSION, agentId: "a7", isSidechain: true });
    expect(subagents.identify("/c/projects/-project/agent-a7.jsonl", first)).toEqual({
      nativeId: "a7",
      sessionNativeId: SESSION,
    });
  });

  test("is not taken for a session, nor a session for one", () => {
    expect(subagents.identify(`/c/projects/-project/${SESSION}.jsonl`, task)).toBeUndefined();
    expect(subagents.identify(`${folder}/agent-a7.meta.json`, "{}")).toBeUndefined();
  });

  test("is looked for below the folder that is named like the transcript of its session", () => {
    expect(subagents.folders(`/c/projects/-project/${SESSION}.jsonl`, new Date(AT), null)).toEqual([folder]);
  });

  test("is described beside its transcript", () => {
    expect(subagents.sidecar?.pathOf(`${folder}/agent-a7.jsonl`)).toBe(`${folder}/agent-a7.meta.json`);
    const content = {
      ...{ agentType: "general-purpose", description: "deep", toolUseId: "toolu_1", spawnDepth: 2 },
      ...{ parentAgentId: "a6", finished: true },
    };
    expect(subagents.sidecar?.parse(content)).toEqual({
      ...{ agentName: "general-purpose", purpose: "deep", callId: "toolu_1" },
      ...{ parentNativeId: "a6", isFinished: true },
    });
    expect(subagents.sidecar?.parse({ agentType: 7 })).toEqual({});
  });
});

describe("a side chain in the transcript of the session itself", () => {
  test("belongs to the sub-agent that it names", () => {
    const result = parseTranscript(answer("m1", "end_turn"), {});
    expect(result).toMatchObject({ child: { nativeId: "a1" }, usage: [{ requestKey: "m1" }] });
    expect(entriesOf([result])).toEqual(["assistant text: done"]);
  });

  test("that names none is paid by the session and is no part of its conversation", () => {
    const nameless = answer("m1", "end_turn").replace('"agentId":"a1",', "");
    const { child, entries, usage } = parseTranscript(nameless, {});
    expect([child, entries, usage?.map(({ requestKey }) => requestKey)]).toEqual([
      undefined,
      undefined,
      ["m1"],
    ]);
  });
});
