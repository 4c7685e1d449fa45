import { describe, expect, test } from "vitest";
import type { Json } from "../../domain/json.ts";
import { AT_PROMPT } from "../../domain/supervise/signal.ts";
import type { Deed } from "../deed.ts";
import { controls } from "./controls.ts";
import type { AcpMemory } from "./memory.ts";
import { parseStream } from "./stream.ts";

const OPEN: AcpMemory = { launch: "abc", session: "s1", cwd: "/project", counted: 0 };
const AT_WORK: AcpMemory = { ...OPEN, prompts: 1, prompt: "prompt-1" };
const OPTIONS = [
  { optionId: "1", name: "Yes", kind: "allow_once" },
  { optionId: "2", name: "Always", kind: "allow_always" },
  { optionId: "3", name: "No", kind: "reject_once" },
];

function parse(message: object, memory: AcpMemory = AT_WORK) {
  return parseStream(JSON.stringify({ jsonrpc: "2.0", ...message }), memory);
}

function update(fields: Json & object, memory: AcpMemory = AT_WORK) {
  return parse({ method: "session/update", params: { sessionId: "s1", update: fields } }, memory);
}

function permission(id: number | string, callId: string, memory: AcpMemory) {
  const toolCall = { toolCallId: callId, title: `do ${callId}`, kind: "edit", rawInput: { path: "/x" } };
  const params = { sessionId: "s1", toolCall, options: OPTIONS };
  return parse({ id, method: "session/request_permission", params }, memory);
}

function linesOf(deed: Deed | undefined): Json[] {
  return deed?.via === "lines" ? deed.lines.map((line) => JSON.parse(line) as Json) : [];
}

function ended(answer: object, memory: AcpMemory = AT_WORK) {
  const { signal } = parse({ id: "prompt-1", ...answer }, memory);
  return signal?.says === "ready" ? [signal.turn, signal.excerpt] : signal;
}

describe("the model of a turn", () => {
  const behind = (...models: readonly string[]) => {
    const model_usage = models.map((model) => ({ model, token_count: { inputTokens: 1 } }));
    return parse({ id: "prompt-1", result: { stopReason: "end_turn", _meta: { quota: { model_usage } } } });
  };

  test("is the only one that it used", () => {
    expect(behind("small").identity).toEqual({ model: "small" });
    expect(behind("small", "large")).not.toHaveProperty("identity");
    expect(behind()).not.toHaveProperty("identity");
  });
});

describe("the end of a turn", () => {
  test.each([
    ["end_turn", "good", null],
    ["cancelled", "aborted", null],
    ["refusal", "failed", "The agent refused to go on."],
    ["max_tokens", "failed", expect.stringContaining("max_tokens")],
    ["max_turn_requests", "failed", expect.stringContaining("max_turn_requests")],
    ["a_reason_of_its_own", undefined, null],
  ])("with the reason %s is %s", (stopReason, turn, why) => {
    expect(ended({ result: { stopReason } })).toEqual([turn, why]);
  });

  test("by an error has its message and details, and is aborted where it was cancelled", () => {
    const error = { code: -32603, message: "Internal error", data: { details: "no credit" } };
    expect(ended({ error })).toEqual(["failed", "Internal error: no credit."]);
    expect(ended({ error }, { ...AT_WORK, isCancelled: true })).toEqual(["aborted", null]);
    expect(ended({ error: { code: -32800, message: "cancelled" } })).toEqual(["aborted", null]);
    // The answer of a provider, handed on as it came.
    const message = JSON.stringify({ error: { code: 400, message: "bad request" } });
    expect(ended({ error: { code: 400, message } })).toEqual(["failed", "bad request."]);
  });

  test("is aborted where we cancelled it, though the agent ends it as any other", () => {
    expect(ended({ result: { stopReason: "end_turn" } }, { ...AT_WORK, isCancelled: true })).toEqual([
      "aborted",
      null,
    ]);
  });

  test("is told once: an answer to another text says nothing", () => {
    expect(parse({ id: "prompt-2", result: { stopReason: "end_turn" } })).toEqual({});
    expect(parse({ id: "prompt-1", result: { stopReason: "end_turn" } }, OPEN)).toEqual({});
  });

  test("counts what the agent says it has used, and only the cost that is new", () => {
    const usage = { inputTokens: 1, outputTokens: 2, cachedReadTokens: 3, totalTokens: 6 };
    const parsed = parse(
      { id: "prompt-1", result: { stopReason: "end_turn", usage } },
      { ...AT_WORK, cost: 500, counted: 200 },
    );
    expect(parsed.untimedUsage).toMatchObject([
      {
        requestKey: "acp abc prompt-1",
        tokensInput: 1,
        tokensOutput: 2,
        tokensCacheRead: 3,
        reportedNanoUsd: 300,
      },
    ]);
    expect(parsed.memory).toMatchObject({ counted: 500 });
    const other = update({
      sessionUpdate: "usage_update",
      used: 1,
      size: 2,
      cost: { amount: 3, currency: "EUR" },
    });
    expect(other).toEqual({ memory: {} });
  });
});

describe("requests of an agent", () => {
  test("are asked one after the other, each by an id of its launch, and answered by its own options", () => {
    const first = permission(0, "a", AT_WORK);
    expect(first.signal).toMatchObject({ says: "asking", asked: { requestId: "abc-0", tool: "edit" } });
    const one = { ...AT_WORK, ...first.memory };
    const second = permission("x", "b", one);
    expect(second.signal).toBeUndefined();
    const memory = { ...one, ...second.memory };
    const asked = {
      ...AT_PROMPT,
      for: "permission",
      requestId: "abc-0",
      since: "2026-11-18T20:00:00.000Z",
    } as const;
    const to = { nativeId: null, memory };
    const chosen = (deed: Deed | undefined) => linesOf(deed)[0];
    const outcome = (optionId: string) => ({
      jsonrpc: "2.0",
      id: 0,
      result: { outcome: { outcome: "selected", optionId } },
    });
    expect(chosen(controls.approve(to, asked))).toEqual(outcome("1"));
    expect(chosen(controls.approveAlways?.(to, asked))).toEqual(outcome("2"));
    expect(chosen(controls.deny(to, asked, null))).toEqual(outcome("3"));
    const approved = controls.approve(to, asked);
    expect(approved).toMatchObject({
      implies: { signal: { says: "asking", asked: { requestId: "abc-x" } } },
    });
    expect(() => controls.deny(to, asked, "why")).toThrow(expect.objectContaining({ code: "not_offered" }));
  });

  test("are cancelled with their turn, those that come later too", () => {
    const asking = { ...AT_WORK, ...permission(7, "a", AT_WORK).memory };
    const deed = controls.interrupt({ nativeId: null, memory: asking });
    expect(linesOf(deed)).toEqual([
      { jsonrpc: "2.0", id: 7, result: { outcome: { outcome: "cancelled" } } },
      { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s1" } },
    ]);
    const late = permission(8, "b", { ...AT_WORK, isCancelled: true });
    expect(linesOf(late.reply)).toEqual([
      { jsonrpc: "2.0", id: 8, result: { outcome: { outcome: "cancelled" } } },
    ]);
    expect(late.signal).toBeUndefined();
  });

  test("are over when the agent takes them back, or has a result without an answer", () => {
    const asking = { ...AT_WORK, ...permission(7, "a", AT_WORK).memory };
    const withdrawn = parse({ method: "$/cancel_request", params: { requestId: 7 } }, asking);
    const over = update({ sessionUpdate: "tool_call_update", toolCallId: "a", status: "failed" }, asking);
    for (const { signal, memory } of [withdrawn, over]) {
      expect(signal).toMatchObject({ says: "working" });
      expect(memory).toMatchObject({ pending: [] });
    }
  });

  test("that we do not offer are refused at once", () => {
    for (const method of ["fs/read_text_file", "terminal/create", "elicitation/create", "_own/method"])
      expect(linesOf(parse({ id: 3, method, params: {} }).reply)).toEqual([
        { jsonrpc: "2.0", id: 3, error: { code: -32601, message: `Rollcall does not offer ${method}.` } },
      ]);
  });
});

describe("a tool call", () => {
  test("that is told by its result alone has both entries", () => {
    const parsed = update({
      sessionUpdate: "tool_call_update",
      toolCallId: "g",
      title: "touch x",
      kind: "execute",
      status: "completed",
    });
    expect(parsed.entries).toMatchObject([
      { kind: "tool_call", tool: { name: "execute", params: { title: "touch x" } } },
      { kind: "tool_result", tool: { name: "execute", result: null } },
    ]);
    // Its result is told once, whatever follows.
    const later = { ...AT_WORK, ...parsed.memory };
    expect(
      update({ sessionUpdate: "tool_call_update", toolCallId: "g", status: "completed" }, later),
    ).toEqual({});
  });

  test("whose content is replaced by nothing has no result", () => {
    const call = { toolCallId: "c1", title: "touch x", kind: "execute" };
    const content = [{ type: "content", content: { type: "text", text: "[in /project]" } }];
    const begun = update({ sessionUpdate: "tool_call", ...call, status: "in_progress", content });
    const over = { sessionUpdate: "tool_call_update", ...call, status: "completed", content: [] };
    const { entries } = update(over, { ...AT_WORK, ...begun.memory });
    expect(entries).toMatchObject([{ kind: "tool_result", tool: { result: null } }]);
  });

  test("whose parameters come in pieces is told when they are there", () => {
    const begun = update({
      sessionUpdate: "tool_call",
      toolCallId: "a",
      title: "bash",
      kind: "execute",
      status: "pending",
      rawInput: {},
    });
    expect(begun.entries).toBeUndefined();
    const memory = { ...AT_WORK, ...begun.memory };
    const whole = update(
      { sessionUpdate: "tool_call_update", toolCallId: "a", rawInput: { command: "ls" } },
      memory,
    );
    expect(whole.entries).toMatchObject([{ kind: "tool_call", tool: { params: { command: "ls" } } }]);
  });
});

describe("what else an agent tells", () => {
  test("is a plan, told again only where it has changed, and its mode", () => {
    const entries = [
      { content: "look", status: "completed", priority: "high" },
      { content: "act", status: "pending", priority: "high" },
    ];
    const parsed = update({ sessionUpdate: "plan", entries });
    expect(parsed.entries).toMatchObject([{ kind: "notice", name: "plan", text: "[x] look\n[ ] act" }]);
    expect(update({ sessionUpdate: "plan", entries }, { ...AT_WORK, ...parsed.memory })).toEqual({});
    expect(update({ sessionUpdate: "current_mode_update", currentModeId: "plan" }).entries).toMatchObject([
      { text: "The agent is in its mode plan now." },
    ]);
  });

  test("of another conversation, or before its own is open, counts for nothing", () => {
    const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "old" } };
    expect(update(chunk, { launch: "abc" })).toEqual({});
    expect(parse({ method: "session/update", params: { sessionId: "s2", update: chunk } })).toEqual({});
  });
});

describe("the opening of a conversation", () => {
  const agentCapabilities = { loadSession: true, sessionCapabilities: { resume: {}, fork: {} } };
  const opening = (memory: AcpMemory, capabilities: object) =>
    parse({ id: "initialize", result: { protocolVersion: 1, agentCapabilities: capabilities } }, memory);

  test.each([
    [null, agentCapabilities, "session/new"],
    [{ nativeId: "n", how: "resume" }, agentCapabilities, "session/resume"],
    [{ nativeId: "n", how: "resume" }, { loadSession: true }, "session/load"],
    [{ nativeId: "n", how: "fork" }, agentCapabilities, "session/fork"],
  ])("that continues %j is by what the agent offers: %j", (continues, capabilities, method) => {
    const { reply } = opening({ launch: "abc", cwd: "/project", continues }, capabilities);
    const [line] = linesOf(reply) as unknown as [{ method: string; params: object }];
    expect(line.method).toBe(method);
    const before = continues === null ? {} : { sessionId: "n" };
    expect(line.params).toEqual({ ...before, cwd: "/project", mcpServers: [] });
  });

  test.each([
    [{ nativeId: "n", how: "resume" }, "neither session/resume nor session/load"],
    [{ nativeId: "n", how: "fork" }, "does not offer session/fork"],
  ])("that continues %j is refused in one sentence where it is not offered", (continues, why) => {
    const { signal, reply } = opening({ continues }, {});
    expect(reply).toBeUndefined();
    expect(signal).toMatchObject({
      says: "asking",
      asked: { for: "dialog", question: expect.stringContaining(why) },
    });
  });

  test("by another version of the protocol, or without a login, waits for a person", () => {
    const other = parse({ id: "initialize", result: { protocolVersion: 2 } }, {});
    expect(other.signal).toMatchObject({
      asked: { for: "dialog", question: expect.stringContaining("version 2") },
    });
    const error = { code: -32000, message: "Authentication required" };
    const login = parse({ id: "open", error }, { opening: "session/new", authNames: ["A key"] });
    expect(login.signal).toMatchObject({
      asked: { for: "login", question: expect.stringContaining("A key") },
    });
  });
});

describe("a polite stop", () => {
  const stop = (memory: AcpMemory) =>
    linesOf(controls.stop({ nativeId: "s1", memory })).map((line) => (line as { method?: string }).method);

  test("puts the conversation away where the agent offers that, and else cancels the turn that runs", () => {
    expect(stop({ ...AT_WORK, canClose: true })).toEqual(["session/close"]);
    expect(stop(AT_WORK)).toEqual(["session/cancel"]);
  });

  test("says nothing at rest, for there is nothing to cancel", () => {
    expect(stop({ ...OPEN, canClose: false })).toEqual([]);
  });
});
