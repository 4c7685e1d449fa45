import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../domain/json.ts";
import { delegation } from "./delegation.ts";
import { settings } from "./settings.ts";
import { stop } from "./stop.ts";

const TOOL_USE: JsonObject = {
  session_id: "native",
  cwd: "/work",
  tool_name: "Agent",
  tool_input: { subagent_type: "architect", description: "plan it", prompt: "Plan it." },
  tool_use_id: "toolu_1",
};

describe("a PreToolUse payload of Claude", () => {
  test.each(["Agent", "Task"])("of the tool %s is a delegation", (tool_name) => {
    expect(delegation.parse({ ...TOOL_USE, tool_name }, null)).toEqual({
      agentName: "architect",
      taskId: "toolu_1",
      agentId: null,
      caller: { agentType: "claude", nativeId: "native", cwd: "/work" },
    });
  });

  test.each([{ ...TOOL_USE, tool_name: "Bash" }, { ...TOOL_USE, tool_input: "text" }, {}])(
    "of anything else is no delegation: %j",
    (payload) => {
      expect(delegation.parse(payload, null)).toBeUndefined();
    },
  );

  test.each([
    ['{"agent_id": "plan-42"}.', "plan-42"],
    ["Do it. agent_id: plan-42.", "plan-42"],
    ["agent_id=`a.b`", "a.b"],
    ["Why did plan-42 stop?", null],
    ["my_agent_id: plan-42", null],
  ])("names a session only in so many words: %s", (prompt, agentId) => {
    expect(delegation.parse({ ...TOOL_USE, tool_input: { prompt } }, null)).toMatchObject({
      agentName: "general-purpose",
      agentId,
    });
  });

  test("is answered with a text for the model, or with nothing", () => {
    const advice = { shouldResume: false, reason: "expired", agentId: "s1", resumeMetadata: null };
    expect(delegation.encode({ ...advice, candidates: [] }, TOOL_USE)).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        additionalContext: "Rollcall: session s1 cannot be taken up (expired).",
      },
    });
    expect(delegation.encode({ ...advice, agentId: null, candidates: [] }, TOOL_USE)).toEqual({});
    expect(delegation.fail("unavailable", TOOL_USE)).toEqual({});
  });
});

describe("a SubagentStop payload of Claude", () => {
  const STOPPED: JsonObject = {
    agent_id: "a2ce",
    agent_type: "architect",
    agent_transcript_path: "/projects/agent-a2ce.jsonl",
    last_assistant_message: "Planned.",
  };

  test("names the file beside the transcript, which tells the call that started the sub-agent", () => {
    expect(stop.file?.(STOPPED)).toBe("/projects/agent-a2ce.meta.json");
    expect(stop.parse(STOPPED, '{"toolUseId":"toolu_1"}')).toEqual({
      agentId: "a2ce",
      isClean: true,
      summary: "Planned.",
      subagent: { agentType: "claude", agentName: "architect", taskId: "toolu_1" },
    });
  });

  test.each([null, "{", "[]", "{}", '{"toolUseId":1}'])("has no task where that file says %j", (text) => {
    expect(stop.parse(STOPPED, text)?.subagent).toMatchObject({ taskId: null });
  });

  test.each(["/dev/zero", "", 1, null])("names no file for the transcript %j", (path) => {
    expect(stop.file?.({ ...STOPPED, agent_transcript_path: path })).toBeUndefined();
  });

  test("has a summary of at most 4,000 characters, none of them cut in half", () => {
    const summary = stop.parse({ last_assistant_message: `${"a".repeat(3999)}😀` }, null)?.summary;
    expect([summary?.length, summary?.isWellFormed()]).toEqual([4000, true]);
  });
});

test.each([
  [{ HOME: "/home/me" }, "/home/me/.claude/settings.json"],
  [{ HOME: "/home/me", CLAUDE_CONFIG_DIR: "" }, "/home/me/.claude/settings.json"],
  [{ HOME: "/home/me", CLAUDE_CONFIG_DIR: "/etc/claude/" }, "/etc/claude/settings.json"],
])("Claude's settings of %j are in %s", (env, path) => {
  expect(settings.path(env)).toBe(path);
});
