import { describe, expect, test } from "vitest";
import { parseStream } from "./autonomous/stream.ts";
import { parseHook } from "./hook.ts";
import { parseTranscript } from "./interactive/transcript.ts";

const AT = "2026-11-16T01:50:15.182Z";
const REQUEST = { request_key: "n/1/1", time: AT, model: "m", input: 5, output: 6 };
const RESULT = { type: "result", turn: "good", text: "done", usage: [REQUEST] };
const COUNTED = {
  requestKey: "n/1/1",
  at: AT,
  model: "m",
  tokensInput: 5,
  tokensOutput: 6,
  tokensCacheRead: null,
  tokensCacheWrite: null,
  tokensCacheWriteHour: null,
  tokensReasoning: null,
  webSearches: null,
  serviceTier: null,
  speed: null,
  reportedNanoUsd: null,
  computedNanoUsd: null,
  pricedBy: null,
};

const ENTRIES: readonly (readonly [line: object, entry: object])[] = [
  [
    { type: "user", text: "hi" },
    { role: "user", kind: "text", text: "hi", tool: null },
  ],
  [
    { type: "assistant", text: "ho" },
    { role: "assistant", kind: "text", text: "ho", tool: null },
  ],
  [
    { type: "thinking", text: "hm" },
    { role: "assistant", kind: "thinking", text: "hm", tool: null },
  ],
  [
    { type: "tool_call", id: "c1", name: "Bash", params: { a: 1 } },
    {
      role: "assistant",
      kind: "tool_call",
      text: null,
      tool: { name: "Bash", callId: "c1", params: { a: 1 } },
    },
  ],
  [
    { type: "tool_result", id: "c1", name: "Bash", result: "ok" },
    { role: "tool", kind: "tool_result", text: null, tool: { name: "Bash", callId: "c1", result: "ok" } },
  ],
  [
    { type: "result", turn: "failed", text: "529" },
    { role: "system", kind: "notice", text: "529", tool: null },
  ],
  [
    { type: "result", turn: "aborted", text: "Interrupted." },
    { role: "system", kind: "notice", text: "Interrupted.", tool: null },
  ],
];

describe("a line of scripted", () => {
  test.each(ENTRIES)("%o is an entry in stream and transcript", (line, entry) => {
    expect(parseStream(JSON.stringify(line)).entries).toEqual([entry]);
    expect(parseTranscript(JSON.stringify(line))).toMatchObject({ entries: [entry] });
  });

  test("of a good turn counts its requests and adds no entry", () => {
    expect(parseTranscript(JSON.stringify(RESULT))).toEqual({ usage: [COUNTED], isTurnRead: true });
    expect(parseStream(JSON.stringify(RESULT))).toMatchObject({ usage: [COUNTED] });
  });

  test("of a request in mid-turn counts it and says nothing else", () => {
    const line = JSON.stringify({ type: "usage", usage: [REQUEST] });
    for (const parse of [parseTranscript, parseStream]) expect(parse(line)).toEqual({ usage: [COUNTED] });
  });

  test("with all that a request can use counts it exactly", () => {
    const full = { ...REQUEST, cache_read: 3000, cache_write: 400, reasoning: 7, cost_usd: 0.123456789 };
    expect(parseTranscript(JSON.stringify({ ...RESULT, usage: [full] })).usage).toEqual([
      {
        ...COUNTED,
        tokensCacheRead: 3000,
        tokensCacheWrite: 400,
        tokensReasoning: 7,
        reportedNanoUsd: 123_456_789,
      },
    ]);
  });

  test.each([
    [{ ...REQUEST, request_key: "" }],
    [{ ...REQUEST, request_key: undefined }],
    [{ ...REQUEST, time: "yesterday" }],
    ["nothing"],
    [null],
  ])("with the request %o does not count it", (request) => {
    expect(parseTranscript(JSON.stringify({ ...RESULT, usage: [request] }))).toEqual({ isTurnRead: true });
  });

  test("with numbers that are none leaves them unmeasured", () => {
    const odd = { ...REQUEST, input: -1, output: 1.5, cost_usd: -0.1 };
    expect(parseTranscript(JSON.stringify({ ...RESULT, usage: [odd] })).usage).toEqual([
      { ...COUNTED, tokensInput: null, tokensOutput: null },
    ]);
  });

  test("that a fork copied tells nothing", () => {
    expect(parseTranscript(JSON.stringify({ ...RESULT, inherited: true }))).toEqual({});
  });

  test("of the beginning says who it is", () => {
    const line = JSON.stringify({ type: "init", session_id: "n", model: "m", version: "1.0.0" });
    const identity = { nativeId: "n", model: "m", agentVersion: "1.0.0" };
    expect(parseStream(line)).toEqual({ identity });
    expect(parseTranscript(line)).toEqual({ identity });
  });
});

test("a line of a helper belongs to a child, in stream and transcript", () => {
  const line = JSON.stringify({ type: "helper", id: "helper-1", state: "done" });
  const child = { nativeId: "helper-1" };
  expect([parseStream(line), parseTranscript(line)]).toEqual([{ child }, { child }]);
});

describe("the stream of scripted", () => {
  test.each([
    [{ type: "state", state: "idle" }, { says: "ready" }],
    [{ type: "state", state: "working" }, { says: "working" }],
    [RESULT, { says: "ready", turn: "good", excerpt: null }],
    [
      { ...RESULT, turn: "failed" },
      { says: "ready", turn: "failed", excerpt: "done" },
    ],
    [
      { ...RESULT, turn: "aborted" },
      { says: "ready", turn: "aborted" },
    ],
    [
      { type: "request", request_id: "r", kind: "permission", tool: "Bash", input: {} },
      {
        says: "asking",
        asked: { for: "permission", requestId: "r", tool: "Bash", input: {}, question: null, options: null },
      },
    ],
    [
      { type: "request", request_id: "r", kind: "question", question: "Which?", options: ["A"] },
      {
        says: "asking",
        asked: {
          for: "question",
          requestId: "r",
          tool: null,
          input: null,
          question: "Which?",
          options: ["A"],
        },
      },
    ],
  ])("with %o is a signal", (line, signal) => {
    expect(parseStream(JSON.stringify(line)).signal).toMatchObject({ source: "stream", ...signal });
  });

  test.each([
    [{ type: "state", state: "lost" }],
    [{ type: "request", kind: "plan" }],
    [{ type: "result", turn: "odd" }],
    [{ type: "delta", text: "word" }],
    [{ type: "noise", text: "…" }],
    [{ type: "helper", state: "done" }],
    [{ type: "refused", text: "…" }],
    [{ type: "tool_call" }],
    [{ type: "user", text: 5 }],
    [[]],
    [7],
  ])("with %o tells nothing", (line) => {
    expect(parseStream(JSON.stringify(line))).toEqual({});
  });
});

describe("a hook of scripted", () => {
  test.each([
    ["turn_start", {}, { says: "working" }],
    ["turn_end", { turn: "good", text: "x" }, { says: "ready", turn: "good", excerpt: null }],
    ["turn_end", { turn: "failed", text: "529" }, { says: "ready", turn: "failed", excerpt: "529" }],
    ["turn_end", { turn: "aborted" }, { says: "ready", turn: "aborted" }],
    ["request", { request_id: "r", kind: "permission", tool: "T" }, { says: "asking" }],
  ])("of %s with %o is a signal", (event, payload, signal) => {
    expect(parseHook(event, payload)).toEqual({
      signal: expect.objectContaining({ source: "hook", ...signal }),
    });
  });

  test("of the start says that it is ready and who it is", () => {
    expect(parseHook("session_start", { session_id: "n", model: "m", version: "1.0.0" })).toMatchObject({
      signal: { says: "ready" },
      identity: { nativeId: "n", model: "m", agentVersion: "1.0.0" },
    });
  });

  test.each(["session_end", "turn_end", "request", "Stop", ""])("of %j alone tells nothing", (event) => {
    expect(parseHook(event, {})).toEqual({});
  });
});
