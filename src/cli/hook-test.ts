import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../domain/json.ts";
import { openRollcall } from "../record/open.ts";
import type { Rollcall } from "../record/rollcall.ts";
import { HOOKS } from "./commands/hook.ts";
import type { Output } from "./output.ts";

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

const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
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

/** Runs a hook on built-in examples, in a store of its own that is gone afterwards. */
export async function testHook(name: string, output: Output): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-hook-test-"));
  try {
    await using rollcall = await openRollcall({ home, cwd: home, channel: "hook" });
    const results: object[] = [];
    for (const { about, input } of EXAMPLES[name] ?? []) {
      const given = await input(rollcall);
      results.push({ about, input: given, output: await HOOKS[name]?.answer(rollcall, given) });
    }
    output.json({ hook: name, results });
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
