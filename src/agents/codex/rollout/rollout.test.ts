import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { entriesOf, replay, signalsOf, turnsOf } from "../../../testing/agents/replay.ts";
import { type CodexMemory, openCalls } from "../memory.ts";
import { identityInName, isOwnRollout, parseRollout, parseRolloutUsage } from "./rollout.ts";

const AT = "2026-11-16T21:26:24.617Z";
const SAMPLES = join(import.meta.dirname, "..", "samples");
const rollout = (name: string) => replay(join(SAMPLES, `rollout-${name}.jsonl`), parseRollout);

describe("a rollout", () => {
  test("tells its turns, what was said and which tools were called", () => {
    const parsed = rollout("scripts");
    expect(signalsOf(parsed)).toEqual([
      ...["working", "ready good", "working", "ready good"],
      ...["working", "ready aborted", "working", "ready good"],
    ]);
    expect(entriesOf(parsed).slice(0, 4)).toEqual([
      "user text: [[risky:touch f-accept]]",
      'assistant tool_call: exec_command {"cmd":"touch f-accept","sandbox_permissions":"require_escalated","justification":"Scripted reason"}',
      expect.stringMatching(/^tool tool_result: exec_command "Script completed/),
      "assistant text: done",
    ]);
  });

  test("that names its turns as newer releases do tells the same", () => {
    const events = [
      { type: "turn_started", turn_id: "t-1" },
      { type: "turn_complete", turn_id: "t-1", last_agent_message: "done" },
    ];
    const lines = events.map((payload) => JSON.stringify({ timestamp: AT, type: "event_msg", payload }));
    const parsed = lines.map((line) => parseRollout(line, {}));
    expect(parsed.map(({ turn, unknown }) => [turn, unknown])).toEqual([
      [{ isBegun: true }, undefined],
      [{ over: { result: "good", why: null } }, undefined],
    ]);
  });

  test("of a model that calls functions tells the same", () => {
    const parsed = rollout("functions");
    const calls = entriesOf(parsed).filter((entry) => entry.startsWith("assistant tool_call"));
    expect(calls).toEqual(
      entriesOf(rollout("scripts")).filter((entry) => entry.startsWith("assistant tool_call")),
    );
    expect(signalsOf(parsed)).toEqual(signalsOf(rollout("scripts")));
  });

  test("leaves out what Codex itself puts before and between", () => {
    const texts = ["scripts", "functions", "interrupts"].flatMap((name) => entriesOf(rollout(name)));
    expect(texts.filter((text) => /<environment_context>|<turn_aborted>|_instructions>/.test(text))).toEqual(
      [],
    );
    expect(texts.filter((text) => text.startsWith("user"))).toHaveLength(4 + 4 + 5);
  });

  test("tells of an interrupted turn, whatever it was in", () => {
    expect(signalsOf(rollout("interrupts"))).toEqual([
      ...["working", "ready aborted", "working", "ready aborted", "working", "ready aborted"],
      ...["working", "ready aborted", "working", "ready good"],
    ]);
  });

  test("marks where each turn begins and ends, and how it went", () => {
    expect(turnsOf(rollout("scripts"))).toEqual([
      ...["begun", "over good", "begun", "over good", "begun", "over aborted"],
      ...["begun", "over good"],
    ]);
    expect(turnsOf(rollout("errors"))).toContain(
      "over failed exceeded retry limit, last status: 429 Too Many Requests",
    );
  });

  test("tells why a turn failed, and that retries went well", () => {
    const parsed = rollout("errors");
    expect(signalsOf(parsed).filter((signal) => signal !== "working")).toEqual([
      ...["failed", "failed", "good", "failed", "failed", "good", "failed", "failed", "good"].map(
        (turn) => `ready ${turn}`,
      ),
    ]);
    expect(entriesOf(parsed).filter((entry) => entry.startsWith("system notice"))).toHaveLength(6);
  });

  test("tells who it is, and when each thing was said", () => {
    const parsed = rollout("scripts");
    expect(parsed[0]?.identity).toEqual({
      nativeId: "01a1e641-0580-7520-b632-c836c9b38745",
      agentVersion: "0.166.0",
    });
    expect(parsed.flatMap(({ identity }) => identity?.model ?? [])).toContain("gpt-6.1-sol");
    expect(parsed.every(({ at }) => at?.startsWith("2026-11-16T21:26:2"))).toBe(true);
  });

  test("counts each request once, in buckets of which none is part of another", () => {
    const usage = rollout("scripts").flatMap((parsed) => parsed.usage ?? []);
    expect(new Set(usage.map(({ requestKey }) => requestKey)).size).toBe(7);
    const line = JSON.stringify({
      timestamp: "2026-11-16T21:26:24.617Z",
      type: "token_usage_record",
      payload: {
        response_id: "resp_1",
        usage: {
          input_tokens: 3500,
          cached_input_tokens: 3000,
          cache_write_input_tokens: 400,
          output_tokens: 20,
          reasoning_output_tokens: 7,
        },
      },
    });
    expect(parseRollout(line, { model: "m" }).usage).toEqual([
      {
        ...{ requestKey: "resp_1", isShared: true, at: "2026-11-16T21:26:24.617Z", model: "m" },
        ...{ tokensInput: 100, tokensOutput: 20, tokensCacheRead: 3000, tokensCacheWrite: 400 },
        ...{ tokensCacheWriteHour: null, tokensReasoning: 7, webSearches: null, serviceTier: null },
        ...{ speed: null, reportedNanoUsd: null, computedNanoUsd: null, pricedBy: null },
      },
    ]);
  });

  test("tells only what was used where the app server tells the rest", () => {
    const parsed = replay(join(SAMPLES, "rollout-scripts.jsonl"), parseRolloutUsage);
    expect([signalsOf(parsed), entriesOf(parsed)]).toEqual([[], []]);
    expect(parsed.flatMap(({ usage = [] }) => usage)).toHaveLength(7);
  });

  test("knows the calls that wait for an answer", () => {
    const call = { type: "function_call", name: "exec_command", call_id: "c1", arguments: '{"cmd":"ls"}' };
    const line = (payload: object) =>
      JSON.stringify({ timestamp: "2026-11-16T21:26:24.617Z", type: "response_item", payload });
    const asked = parseRollout(line(call), {}).memory ?? {};
    expect(openCalls(asked)).toEqual([{ id: "c1", name: "exec_command", input: { cmd: "ls" } }]);
    const answered = parseRollout(line({ type: "function_call_output", call_id: "c1", output: "x" }), asked);
    expect(openCalls(answered.memory ?? {})).toEqual([]);
    expect(answered.entries?.[0]?.tool).toEqual({ name: "exec_command", callId: "c1", result: "x" });
  });
});

describe("the name of a rollout", () => {
  const ID = "01a1e645-3330-7db1-aec1-e9f544f897db";

  test.each([
    [`rollout-2026-11-16T21-30-57-${ID}.jsonl`, { nativeId: ID }],
    [`rollout-2026-11-16T21-30-57-${ID}_11111111-2222-4333-8444-555555555555.jsonl`, { nativeId: ID }],
    [`rollout-2026-11-16T21-30-57-${ID}.jsonl (deleted)`, undefined],
    [`${ID}.lock`, undefined],
    ["history.jsonl", undefined],
  ])("%s says %j", (name, identity) => {
    expect(identityInName(name)).toEqual(identity);
  });
});

describe("a rollout in the same process", () => {
  const line = (payload: object) =>
    JSON.stringify({ type: "session_meta", payload: { id: "1", ...payload } });

  test.each([
    ["the session's", line({ source: "cli", thread_source: "user" }), true],
    ["a fork's", line({ source: "cli", thread_source: "user", forked_from_id: "0" }), true],
    [
      "a sub-agent's",
      line({ source: { subagent: {} }, thread_source: "subagent", parent_thread_id: "0" }),
      false,
    ],
    ["one without its first line yet", "", false],
  ])("is known to be %s", (_, first, isOwn) => {
    expect(isOwnRollout(first)).toBe(isOwn);
  });
});

test("of calls without a result only the newest are remembered, with the beginning of their parameters", () => {
  let memory: CodexMemory = {};
  for (let n = 0; n < 400; n++) {
    const payload = {
      ...{ type: "function_call", call_id: `c${n}`, name: "exec_command" },
      arguments: JSON.stringify({ cmd: "x".repeat(100_000) }),
    };
    const line = { timestamp: "2026-01-01T00:00:00.000Z", type: "response_item", payload };
    memory = { ...memory, ...parseRollout(JSON.stringify(line), memory).memory };
  }
  expect(memory.calls).toHaveLength(200);
  expect(JSON.stringify(memory).length).toBeLessThan(1_000_000);
});
