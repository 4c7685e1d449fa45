import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { entriesOf, replay, turnsOf } from "../../../testing/agents/replay.ts";
import type { Parsed } from "../../parsed.ts";
import type { ClaudeMemory } from "../memory.ts";
import { parseTranscript } from "./transcript.ts";

const SAMPLES = join(import.meta.dirname, "..", "samples");
const session = (name: string) => replay(join(SAMPLES, `transcript-${name}.jsonl`), parseTranscript);

describe("a transcript of Claude", () => {
  test("tells what was said, thought, called and returned, each once and in order", () => {
    expect(entriesOf(session("session")).slice(0, 6)).toEqual([
      "user text: [[usage:in=100,out=20,cacheRead=3000,cacheWrite=400]][[think:hm]][[text:two]][[text:texts]][[tool:touch a]]",
      "assistant thinking: hm",
      "assistant text: twotexts",
      'assistant tool_call: Bash {"command":"touch a","description":"Scripted command"}',
      'tool tool_result: Bash "(Bash completed with no output)"',
      "assistant text: done",
    ]);
  });

  test("names the tool of each result, and tells an error from a result", () => {
    expect(entriesOf(session("session")).filter((entry) => entry.startsWith("tool"))).toEqual([
      'tool tool_result: Bash "(Bash completed with no output)"',
      expect.stringMatching(/^tool tool_result: AskUserQuestion "Your questions.*=\\"B\\"/),
      expect.stringMatching(/^tool tool_result: Bash \{"error":"The user doesn't want to proceed/),
    ]);
  });

  test("tells what is no turn of the model as a notice, and commands as they were typed", () => {
    const entries = entriesOf(session("session"));
    const own = entries.filter((entry) => /^system|^user text: [/!]/.test(entry));
    expect(own).toEqual([
      "system notice: Request interrupted by user for tool use",
      "system notice: API Error: 400 scripted error 400",
      "system notice: Request interrupted by user",
      "user text: !echo shell",
      "system notice: shell",
      "user text: /effort low",
      expect.stringMatching(/^system notice: Set effort level to low/),
      "system notice: Unknown command: /nonsense",
      "system notice: Args from unknown skill: x",
      "system notice: Conversation compacted",
      "user text: /compact",
      "system notice: Compacted (ctrl+o to see full summary)",
    ]);
    expect(entries.join("\n")).not.toMatch(/<local-command-caveat>|This session is being continued/);
  });

  test("counts each request to the model once, under its own id", () => {
    const usage = session("session").flatMap((parsed) => parsed.usage ?? []);
    const byKey = new Map(usage.map((request) => [request.requestKey, request]));
    expect(usage.length).toBeGreaterThan(byKey.size);
    expect([...byKey.values()].slice(0, 2)).toEqual(
      [1, 2].map(() => ({
        requestKey: expect.stringMatching(/^msg_/),
        isShared: true,
        at: expect.stringMatching(/^2026-11-16T/),
        model: "claude-opus-5-5",
        tokensInput: 100,
        tokensOutput: 20,
        tokensCacheRead: 3000,
        tokensCacheWrite: 400,
        tokensCacheWriteHour: null,
        tokensReasoning: 0,
        webSearches: null,
        serviceTier: null,
        speed: null,
        reportedNanoUsd: null,
        computedNanoUsd: null,
        pricedBy: null,
      })),
    );
    // What it says in place of a model that failed cost nothing.
    expect(usage.map(({ model }) => model)).not.toContain("<synthetic>");
  });

  test("tells when each line was written, so that a copy is known for what it is", () => {
    const said = session("session").filter(({ entries, usage }) => entries ?? usage);
    expect(said.every(({ at }) => at?.startsWith("2026-11-16T"))).toBe(true);
  });

  test("shows a text that waits in mid-turn at once, and says it when its turn comes", () => {
    const parsed = session("queue");
    expect(parsed.flatMap(({ taken = [], entries }) => (entries ? [] : taken))).toEqual([
      "[[text:q1]]",
      "second\n[[text:q2]]",
      "mid tool text",
      expect.stringContaining("<task-notification>"),
    ]);
    const users = entriesOf(parsed).filter((entry) => entry.startsWith("user"));
    expect(users.slice(1, 3)).toEqual(["user text: [[text:q1]]", "user text: second\n[[text:q2]]"]);
    expect(users).toContain("user text: mid tool text");
    expect(entriesOf(parsed)).toContain('system notice: Agent "sub work" finished');
  });

  test("tells the end of a turn only when nothing that was typed is left to be said", () => {
    const steps = session("queue").flatMap(({ isTurnRead, entries = [] }) =>
      isTurnRead ? ["over"] : entries.map(({ role, text }) => `${role} ${text?.slice(0, 12)}`),
    );
    const assistants = steps.filter((one) => one === "over" || one.startsWith("assistant"));
    expect(assistants).toEqual([
      ...["assistant first", "assistant q2", "over"],
      ...["assistant undefined", "assistant ok", "over"],
      ...["assistant undefined", "assistant done", "assistant done", "over"],
    ]);
  });

  test("marks where each turn begins and ends, also one that was interrupted or begun by a shell command", () => {
    expect(turnsOf(session("session"))).toEqual([
      ...["begun", "over good", "begun", "over good", "begun", "over aborted"],
      ...["begun", "over failed API Error: 400 scripted error 400"],
      ...["begun", "over aborted", "begun", "over good"],
    ]);
  });

  test("marks one turn for a text and all that was queued or woken up in it", () => {
    expect(turnsOf(session("queue"))).toEqual([
      "begun",
      "over good",
      "begun",
      "over good",
      "begun",
      "over good",
    ]);
  });

  test("of headless runs marks the end of each turn where the cost is added up, or where the next begins", () => {
    expect(turnsOf(session("headless"))).toEqual([
      ...["begun", "over good", "begun", "over failed API Error: 400 scripted error 400"],
      ...["begun", "over good", "begun", "over good", "begun", "over good", "begun"],
    ]);
  });

  test("takes no answer without a message for the beginning of a turn", () => {
    const lines = ['{"type":"assistant"}', '{"type":"assistant","message":null}'];
    expect(turnsOf(lines.map((line) => parseTranscript(line, {})))).toEqual([]);
  });

  test("that is read again leaves the same in the memory", () => {
    const path = join(SAMPLES, "transcript-queue.jsonl");
    const memoryOf = (parsed: readonly Parsed<ClaudeMemory>[]): ClaudeMemory =>
      Object.assign({}, ...parsed.map(({ memory }) => memory));
    const once = memoryOf(replay(path, parseTranscript));
    expect(memoryOf(replay(path, parseTranscript, once))).toEqual(once);
    expect(once).toMatchObject({ queued: [], dequeued: [], tools: {}, inTurn: false });
  });

  test.each([
    ["", {}],
    ["{", {}],
    ["[]", {}],
    ['{"type":"api-request","params":{}}', {}],
    ['{"type":"user","isSidechain":true,"message":{"role":"user","content":"of a sub-agent"}}', {}],
    ['{"type":"user","isMeta":true,"message":{"role":"user","content":"for the model"}}', {}],
    [
      '{"type":"assistant","message":{"id":"x","model":"<synthetic>","content":"No response requested."}}',
      {},
    ],
    ['{"type":"attachment","attachment":{"type":"queued_command","prompt":"x","commandMode":"task"}}', {}],
    ['{"type":"queue-operation","operation":"popAll"}', {}],
  ])("with the line %j tells nothing", (line, parsed) => {
    expect(parseTranscript(line, {})).toEqual(parsed);
  });

  test("of a sub-agent belongs to a child", () => {
    const line = { type: "user", isSidechain: true, agentId: "a71", message: { content: "of a sub-agent" } };
    expect(parseTranscript(JSON.stringify(line), {})).toEqual({
      child: { nativeId: "a71" },
      entries: [{ role: "user", kind: "text", text: "of a sub-agent", tool: null }],
    });
  });

  test("of a result whose call nobody saw has it nevertheless", () => {
    const line = {
      type: "user",
      message: {
        content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "a" }] }],
      },
    };
    expect(parseTranscript(JSON.stringify(line), {}).entries).toEqual([
      { role: "tool", kind: "tool_result", text: null, tool: { name: "unknown", callId: "t1", result: "a" } },
    ]);
  });
});
