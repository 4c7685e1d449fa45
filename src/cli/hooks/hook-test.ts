import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../domain/json.ts";
import { openRollcall } from "../../record/open.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { findHook } from "../commands/hook.ts";
import type { Output } from "../framework/output.ts";

interface Example {
  readonly about: string;
  readonly input: (rollcall: Rollcall) => Promise<JsonObject>;
}

const AGENT = {
  agent_name: "terraform-architect",
  task_id: "T001",
  task_description: "plan the network",
  metadata: {},
};

type Examples = Readonly<Record<string, readonly Example[]>>;

const EXAMPLES: Examples = {
  "pre-delegate": [
    {
      about: "a session that waits for approval",
      input: async (rollcall) => ({ ...AGENT, agent_id: await approval(rollcall) }),
    },
    { about: "no agent_id, but a candidate", input: async () => AGENT },
    {
      about: "a session that does not exist",
      input: async () => ({ ...AGENT, agent_id: "session-20260108-180530-abc123" }),
    },
  ],
  "subagent-stop": [
    {
      about: "a sub-agent that did well",
      input: async (rollcall) => ({ agent_id: await approval(rollcall), exit_code: 0 }),
    },
    {
      about: "a sub-agent that failed",
      input: async (rollcall) => ({ agent_id: await approval(rollcall), exit_code: 1 }),
    },
    { about: "no agent_id", input: async () => ({ exit_code: 0 }) },
  ],
};

const CLAUDE_EXAMPLES: Examples = {
  "pre-delegate": [
    {
      about: "a prompt that names a session that waits for approval",
      input: async (rollcall) => toolUse(`Apply the plan. agent_id: ${await approval(rollcall)}`),
    },
    { about: "no session named, but a candidate", input: async () => toolUse("Plan the network.") },
  ],
  "subagent-stop": [
    {
      about: "a sub-agent that has a session",
      input: async (rollcall) => {
        const { id } = await rollcall.create({ id: "a2ce1788fa4e2b820", file: false });
        return {
          session_id: "11111111-2222-4333-8444-555555555555",
          hook_event_name: "SubagentStop",
          agent_id: id,
          agent_type: AGENT.agent_name,
          last_assistant_message: "The network is planned.",
        };
      },
    },
  ],
};

function examplesFrom(from: string | undefined): Examples {
  return from === "claude" ? CLAUDE_EXAMPLES : EXAMPLES;
}

/** What Claude Code hands to a hook before its sub-agent tool runs. */
function toolUse(prompt: string): JsonObject {
  return {
    session_id: "11111111-2222-4333-8444-555555555555",
    hook_event_name: "PreToolUse",
    tool_name: "Agent",
    tool_input: { subagent_type: AGENT.agent_name, description: AGENT.task_description, prompt },
    tool_use_id: "toolu_01A",
  };
}

/** Runs a hook on built-in examples, in a store of its own that is gone afterwards. */
export async function testHook(name: string, output: Output, from?: string): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-hook-test-"));
  try {
    await using rollcall = await openRollcall({ home, cwd: home, channel: "hook" });
    const hook = await findHook(name, from);
    const results: object[] = [];
    for (const { about, input } of examplesFrom(from)[name] ?? []) {
      const given = await input(rollcall);
      results.push({ about, input: given, output: await hook?.answer(rollcall, given) });
    }
    if (from === undefined) output.json({ hook: name, results });
    else output.text(`${JSON.stringify({ hook: name, from, results })}\n`);
    return 0;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function approval(rollcall: Rollcall): Promise<string> {
  const { id } = await rollcall.create({
    agentName: AGENT.agent_name,
    taskId: AGENT.task_id,
    purpose: "approval_workflow",
    file: false,
  });
  await rollcall.update(id, { phase: "planning", metadata: { plan_file: "plan.json" } });
  await rollcall.addEntry(id, { role: "user", kind: "text", text: "Plan the network.", tool: null });
  await rollcall.addEntry(id, {
    role: "assistant",
    kind: "text",
    text: "The plan is in plan.json. Shall I apply it?",
    tool: null,
  });
  await rollcall.update(id, { phase: "approval" });
  return id;
}
