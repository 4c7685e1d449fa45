import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadHooks } from "../../agents/hook-registry.ts";
import type { AgentHooks, ExampleFacts, HookExample, HookName } from "../../agents/hooks.ts";
import type { JsonObject } from "../../domain/json.ts";
import { openRollcall } from "../../record/open.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { findHook } from "../commands/hook.ts";
import type { Output } from "../framework/output.ts";

const FACTS = { agentName: "terraform-architect", taskId: "T001", description: "plan the network" };

/** The examples of an orchestrator; those of an agent stand with its hooks. */
const EXAMPLES: AgentHooks["examples"] = {
  "pre-delegate": [
    {
      about: "a session that waits for approval",
      session: { phase: "approval" },
      payload: (facts) => ({ ...delegation(facts), agent_id: facts.sessionId }),
    },
    { about: "no agent_id, but a candidate", payload: delegation },
    {
      about: "a session that does not exist",
      payload: (facts) => ({ ...delegation(facts), agent_id: "session-20260108-180530-abc123" }),
    },
  ],
  "subagent-stop": [
    {
      about: "a sub-agent that did well",
      session: { phase: "approval" },
      payload: ({ sessionId }) => ({ agent_id: sessionId, exit_code: 0 }),
    },
    {
      about: "a sub-agent that failed",
      session: { phase: "approval" },
      payload: ({ sessionId }) => ({ agent_id: sessionId, exit_code: 1 }),
    },
    { about: "no agent_id", payload: () => ({ exit_code: 0 }) },
  ],
};

function delegation({ agentName, taskId, description }: ExampleFacts): JsonObject {
  return { agent_name: agentName, task_id: taskId, task_description: description, metadata: {} };
}

/** Runs a hook on built-in examples, in a store of its own that is gone afterwards. */
export async function testHook(name: string, output: Output, from?: string): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "rollcall-hook-test-"));
  try {
    await using rollcall = await openRollcall({ home, cwd: home, channel: "hook" });
    const hook = await findHook(name, from);
    const results: object[] = [];
    for (const { about, session, payload } of await examplesOf(name, from)) {
      const sessionId = session ? await makeSession(rollcall, session) : "";
      const input = payload({ ...FACTS, sessionId });
      results.push({ about, input, output: await hook?.answer(rollcall, input) });
    }
    if (from === undefined) output.json({ hook: name, results });
    else output.text(`${JSON.stringify({ hook: name, from, results })}\n`);
    return 0;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function examplesOf(name: string, from: string | undefined): Promise<readonly HookExample[]> {
  const examples = from === undefined ? EXAMPLES : (await loadHooks(from))?.examples;
  return examples?.[name as HookName] ?? [];
}

async function makeSession(
  rollcall: Rollcall,
  { id: given, phase }: NonNullable<HookExample["session"]>,
): Promise<string> {
  const { id } = await rollcall.create({
    ...(given === undefined ? {} : { id: given }),
    agentName: FACTS.agentName,
    taskId: FACTS.taskId,
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
  await rollcall.update(id, { phase });
  return id;
}
