import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hook, resumable } from "./hook.ts";
import { type Answer, newUser, type RunOptions, type User } from "./rollcall.ts";

const NATIVE_ID = "11111111-2222-4333-8444-5555555555a2";
const TOOL_USE_ID = "toolu_81faf83f5f0540c580";

/** What Claude Code 2.1.325 hands to a PreToolUse hook of its sub-agent tool. */
function toolUse(user: User, prompt: string, input: object = { subagent_type: "architect" }): object {
  return {
    session_id: NATIVE_ID,
    transcript_path: join(user.folder, "home/.claude/projects/work", `${NATIVE_ID}.jsonl`),
    cwd: user.workspace,
    prompt_id: "d15ef82d-ea34-49e4-a103-e6482d95c146",
    permission_mode: "default",
    effort: { level: "medium" },
    hook_event_name: "PreToolUse",
    tool_name: "Agent",
    tool_input: { description: "plan it", prompt, ...input },
    tool_use_id: TOOL_USE_ID,
  };
}

/** And to a SubagentStop hook, with the file that it keeps beside the transcript. */
function stopped(user: User, more: object = {}, meta: unknown = { toolUseId: TOOL_USE_ID }): object {
  const folder = join(user.folder, "home/.claude/projects/work", NATIVE_ID, "subagents");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "agent-a2ce1788fa4e2b820.meta.json"), JSON.stringify(meta));
  return {
    session_id: NATIVE_ID,
    cwd: user.workspace,
    permission_mode: "default",
    agent_id: "a2ce1788fa4e2b820",
    agent_type: "architect",
    hook_event_name: "SubagentStop",
    stop_hook_active: false,
    agent_transcript_path: join(folder, "agent-a2ce1788fa4e2b820.jsonl"),
    last_assistant_message: "Planned.",
    background_tasks: [],
    ...more,
  };
}

function fromClaude(user: User, name: string, input: object | string, env?: RunOptions["env"]) {
  return hook(user, name, input, { flags: ["--from", "claude"], ...(env === undefined ? {} : { env }) });
}

/** The text for Claude's model, in an answer that has nothing else. */
function contextOf(given: Answer): string {
  expect([given.code, given.stderr]).toEqual([0, ""]);
  const { hookSpecificOutput } = given.json as { hookSpecificOutput?: { additionalContext: string } };
  const additionalContext = hookSpecificOutput?.additionalContext ?? "";
  expect(given.json).toEqual({ hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext } });
  return additionalContext;
}

test.each(["Agent", "Task"])(
  "a prompt of the tool %s that names a session gets what is known of it",
  async (tool) => {
    using user = newUser();
    await resumable(user, "plan-42", "--agent", "architect", "--metadata", '{"plan_file":"plan.json"}');
    const input = { ...toolUse(user, 'Apply it: {"agent_id": "plan-42"}.'), tool_name: tool };
    const text = contextOf(await fromClaude(user, "pre-delegate", input));
    const [head, known = ""] = text.split("\n");
    expect(head).toBe("Rollcall: session plan-42 can be taken up. What is known of it:");
    expect(JSON.parse(known)).toMatchObject({
      previous_phase: "approval",
      session_metadata: { plan_file: "plan.json" },
      context: [],
    });
  },
);

test("a named session that cannot be taken up is told with the reason", async () => {
  using user = newUser();
  await user.create("--id", "new", "--agent", "architect");
  const cases = [
    ["agent_id: new.", "Rollcall: session new cannot be taken up (phase_not_resumable)."],
    ["agent_id=`nobody`", "Rollcall: session nobody cannot be taken up (session_not_found)."],
  ] as const;
  for (const [prompt, text] of cases)
    expect(contextOf(await fromClaude(user, "pre-delegate", toolUse(user, prompt)))).toBe(text);
});

test("without a name it offers sessions of that sub-agent in the workspace and below the calling session", async () => {
  using user = newUser();
  const elsewhere = join(user.folder, "elsewhere");
  mkdirSync(elsewhere);
  await user.upsert({ id: "caller", agent_type: "claude", native_id: NATIVE_ID });
  const away = ["--agent", "architect", "--no-file", "--workspace", elsewhere];
  await resumable(user, "here", "--agent", "architect", "--purpose", "network");
  await resumable(user, "below", ...away, "--parent", "caller");
  await resumable(user, "away", ...away);
  await resumable(user, "other", "--agent", "reviewer");
  await user.create("--id", "not-ready", "--agent", "architect");
  const lines = contextOf(await fromClaude(user, "pre-delegate", toolUse(user, "Plan it."))).split("\n");
  expect(lines).toEqual([
    expect.stringContaining("of architect can be taken up. To go on with one, say `agent_id: ID`"),
    expect.stringMatching(/^- below: phase approval, purpose general, last active .*Z$/),
    expect.stringMatching(/^- here: phase approval, purpose network, last active .*Z$/),
  ]);
});

test("the calling session may also be the one around it", async () => {
  using user = newUser();
  await user.create("--id", "around");
  const elsewhere = join(user.folder, "elsewhere");
  mkdirSync(elsewhere);
  const flags = ["--agent", "architect", "--no-file", "--workspace", elsewhere, "--parent", "around"];
  await resumable(user, "below", ...flags);
  const input = toolUse(user, "Plan it.");
  expect((await fromClaude(user, "pre-delegate", input)).json).toEqual({});
  const inside = await fromClaude(user, "pre-delegate", input, { ROLLCALL_SESSION_ID: "around" });
  expect(contextOf(inside)).toContain("- below: ");
});

test("what no type is given for is delegated to Claude's general-purpose sub-agent", async () => {
  using user = newUser();
  await resumable(user, "s1", "--agent", "general-purpose");
  expect(contextOf(await fromClaude(user, "pre-delegate", toolUse(user, "Look.", {})))).toContain("- s1: ");
});

test("a delegation is counted by the sub-agent's type and the tool use id, and nothing else is written", async () => {
  using user = newUser();
  await resumable(user, "s1", "--agent", "architect");
  const before = await user.everything();
  await fromClaude(user, "pre-delegate", toolUse(user, "agent_id: s1"));
  await fromClaude(user, "pre-delegate", toolUse(user, "Plan it."));
  await fromClaude(user, "pre-delegate", { ...toolUse(user, "agent_id: s1"), tool_name: "Bash" });
  expect(await user.everything()).toBe(before);
  await using library = await user.library();
  const counted = await Array.fromAsync(library.context.store.delegations());
  const delegation = { agentName: "architect", taskId: TOOL_USE_ID };
  expect(counted).toMatchObject([
    { ...delegation, sessionId: "s1", resume: true },
    { ...delegation, sessionId: null, reason: "no_existing_session" },
  ]);
});

test("other tools and delegations that nothing is known of are answered with nothing", async () => {
  using user = newUser();
  const inputs = [
    toolUse(user, "Plan it."),
    { ...toolUse(user, "agent_id: s1"), tool_name: "Bash" },
    { ...toolUse(user, ""), tool_input: "text" },
    {},
  ];
  for (const input of inputs)
    expect(await fromClaude(user, "pre-delegate", input)).toMatchObject({
      code: 0,
      stdout: "{}\n",
      stderr: "",
    });
});

test("a text stays below the length from which Claude hides it, and the newest turn is in it", async () => {
  using user = newUser();
  await resumable(
    user,
    "s1",
    "--agent",
    "architect",
    "--metadata",
    JSON.stringify({ notes: "n".repeat(3000) }),
  );
  await using library = await user.library();
  for (const text of ["oldest", "a".repeat(6000), "newest"])
    await library.addEntry("s1", { role: "user", kind: "text", text, tool: null });
  const text = contextOf(await fromClaude(user, "pre-delegate", toolUse(user, "agent_id: s1")));
  expect(text.length).toBeLessThan(10_000);
  expect(text).toContain("newest");
  expect(text).not.toContain("oldest");
  await user.ok(["update", "s1", "--metadata", JSON.stringify({ more: "日".repeat(9000) })]);
  const cut = contextOf(await fromClaude(user, "pre-delegate", toolUse(user, "agent_id: s1")));
  expect([cut.length < 10_000, cut.endsWith("… (cut)")]).toEqual([true, true]);
});

test("a sub-agent that stops has the session finalised that its delegation named", async () => {
  using user = newUser();
  await user.create("--id", "s1", "--agent", "architect");
  await user.ok(["update", "s1", "--phase", "executing"]);
  await fromClaude(user, "pre-delegate", toolUse(user, "Do it. agent_id: s1"));
  const given = await fromClaude(user, "subagent-stop", stopped(user));
  expect(given).toMatchObject({ code: 0, stdout: "{}\n", stderr: "" });
  const { json } = await user.ok(["get", "s1", "--json"]);
  expect(json).toMatchObject({ phase: "completed", outcome: "success", summary: "Planned." });
});

test("a session that carries the sub-agent's own id is finalised, as id or as native id", async () => {
  using user = newUser();
  await user.create("--id", "a1");
  await user.upsert({ id: "child", agent_type: "claude", native_id: "b2" });
  await fromClaude(user, "subagent-stop", stopped(user, { agent_id: "a1" }));
  await fromClaude(user, "subagent-stop", stopped(user, { agent_id: "b2" }));
  for (const id of ["a1", "child"])
    expect((await user.ok(["get", id, "--json"])).json.phase, id).toBe("completed");
});

interface LeftAlone {
  readonly what: string;
  readonly prompt: string;
  /** What comes with the stop, and what stands beside the transcript. */
  readonly more?: object;
  readonly meta?: object | null;
}

const LEFT_ALONE: readonly LeftAlone[] = [
  { what: "one that is to be taken up again", prompt: "agent_id: waits" },
  { what: "one of another agent", prompt: "agent_id: reviewers" },
  { what: "one that the prompt merely speaks of", prompt: "Why did mine stop?" },
  { what: "one that is final", prompt: "agent_id: failed" },
  { what: "one of another delegation", prompt: "agent_id: mine", meta: { toolUseId: "toolu_other" } },
  { what: "one whose delegation cannot be told", prompt: "agent_id: mine", meta: null },
  ...["/nowhere.jsonl", "/dev/zero"].map((path) => ({
    what: `one whose transcript is ${path}`,
    prompt: "agent_id: mine",
    more: { agent_transcript_path: path },
  })),
];

test.each(LEFT_ALONE)("a sub-agent that stops leaves alone $what", async ({ prompt, more, meta }) => {
  using user = newUser();
  await resumable(user, "waits", "--agent", "architect");
  await user.create("--id", "reviewers", "--agent", "reviewer");
  await user.create("--id", "mine", "--agent", "architect");
  await user.create("--id", "failed", "--agent", "architect");
  await user.ok(["finalize", "failed", "failed"]);
  const before = (await user.ok(["events", "--json"])).stdout;
  await fromClaude(user, "pre-delegate", toolUse(user, prompt));
  const given = await fromClaude(user, "subagent-stop", stopped(user, more, meta));
  expect(given).toMatchObject({ code: 0, stdout: "{}\n", stderr: "" });
  expect((await user.ok(["events", "--json"])).stdout).toBe(before);
});

test("whatever goes wrong, Claude gets nothing that could stop it", async () => {
  using user = newUser();
  for (const name of ["pre-delegate", "subagent-stop"]) {
    const garbage = await fromClaude(user, name, "{");
    expect([garbage.code, garbage.stdout]).toEqual([1, "{}\n"]);
    const stranger = await hook(user, name, {}, { flags: ["--from", "codex"] });
    expect([stranger.code, stranger.stdout]).toEqual([1, ""]);
    expect(stranger.stderr).toContain("Valid: claude.");
  }
  writeFileSync(user.state, "no folder");
  for (const [name, input] of [
    ["pre-delegate", toolUse(user, "agent_id: s1")],
    ["subagent-stop", stopped(user)],
  ] as const) {
    const given = await fromClaude(user, name, input);
    expect([given.code, given.stdout]).toEqual([0, "{}\n"]);
    expect(given.stderr).toMatch(/^rollcall: [^\n]+\n$/);
  }
});

test("--test shows what Claude would be answered, and leaves nothing behind", async () => {
  using user = newUser();
  const { json } = await user.ok(["hook", "pre-delegate", "--from", "claude", "--test"]);
  const results = json.results as { output: { hookSpecificOutput: { additionalContext: string } } }[];
  const texts = results.map(({ output }) => output.hookSpecificOutput.additionalContext);
  expect(texts).toEqual([
    expect.stringContaining("can be taken up. What is known of it:"),
    expect.stringContaining("earlier sessions of terraform-architect"),
  ]);
});
