import { describe, expect, test } from "vitest";
import { signalsOf } from "../../../testing/agents/replay.ts";
import type { Parsed } from "../../parsed.ts";
import type { CodexMemory } from "../memory.ts";
import { parseRollout } from "../rollout/rollout.ts";
import { parseReport } from "./report.ts";

/** Reports (`done`) and lines of the rollout (`task_complete`) in the order in which they came. */
function parseAll(...words: readonly string[]): Parsed<CodexMemory>[] {
  let memory: CodexMemory = {};
  return words.map((word) => {
    const parsed = word.includes("_") ? parseRollout(line(word), memory) : parseReport(fields(word), memory);
    memory = { ...memory, ...parsed.memory };
    return parsed;
  });
}

function fields(state: string): Record<string, string> {
  return { state, app: "codex", ...(state === "blocked" ? { kind: "permission" } : {}) };
}

const CALLS: Readonly<Record<string, object>> = {
  function_call: { type: "function_call", name: "exec_command", call_id: "c1", arguments: '{"cmd":"ls"}' },
  risky_call: {
    ...{ type: "function_call", name: "exec_command", call_id: "c2" },
    arguments: '{"cmd":"rm","sandbox_permissions":"require_escalated"}',
  },
  script_call: {
    type: "custom_tool_call",
    name: "exec",
    call_id: "c3",
    input: "for (;;) tools.exec_command(x)",
  },
};

function line(type: string): string {
  const payload = CALLS[type] ?? { type };
  const kind = type in CALLS ? "response_item" : "event_msg";
  return JSON.stringify({ timestamp: "2026-11-16T21:26:24.617Z", type: kind, payload });
}

function last(...words: readonly string[]): Parsed<CodexMemory> {
  return parseAll(...words).at(-1) as Parsed<CodexMemory>;
}

describe("a report of Codex", () => {
  test("tells of a turn from its beginning to its end", () => {
    const parsed = parseAll("idle", "working", "task_started", "task_complete", "done");
    expect(signalsOf(parsed)).toEqual(["ready", "working", "working", "ready good", "ready good"]);
  });

  test("is loading before the first prompt, whatever it does", () => {
    expect(last("working").signal?.says).toBe("loading");
  });

  test("that it works has to settle until the rollout says so, too", () => {
    expect(last("idle", "working").signal?.settleMs).toBeGreaterThan(100);
    expect(last("idle", "task_started", "working").signal?.settleMs).toBeUndefined();
  });

  test("that it works after a request has to settle, for a denied one ends the turn", () => {
    const parsed = parseAll("idle", "working", "task_started", "blocked", "working", "turn_aborted", "idle");
    expect(parsed[4]?.signal).toMatchObject({ says: "working", settleMs: 100 });
    expect(signalsOf(parsed.slice(5))).toEqual(["ready aborted", "ready"]);
  });

  test("that it works, said behind the end of a turn that was denied, settles as long as at any rest", () => {
    const late = last("idle", "working", "task_started", "blocked", "turn_aborted", "working");
    expect(late.signal).toMatchObject({
      says: "working",
      settleMs: last("idle", "working").signal?.settleMs,
    });
  });

  test("of rest after a moment of work before any turn tells of no turn", () => {
    expect(last("idle", "working", "idle").signal).toEqual({
      source: "terminal",
      rule: "report_idle",
      excerpt: null,
      says: "ready",
    });
  });

  test("that is told once more while a command runs in the background says nothing", () => {
    expect(last("idle", "working", "task_started", "task_complete", "working").signal).toBeUndefined();
  });

  test("of an end says how the turn went only if one was in progress, where the rollout tells turns", () => {
    expect(last("idle", "working", "task_started", "turn_aborted", "done").signal).toMatchObject({
      inTurn: "good",
    });
    expect(last("idle", "working", "task_started", "idle").signal).toMatchObject({ inTurn: "aborted" });
    expect(last("idle", "working", "error").signal).toMatchObject({ turn: "failed" });
  });

  test("that it asks tells what: the first call, or the first that says that it needs a permission", () => {
    const asked = (...words: readonly string[]) =>
      signalsOf([last("idle", "task_started", ...words, "blocked")]);
    expect(asked("function_call")).toEqual(['asking exec_command {"cmd":"ls"}']);
    expect(asked("function_call", "risky_call", "risky_call")).toEqual([
      'asking exec_command {"cmd":"rm","sandbox_permissions":"require_escalated"}',
    ]);
    expect(asked("script_call")).toEqual(["asking null null"]);
    expect(asked()).toEqual(["asking null null"]);
  });

  test.each([
    ["another program", { state: "idle", app: "claude-code" }],
    ["its exit", { state: "clear" }],
  ])("of %s says nothing", (_, given) => {
    expect(parseReport(given as Record<string, string>, {})).toEqual({});
  });

  test("of a helper belongs to a child", () => {
    expect(parseReport({ state: "idle", app: "codex", id: "a1" }, {})).toEqual({ child: { nativeId: "a1" } });
  });
});
