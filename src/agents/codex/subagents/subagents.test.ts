import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../domain/json.ts";
import { entriesOf, replay, turnsOf } from "../../../testing/agents/replay.ts";
import type { CodexMemory } from "../memory.ts";
import { parseSubagent } from "./rollout.ts";
import { subagents } from "./subagents.ts";

const AT = "2026-11-18T16:34:12.780Z";
const SAMPLES = join(import.meta.dirname, "..", "samples");
const sample = (name: string) => join(SAMPLES, `subagent-${name}.jsonl`);
const firstLine = (name: string) => readFileSync(sample(name), "utf8").split("\n")[0] as string;
const rollout = (id: string) => `/c/sessions/2026/11/18/rollout-2026-11-18T16-34-12-${id}.jsonl`;

describe("the rollout of a sub-agent of Codex", () => {
  test("has its own words, requests and turn", () => {
    const results = replay(sample("spawned"), parseSubagent);
    expect(entriesOf(results)).toEqual([
      expect.stringMatching(/^user text: \[\[usage:in=5/),
      'assistant tool_call: exec_command {"cmd":"echo hi"}',
      expect.stringMatching(/^tool tool_result: exec_command/),
      "assistant text: SUBDONE",
    ]);
    expect(results.flatMap(({ usage = [] }) => usage)).toMatchObject([
      { tokensInput: 5, tokensOutput: 6, tokensCacheRead: 7, tokensCacheWrite: 8 },
      { tokensInput: 5, tokensOutput: 6, tokensCacheRead: 7, tokensCacheWrite: 8 },
    ]);
    expect(turnsOf(results)).toEqual(["begun", "over good"]);
    expect(results.some(({ signal }) => signal)).toBe(false);
  });

  test("that takes over its parent's history begins where its own lines do (rule C4)", () => {
    const results = replay(sample("forked"), parseSubagent);
    expect(entriesOf(results).filter((entry) => entry.startsWith("user"))).toEqual([]);
    expect(turnsOf(results)).toEqual(["begun", "over aborted"]);
    expect(results.flatMap(({ usage = [] }) => usage)).toHaveLength(2);
    expect(results.flatMap(({ identity }) => identity?.nativeId ?? [])).toEqual([]);
  });

  test("of an older release leaves out the turns that its parent has (rule C2)", () => {
    const meta = (id: string) => ({ type: "session_meta", payload: { id, cli_version: "0.60.0" } });
    const turn = (id: string): JsonObject[] => [
      { type: "event_msg", payload: { type: "task_started", turn_id: id } },
      { type: "turn_context", payload: { turn_id: id, model: "gpt-5.4" } },
      { type: "event_msg", payload: { type: "task_complete", turn_id: id } },
    ];
    const lines = [meta("child"), meta("parent"), ...turn("t1"), ...turn("t2")];
    const parse = (memory: CodexMemory) => {
      let remembered = memory;
      return lines.map((line) => {
        const result = parseSubagent(JSON.stringify({ timestamp: AT, ...line }), remembered);
        remembered = { ...remembered, ...result.memory };
        return result;
      });
    };
    expect(turnsOf(parse({ inheritedTurns: ["t1"] }))).toEqual(["begun", "over good"]);
  });
});

describe("a sub-agent of Codex", () => {
  test("is known by its first line, with the task and the part that it has", () => {
    expect(subagents.identify(rollout("01a1ef82-3eac-7e01-8319-5adf01e4d7ba"), firstLine("spawned"))).toEqual(
      {
        nativeId: "01a1ef82-3eac-7e01-8319-5adf01e4d7ba",
        sessionNativeId: "01a1ef82-3dc8-7731-94b8-77adbdf7e551",
        agentName: "worker",
        purpose: "Feynman",
        beganAt: expect.stringMatching(/^2026-11-18T16:34:12/),
      },
    );
    expect(
      subagents.identify(rollout("01a1ef83-44be-7a70-8fe0-87ec9e4c9f36"), firstLine("forked")),
    ).toMatchObject({ purpose: "helper" });
  });

  test("of a sub-agent names both the session and the one that started it", () => {
    const payload = { id: "c", session_id: "root", parent_thread_id: "b" };
    const line = JSON.stringify({ type: "session_meta", payload });
    expect(subagents.identify(rollout("01a1ef82-3eac-7e01-8319-5adf01e4d7ba"), line)).toEqual({
      ...{ nativeId: "c", sessionNativeId: "root", parentNativeId: "b" },
    });
  });

  test("is not seen in the rollout of a session", () => {
    const payload = { id: "c", session_id: "c", source: "cli", thread_source: "user", forked_from_id: "b" };
    const line = JSON.stringify({ type: "session_meta", payload });
    expect(subagents.identify(rollout("01a1ef82-3eac-7e01-8319-5adf01e4d7ba"), line)).toBeUndefined();
    expect(subagents.identify("/c/sessions/2026/11/18/other.jsonl", firstLine("spawned"))).toBeUndefined();
  });

  test("is looked for on the day that its session began, and today", () => {
    const now = new Date(2026, 11, 1, 0, 5);
    expect(subagents.folders("/c/sessions/2026/11/30/rollout-x.jsonl", now, null)).toEqual([
      "/c/sessions/2026/11/30",
      "/c/sessions/2026/12/01",
    ]);
    expect(subagents.folders("/elsewhere/rollout-x.jsonl", now, null)).toEqual(["/elsewhere"]);
  });
});
