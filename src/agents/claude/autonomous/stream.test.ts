import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { replay, signalsOf } from "../../../testing/agents/replay.ts";
import { type ClaudeMemory, pendingRequests } from "../memory.ts";
import { parseStream } from "./stream.ts";

const SAMPLES = join(import.meta.dirname, "..", "samples");
const session = (name: string) => replay(join(SAMPLES, `stream-${name}.jsonl`), parseStream);
const parse = (line: unknown, memory: ClaudeMemory = {}) => parseStream(JSON.stringify(line), memory);
const changeState = (state: string, memory: ClaudeMemory = {}) =>
  parse({ type: "system", subtype: "session_state_changed", state }, memory);
const asks = (request_id: string, command: string, tool_use_id: string) => ({
  type: "control_request",
  request_id,
  request: { subtype: "can_use_tool", tool_name: "Bash", input: { command }, tool_use_id },
});

describe("the stream of Claude", () => {
  test("tells that it is ready, and who it is", () => {
    const [first, ...others] = session("permission");
    expect(first).toEqual({
      identity: { agentVersion: "2.1.325" },
      signal: expect.objectContaining({ says: "ready", source: "stream", rule: "stream_initialized" }),
    });
    expect(others.find(({ identity }) => identity)?.identity).toEqual({
      nativeId: "4c6a8c52-96af-4208-b2e0-4165bb33b7fc",
      model: "claude-opus-5-5",
      agentVersion: "2.1.325",
    });
  });

  test("asks for a permission in full, and goes on after the answer", () => {
    const touch = 'asking Bash {"command":"touch a1","description":"Scripted command"}';
    expect(signalsOf(session("permission"))).toEqual([
      ...["ready", "working", touch, "working", "working", "ready good"],
      ...["working", "ready good"],
    ]);
  });

  test("asks a question with its options", () => {
    const [asked] = session("question").flatMap(({ signal }) =>
      signal?.says === "asking" ? [signal.asked] : [],
    );
    expect(asked).toMatchObject({ for: "question", tool: null, question: "Which?", options: ["A", "B"] });
    expect(asked?.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("tells an interrupt and an API error apart, though both are errors", () => {
    const parsed = session("interrupt");
    expect(signalsOf(parsed)).toEqual(["ready", "working", "ready aborted", "working", "ready failed"]);
    expect(parsed.findLast(({ signal }) => signal)?.signal?.excerpt).toMatch(/^API Error: 500/);
  });

  test("goes on while a sub-agent works, however many results come meanwhile", () => {
    const asked = 'asking Bash {"command":"touch subfile","description":"Scripted command"}';
    expect(signalsOf(session("subagent"))).toEqual([
      ...["ready", "working", "ready good"],
      ...["working", asked, "working", "ready good"],
    ]);
  });

  test("of a release without states is told by its turns", () => {
    const asked = (file: string) =>
      `asking Bash {"command":"touch ${file}","description":"Scripted command"}`;
    expect(signalsOf(session("without-states"))).toEqual([
      ...["ready", "working", asked("x"), "working", "ready good"],
      ...["working", asked("y"), "working", "ready aborted"],
    ]);
  });

  test("of a conversation that does not exist is a failure with its reason", () => {
    expect(session("unknown")[0]?.signal).toMatchObject({
      says: "ready",
      turn: "failed",
      excerpt: expect.stringMatching(/^No conversation found with session ID/),
    });
  });

  test("says no text and no usage: the transcript has both", () => {
    const names = ["permission", "question", "interrupt", "subagent", "errors"];
    const parsed = names.flatMap(session);
    expect(parsed.flatMap(({ entries = [], usage = [] }) => [...entries, ...usage])).toEqual([]);
  });
});

describe("several requests of Claude at once", () => {
  const first = parse(asks("r1", "one", "t1"));
  const both: ClaudeMemory = { ...first.memory, ...parse(asks("r2", "two", "t2"), first.memory).memory };

  test("are asked for one after the other, the oldest first", () => {
    expect(first.signal).toMatchObject({ says: "asking", asked: { requestId: "r1" } });
    expect(parse(asks("r2", "two", "t2"), first.memory).signal).toBeUndefined();
    expect(pendingRequests(both).map(({ requestId }) => requestId)).toEqual(["r1", "r2"]);
  });

  test.each([
    ["answered", { type: "control_response", response: { subtype: "success", request_id: "r1" } }],
    ["withdrawn", { type: "control_cancel_request", request_id: "r1" }],
    ["done", { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t1" }] } }],
  ])("go on to the next when the first is %s", (_, line) => {
    const parsed = parse(line, both);
    expect(parsed.signal).toMatchObject({ says: "asking", asked: { requestId: "r2" } });
    expect(pendingRequests(parsed.memory ?? {}).map(({ requestId }) => requestId)).toEqual(["r2"]);
  });

  test("stay at the first when another is withdrawn", () => {
    const parsed = parse({ type: "control_cancel_request", request_id: "r2" }, both);
    expect(parsed.signal).toBeUndefined();
    expect(pendingRequests(parsed.memory ?? {})).toHaveLength(1);
  });

  test("are over when it works again or rests", () => {
    for (const state of ["running", "idle"])
      expect(changeState(state, both).memory).toMatchObject({ pending: [] });
  });

  test("beyond a hundred, or too large together, are refused, so that they do not fill the memory", () => {
    const openAfter = (count: number, command: string) => {
      let memory: ClaudeMemory = {};
      let replies = 0;
      for (let n = 0; n < count; n++) {
        const parsed = parse(asks(`r${n}`, command, `t${n}`), memory);
        memory = { ...memory, ...parsed.memory };
        if (parsed.reply !== undefined) replies += 1;
      }
      return [memory.pending?.length, replies];
    };
    expect(openAfter(120, "ls")).toEqual([100, 20]);
    expect(openAfter(6, "x".repeat(4_000_000))).toEqual([4, 2]);
  });

  test("are known when they are repeated", () => {
    expect(parse(asks("r1", "one", "t1"), both)).toEqual({});
  });
});

describe("a line of the stream of Claude", () => {
  test("that asks for what Rollcall has no words for is answered, so that it does not wait for ever", () => {
    const { reply, signal } = parse({ type: "control_request", request_id: "e1", request: { subtype: "x" } });
    expect(signal).toBeUndefined();
    expect(reply).toMatchObject({ via: "lines", lines: [expect.any(String)] });
    expect(JSON.parse(reply?.via === "lines" ? (reply.lines[0] ?? "") : "")).toMatchObject({
      type: "control_response",
      response: { subtype: "error", request_id: "e1" },
    });
  });

  test("of a result waits for the state behind it, where states are told", () => {
    const states = changeState("running").memory ?? {};
    const result = parse({ type: "result", is_error: true, result: "API Error: 529" }, states);
    expect(result.signal).toBeUndefined();
    expect(changeState("idle", { ...states, ...result.memory }).signal).toMatchObject({
      turn: "failed",
      excerpt: "API Error: 529",
    });
  });

  test("of a result is no end while a task runs in the background or something is asked", () => {
    const tasks = parse({ type: "system", subtype: "background_tasks_changed", tasks: [{}] }).memory ?? {};
    for (const memory of [tasks, parse(asks("r1", "one", "t1")).memory ?? {}])
      expect(parse({ type: "result", is_error: false, result: "x" }, memory).signal).toBeUndefined();
  });

  test.each([
    [{ type: "system", subtype: "api_retry", attempt: 1 }],
    [{ type: "assistant", message: { content: [{ type: "text", text: "hello" }] } }],
    [{ type: "user", message: { content: "hello" }, isReplay: true }],
    [{ type: "control_response", response: { subtype: "error", request_id: "rollcall-initialize" } }],
    [{ type: "control_response", response: { subtype: "success", request_id: "rollcall-interrupt" } }],
    [{ type: "command_lifecycle", state: "queued" }],
    [{ type: "stream_event" }],
    [[]],
    [7],
  ])("with %o tells nothing", (line) => {
    expect(parse(line)).toEqual({});
  });
});
