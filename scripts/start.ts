// Builds Rollcall and shows the roll over a few example records, in a state folder of their own.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import type { EventBody } from "../src/domain/event.ts";
import type { JsonObject } from "../src/domain/json.ts";
import { openRollcall, type Rollcall, Session } from "../src/index.ts";

const root = join(import.meta.dirname, "..");
const home = join(root, ".rollcall-demo");
const minutes = 60_000;

process.stdout.write("Building … ");
execFileSync(process.execPath, [join(root, "scripts", "build.ts")], {
  stdio: ["ignore", "ignore", "inherit"],
});
console.log("done.\n");

rmSync(home, { recursive: true, force: true });
mkdirSync(home, { mode: 0o700 });
await fill();

const env = { ...process.env, ROLLCALL_HOME: home };
spawnSync(process.execPath, [join(root, "bin", "rollcall.cjs")], { stdio: "inherit", env });
const here = `ROLLCALL_HOME=${relative(process.cwd(), home) || "."}`;
console.log(`
These are example records in ${relative(process.cwd(), home)}; your own state folder was not touched. Look around with
  ${here} npx rollcall list
  ${here} npx rollcall get plan-network
  ${here} npx rollcall should-resume plan-network
  ${here} npx rollcall search memory
  ${here} npx rollcall stats --resume`);

async function fill(): Promise<void> {
  let now = Date.now() - 42 * minutes;
  const later = (count: number) => {
    now += count * minutes;
  };
  await using rollcall = await openRollcall({ home, cwd: home, now: () => now });
  await finished(rollcall, later);
  await failed(rollcall, later);
  await waiting(rollcall, later);
  await approval(rollcall, later);
  await running(rollcall);
}

async function finished(rollcall: Rollcall, later: (count: number) => void): Promise<void> {
  const session = await Session.create(
    {
      name: "fix-crash-loop",
      agentName: "gitops-operator",
      agentType: "claude",
      model: "claude-sonnet-5",
      goal: "Find out why the pod restarts",
      file: false,
    },
    { rollcall },
  );
  await session.addMessage({ role: "user", content: "Why does the pod restart every few minutes?" });
  await session.recordToolCall({
    name: "kubectl:describe",
    params: { pod: "api-7d9f" },
    result: { reason: "OOMKilled" },
  });
  await session.addMessage({
    role: "assistant",
    content: "It is killed for using more memory than its limit. I raised the limit.",
  });
  await session.addUsage({ input: 4210, output: 980, cacheRead: 18_400, cacheWrite: 2100, costUsd: 0.0412 });
  later(9);
  await rollcall.finalize(session.id, "completed", { summary: "Raised the memory limit; no restart since" });
}

async function failed(rollcall: Rollcall, later: (count: number) => void): Promise<void> {
  const { id } = await rollcall.create({
    name: "nightly-tests",
    agentName: "tester",
    agentType: "codex",
    kind: "autonomous",
    goal: "Run the nightly tests",
    file: false,
  });
  await rollcall.update(id, { phase: "executing" });
  later(6);
  await rollcall.update(id, { phase: "failed", error: "3 of 212 tests failed" });
}

async function waiting(rollcall: Rollcall, later: (count: number) => void): Promise<void> {
  const { id } = await rollcall.create({
    name: "clean-branches",
    agentName: "janitor",
    agentType: "claude",
    goal: "Remove merged branches",
    file: false,
  });
  later(3);
  const input: JsonObject = { command: "git push origin --delete feature/old" };
  await append(rollcall, id, {
    kind: "state_changed",
    to: "waiting_input",
    evidence: { source: "declared", rule: "demo", excerpt: null },
    waiting: {
      for: "permission",
      requestId: "r1",
      tool: "Bash",
      input,
      question: "Run git push origin --delete feature/old?",
      options: null,
      since: new Date().toISOString(),
    },
  });
}

async function approval(rollcall: Rollcall, later: (count: number) => void): Promise<void> {
  const { id } = await rollcall.create({
    name: "plan-network",
    agentName: "terraform-architect",
    agentType: "claude",
    taskId: "T001",
    purpose: "approval_workflow",
    file: false,
  });
  await rollcall.update(id, { phase: "planning", metadata: { plan_file: "plan.json" } });
  later(14);
  await rollcall.update(id, { phase: "approval" });
}

async function running(rollcall: Rollcall): Promise<void> {
  await rollcall.create({
    name: "write-docs",
    agentName: "writer",
    agentType: "gemini",
    goal: "Document the release",
    file: false,
  });
  await rollcall.upsert([
    {
      id: "fleet-0007",
      agent_type: "opencode",
      status: "active",
      turns: 12,
      prompt_tokens: 91_000,
      completion_tokens: 7400,
      cost_cents: 38.5,
      goal_text: "Migrate the build",
    },
  ]);
}

async function append(rollcall: Rollcall, id: string, body: EventBody): Promise<void> {
  const at = new Date(rollcall.context.now()).toISOString();
  await rollcall.context.store.change(id, () => [{ id: `demo-${id}`, at, channel: "cli", body }]);
}
