import { describe, expect, test } from "vitest";
import { parseHook } from "./hook.ts";

describe("a hook of Claude", () => {
  test("of the start tells who it is and where it writes", () => {
    const payload = {
      session_id: "22222222-2222-4333-8444-555555555507",
      transcript_path: "/home/someone/.claude/projects/-project/22222222-2222-4333-8444-555555555507.jsonl",
      cwd: "/project",
      hook_event_name: "SessionStart",
      source: "startup",
      model: "claude-opus-5-5",
    };
    expect(parseHook("SessionStart", payload, {})).toEqual({
      identity: { nativeId: payload.session_id, model: "claude-opus-5-5" },
      transcript: payload.transcript_path,
      memory: { hooks: true },
    });
  });

  test("of a resumed conversation names no model, and of a new one says so", () => {
    expect(parseHook("SessionStart", { session_id: "s", source: "resume" }, {}).identity).toEqual({
      nativeId: "s",
    });
    expect(parseHook("SessionStart", { session_id: "s", source: "clear" }, {}).memory).toEqual({
      hooks: true,
      cleared: true,
    });
  });

  test("of a request is a signal where nobody else tells of one", () => {
    const payload = { tool_name: "Bash", tool_input: { command: "touch a" } };
    expect(parseHook("PermissionRequest", payload, {}).signal).toMatchObject({
      source: "hook",
      asked: { for: "permission", tool: "Bash", input: { command: "touch a" } },
    });
  });

  test("of who is told to leave is the prompt, or the end of the turn that it leaves", () => {
    const payload = { reason: "prompt_input_exit" };
    expect(parseHook("SessionEnd", payload, {}).signal).toMatchObject({ says: "ready", fillsGap: true });
    expect(parseHook("SessionEnd", payload, {}).signal).not.toHaveProperty("turn");
    expect(parseHook("SessionEnd", payload, { inTurn: true }).signal).toMatchObject({ turn: "aborted" });
  });

  test.each([
    ["SessionEnd", { reason: "other" }],
    ["SessionEnd", { reason: "clear" }],
    ["PermissionRequest", {}],
    ["Notification", { message: "waiting" }],
    ["Stop", { last_assistant_message: "done" }],
    ["", {}],
  ])("of %s with %o tells nothing", (event, payload) => {
    expect(parseHook(event, payload, {})).toEqual({});
  });
});
