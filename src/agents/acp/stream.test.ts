import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../domain/json.ts";
import { replayConversation } from "../../testing/agents/acp-conversation.ts";
import { memories } from "../../testing/agents/agent-words.ts";
import { entriesOf, signalsOf } from "../../testing/agents/replay.ts";
import { replacePart, sampleLines } from "../../testing/agents/samples.ts";
import { expectWellFormed } from "../../testing/agents/well-formed-parsed.ts";
import { runsOf } from "../../testing/runs.ts";
import type { Mode } from "../agent.ts";
import { acp as codexAcp } from "../codex/acp/mode.ts";
import type { Parsed } from "../parsed.ts";
import { parseStream } from "./stream.ts";

const CLAUDE = "8b954c67-3eb6-42db-9d3f-b646c5caf36e";
const CODEX = "01a1f03e-8ea3-7101-b87a-7bdf48de0854";

const mode: Mode = codexAcp;

/** Model, input, output, cache read, cache write and reported cost of each turn. */
function usageOf(results: readonly Parsed[]) {
  return results
    .flatMap(({ untimedUsage = [] }) => untimedUsage)
    .map((one) => [one.model, one.tokensInput, one.tokensOutput, one.tokensCacheRead, one.reportedNanoUsd]);
}

describe("a recorded conversation with claude-agent-acp", () => {
  const results = replayConversation("claude-turns.jsonl", {
    answers: { 2: "approve", 3: "deny", 4: "interrupt", 5: "interrupt" },
  });

  test("has its states: turns, requests, interrupts and an error", () => {
    const ask = (file: string) => `asking Bash {"command":"touch ${file}","description":"Scripted command"}`;
    expect(signalsOf(results)).toEqual([
      ...["ready", "working", "ready good"],
      ...["working", ask("acpfile"), "working", "ready good"],
      ...["working", ask("nofile"), "working", "ready good"],
      ...["working", "ready aborted"],
      ...["working", ask("nofile"), "ready aborted"],
      ...["working", "ready failed", "working"],
    ]);
  });

  test("has each message, call and result once, the messages whole", () => {
    const bash = (file: string) =>
      `assistant tool_call: Bash {"command":"touch ${file}","description":"Scripted command"}`;
    expect(entriesOf(results).slice(0, 13)).toEqual([
      ...["user text: text 1", "assistant thinking: hmm", "assistant text: hello there"],
      ...["user text: text 2", bash("acpfile")],
      ...['tool tool_result: Bash "(Bash completed with no output)"', "assistant text: made it"],
      ...["user text: text 3", bash("nofile")],
      ...['tool tool_result: Bash "User refused permission to run tool"', "assistant text: not made"],
      ...["user text: text 4", "assistant text: begun"],
    ]);
    expect(entriesOf(results).at(-2)).toBe(
      "system notice: Internal error: API Error: 400 scripted error 400.",
    );
  });

  test("counts each turn once, with the requests beside the conversation, at the reported cost", () => {
    const model = "claude-opus-5-5";
    expect(usageOf(results)).toEqual([
      [model, 1100, 40, 3000, 7_800_000],
      [model, 4000, 80, 0, 17_600_000],
      [model, 3000, 60, 0, 13_200_000],
      [model, 1000, 20, 0, 4_400_000],
      [model, 2000, 40, 0, 8_800_000],
    ]);
    const keys = results.flatMap(({ untimedUsage = [] }) => untimedUsage.map((one) => one.requestKey));
    expect(new Set(keys).size).toBe(5);
  });
});

describe("a recorded conversation with codex-acp", () => {
  const { sources } = codexAcp;
  const results = replayConversation("codex-turns.jsonl", {
    answers: { 4: "interrupt" },
    mode,
  });

  test("has its states, and fails where only the state of its thread tells so", () => {
    expect(signalsOf(results).filter((one) => one.startsWith("ready"))).toEqual([
      ...["ready", "ready good", "ready good", "ready good"],
      ...["ready aborted", "ready good", "ready failed"],
    ]);
    const failed = results.flatMap(({ signal }) => signal ?? []).at(-2);
    expect(failed?.excerpt).toContain("scripted error 400");
  });

  test("is not told as a release of Codex: the adapter has versions of its own", () => {
    const line =
      '{"jsonrpc":"2.0","id":"initialize","result":{"protocolVersion":1,"agentInfo":{"version":"2.6.0"}}}';
    expect(sources.stream?.parse(line, {})).not.toHaveProperty("identity");
    expect(parseStream(line, {}).identity).toEqual({ agentVersion: "2.6.0" });
  });

  test("leaves the cost open that nobody reports", () => {
    const generic = replayConversation("codex-turns.jsonl", { answers: { 4: "interrupt" } });
    expect(usageOf(generic)[0]).toEqual(["gpt-6.1-sol", 100, 20, 3000, null]);
  });

  test("counts no turn where the rollout has each request, and keeps apart what that remembers", () => {
    expect(usageOf(results)).toEqual([]);
    const context = { type: "turn_context", timestamp: "2026-11-15T20:03:32.312Z", payload: { model: "m" } };
    const parsed = sources.transcript?.parse(JSON.stringify(context), { model: "of the protocol" });
    expect(parsed?.memory).toEqual({ transcript: { model: "m" } });
  });
});

describe("a conversation that is continued", () => {
  test.each([
    ["claude-loaded.jsonl", CLAUDE],
    ["claude-resumed.jsonl", CLAUDE],
    ["codex-loaded.jsonl", CODEX],
    ["codex-resumed.jsonl", CODEX],
  ])("adds nothing that was said before it (%s)", (file, nativeId) => {
    const results = replayConversation(file, { continues: { nativeId, how: "resume" } });
    const [notice, ...said] = entriesOf(results);
    expect(notice).toMatch(/continued by session\/resume/);
    expect(said.filter((entry) => !entry.includes("Config warning"))).toEqual([
      ...["user text: text 1", "assistant text: again", "user text: text 2"],
    ]);
    expect(results.flatMap(({ identity }) => identity?.nativeId ?? [])).toEqual([nativeId]);
    // Its cost before this launch is not known.
    expect(usageOf(results).map((row) => row.at(-1))).toEqual([null]);
  });
});

test("an agent that no adapter knows is understood", () => {
  const results = replayConversation("example-turns.jsonl", { answers: { 1: "approve" } });
  expect(entriesOf(results).map((entry) => entry.split(":")[0])).toEqual([
    ...["user text", "assistant text", "assistant tool_call", "tool tool_result", "assistant text"],
    ...["assistant tool_call", "tool tool_result", "assistant text", "user text"],
  ]);
  expect(results.flatMap(({ untimedUsage }) => untimedUsage ?? [])).toEqual([]);
});

test("a real line with another value in any place of it is parsed", () => {
  const samples = sampleLines("acp", (line, memory) => mode.sources.stream?.parse(line, memory) ?? {});
  const values = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, "", -1, {}, []));
  fc.assert(
    fc.property(fc.constantFrom(...samples), fc.nat(), values, memories, (sample, place, value, random) => {
      const changed = JSON.stringify(replacePart(JSON.parse(sample.line) as Json, place, value as Json));
      for (const memory of [sample.memory, random])
        for (const text of [sample.line, changed])
          expectWellFormed(mode, mode.sources.stream?.parse(text, memory) ?? {});
    }),
    { numRuns: runsOf(1000) },
  );
});
