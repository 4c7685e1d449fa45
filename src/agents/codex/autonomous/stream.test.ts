import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { entriesOf, replay, signalsOf, turnsOf } from "../../../testing/agents/replay.ts";
import type { CodexMemory } from "../memory.ts";
import { parseStream } from "./stream.ts";

const SAMPLES = join(import.meta.dirname, "..", "samples");
const session = (name: string) => replay(join(SAMPLES, `stream-${name}.jsonl`), parseStream);
const THREAD: CodexMemory = { thread: "t1" };

function parse(message: object, memory: CodexMemory = THREAD) {
  return parseStream(JSON.stringify(message), memory);
}

describe("the app server", () => {
  test("tells who it is when the conversation is open, and that it is ready", () => {
    const opened = session("approvals").find(({ identity }) => identity);
    expect(opened).toMatchObject({
      identity: {
        nativeId: "01a1e641-0580-7520-b632-c836c9b38745",
        model: "gpt-6.1-sol",
        agentVersion: "0.166.0",
      },
      transcript: expect.stringMatching(/\/sessions\/2026\/11\/16\/rollout-.*\.jsonl$/),
      signal: { says: "ready" },
    });
  });

  test("begins a turn with the first text of a turn id, and no other", () => {
    const content = [{ type: "text", text: "hi" }];
    const message = (turnId: string) => ({
      method: "item/completed",
      params: { threadId: "t1", turnId, item: { type: "userMessage", content } },
    });
    const first = parse(message("u1"));
    expect(first).toMatchObject({ turn: { isBegun: true }, memory: { textTurnId: "u1" } });
    const memory = { ...THREAD, ...first.memory };
    expect(parse(message("u1"), memory)).not.toHaveProperty("turn");
    expect(parse(message("u2"), memory)).toHaveProperty("turn");
    expect(turnsOf(session("approvals"))).toEqual(["begun", "begun", "begun", "begun"]);
  });

  test("asks for each command in full, and goes on after the answer", () => {
    const asked = (name: string) =>
      `asking exec_command {"command":"/bin/bash -lc 'touch f-${name}'","cwd":"/project"}`;
    expect(signalsOf(session("approvals"))).toEqual([
      ...["ready", "working", "working", asked("accept"), "working", "ready good"],
      ...["working", "working", asked("decline"), "working", "ready good"],
      ...["working", "working", asked("cancel"), "working", "ready aborted"],
      ...["working", "working", asked("acceptForSession"), "working", "ready good"],
    ]);
  });

  test("keeps little of edits and requests without measure", () => {
    let memory = THREAD;
    const hear = (message: object) => {
      memory = { ...memory, ...parse(message, memory).memory };
    };
    const changes = [{ path: "/a", diff: "x".repeat(1_000_000) }];
    for (let n = 0; n < 150; n++) {
      const item = { type: "fileChange", id: `i${n}`, changes };
      hear({ method: "item/started", params: { threadId: "t1", item } });
      const params = { threadId: "t1", itemId: `i${n}` };
      hear({ id: n, method: "item/fileChange/requestApproval", params });
    }
    expect(memory.pending).toHaveLength(100);
    expect(memory.pending?.[0]?.input).toEqual({ changes: [{ path: "/a", diff: `${"x".repeat(4096)}…` }] });
    expect(JSON.stringify(memory).length).toBeLessThan(1_000_000);
  });

  test("asks for edits with what would be written", () => {
    const asking = session("edits").flatMap(({ signal }) =>
      signal?.says === "asking" ? [signal.asked] : [],
    );
    expect(asking[0]).toMatchObject({
      tool: "apply_patch",
      input: { changes: [{ path: "/project/p-accept", kind: { type: "add" }, diff: "hello\n" }] },
    });
    expect(new Set(asking.map(({ requestId }) => requestId)).size).toBe(asking.length);
  });

  test("tells what was said, thought and done, each once", () => {
    expect(entriesOf(session("approvals")).slice(0, 4)).toEqual([
      "user text: [[risky:touch f-accept]]",
      `assistant tool_call: exec_command {"command":"/bin/bash -lc 'touch f-accept'","cwd":"/project"}`,
      'tool tool_result: exec_command {"status":"completed","exitCode":0}',
      "assistant text: done",
    ]);
    expect(entriesOf(session("edits"))).toContain('tool tool_result: apply_patch {"status":"declined"}');
  });

  test("tells of interrupted turns", () => {
    const ends = signalsOf(session("interrupts")).filter((signal) => signal.startsWith("ready "));
    expect(ends).toEqual([...Array(4).fill("ready aborted"), "ready good"]);
  });

  test("tells why a turn failed; a retry is no failure", () => {
    const parsed = session("errors");
    const ends = signalsOf(parsed).filter((signal) => signal.startsWith("ready "));
    expect(ends).toEqual(
      ["failed", "failed", "good", "failed", "failed", "good", "failed", "failed", "good"].map(
        (turn) => `ready ${turn}`,
      ),
    );
    expect(entriesOf(parsed).filter((entry) => entry.startsWith("system notice"))).toHaveLength(6);
  });

  test("that cannot open the conversation says why, and fails the first text", () => {
    const parsed = session("refused");
    expect(signalsOf(parsed)).toEqual(["ready", "ready failed"]);
    expect(entriesOf(parsed)).toEqual([
      "system notice: no rollout found for thread id 01a1e63f-74e8-7a62-8f6b-eb216970b700",
      "system notice: thread not found: 01a1e63f-74e8-7a62-8f6b-eb216970b700",
    ]);
  });

  test("tells that it has a text, though the turn may take it later", () => {
    expect(parse({ id: "say do it", result: { turn: { id: "u" } } })).toEqual({ taken: ["do it"] });
  });
});

describe("a request of the app server", () => {
  const ask = (id: number, itemId: string, threadId = "t1") => ({
    method: "item/commandExecution/requestApproval",
    id,
    params: { threadId, itemId, command: `run ${itemId}`, cwd: "/project", reason: null },
  });

  test("that is not for a person is refused, so that it waits for nobody", () => {
    expect(parse({ id: 7, method: "account/chatgptAuthTokens/refresh", params: {} })).toEqual({
      reply: {
        via: "lines",
        lines: [
          JSON.stringify({
            id: 7,
            error: { code: -32601, message: "Rollcall does not answer account/chatgptAuthTokens/refresh." },
          }),
        ],
      },
    });
  });

  test("whose item is named by no text or number is known by its own number", () => {
    const { method, id, params } = ask(4, "i");
    const odd = parse({ method, id, params: { ...params, itemId: { toString: 1 } } });
    expect(odd.signal).toMatchObject({ says: "asking", asked: { requestId: "4" } });
  });

  test("of a sub-agent is asked, too, while its turns belong to a child", () => {
    expect(signalsOf([parse(ask(0, "i", "another"))])).toEqual([
      'asking exec_command {"command":"run i","cwd":"/project"}',
    ]);
    expect(
      parse({ method: "turn/completed", params: { threadId: "another", turn: { status: "completed" } } }),
    ).toEqual({ child: { nativeId: "another" } });
  });

  test("before the conversation is open belongs to no child", () => {
    const started = { method: "thread/started", params: { threadId: "t1", thread: { id: "t1" } } };
    expect(parse(started, {})).toEqual({});
  });

  test("comes up when those before it were answered", () => {
    const first = parse(ask(0, "one"));
    const second = parse(ask(1, "two"), { ...THREAD, ...first.memory });
    const resolved = { method: "serverRequest/resolved", params: { threadId: "t1", requestId: 0 } };
    const after = parse(resolved, { ...THREAD, ...second.memory });
    expect(signalsOf([first, second, after])).toEqual([
      'asking exec_command {"command":"run one","cwd":"/project"}',
      'asking exec_command {"command":"run one","cwd":"/project"}',
      'asking exec_command {"command":"run two","cwd":"/project"}',
    ]);
    const last = { method: "serverRequest/resolved", params: { threadId: "t1", requestId: 1 } };
    expect(parse(last, { ...THREAD, ...after.memory }).signal).toBeUndefined();
  });
});
