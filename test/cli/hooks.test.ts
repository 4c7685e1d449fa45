import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hook, resumable } from "./hook.ts";
import { type Answer, newUser, type User } from "./rollcall.ts";

const ANSWER_KEYS = [
  "should_resume",
  "reason",
  "agent_id",
  "resume_metadata",
  "original_context",
  "candidates",
];

test("pre-delegate says yes to a session that waits for approval, with all that is needed to go on", async () => {
  using user = newUser();
  await resumable(user, "s1", "--metadata", '{"planFile":"plan.json"}');
  const input = {
    agent_name: "x",
    task_id: "T1",
    agent_id: "s1",
    task_description: "d",
    metadata: { camelKey: 1 },
  };
  const given = await hook(user, "pre-delegate", input);
  const session = (await user.ok(["get", "s1", "--json"])).json;
  expect(given).toMatchObject({ code: 0, stderr: "" });
  expect(Object.keys(given.json)).toEqual(ANSWER_KEYS);
  expect(given.json).toEqual({
    should_resume: true,
    reason: "session_resumable",
    agent_id: "s1",
    resume_metadata: {
      previous_phase: "approval",
      created_at: session.created_at,
      last_updated: session.last_active_at,
      history: session.history,
      session_metadata: { planFile: "plan.json" },
      context: [],
    },
    original_context: input,
    candidates: [],
  });
});

test("pre-delegate gives the reason of a no", async () => {
  using user = newUser();
  await user.create("--id", "new");
  await resumable(user, "final");
  await user.ok(["finalize", "final", "completed"]);
  const cases = [
    ["nobody", "session_not_found"],
    ["../../etc/passwd", "session_not_found"],
    ["new", "phase_not_resumable"],
    ["final", "finalized"],
  ] as const;
  for (const [agent_id, reason] of cases) {
    const given = await hook(user, "pre-delegate", { agent_name: "x", agent_id });
    expect(given.code).toBe(0);
    expect(given.json).toMatchObject({ should_resume: false, reason, agent_id, candidates: [] });
  }
});

test("without an agent_id pre-delegate names the resumable sessions of the same agent name and task", async () => {
  using user = newUser();
  await resumable(user, "same", "--agent", "x", "--task", "T1", "--purpose", "p");
  await resumable(user, "in-metadata", "--agent", "x", "--metadata", '{"task_id":"T1"}');
  await resumable(user, "other-task", "--agent", "x", "--task", "T2");
  await resumable(user, "other-agent", "--agent", "y", "--task", "T1");
  await user.create("--id", "not-ready", "--agent", "x", "--task", "T1");
  const given = await hook(user, "pre-delegate", { agent_name: "x", task_id: "T1" });
  expect(given.code).toBe(0);
  expect(given.json).toMatchObject({
    should_resume: false,
    reason: "no_existing_session",
    agent_id: null,
    resume_metadata: null,
  });
  const candidates = given.json.candidates as { agent_id: string }[];
  expect(candidates.map(({ agent_id }) => agent_id)).toEqual(["in-metadata", "same"]);
  expect(candidates[1]).toEqual({
    agent_id: "same",
    phase: "approval",
    purpose: "p",
    task_id: "T1",
    last_updated: expect.stringMatching(/Z$/),
  });
});

test("the context is the last five turns, in order", async () => {
  using user = newUser();
  await resumable(user, "s1");
  await say(
    user,
    "s1",
    Array.from({ length: 7 }, (_, turn) => [`question ${turn}`, `answer ${turn}`]),
  );
  const given = await hook(user, "pre-delegate", { agent_id: "s1" });
  const expected = [2, 3, 4, 5, 6].flatMap((turn) => [`question ${turn}`, `answer ${turn}`]);
  expect(contextOf(given).map(({ text }) => text)).toEqual(expected);
  expect(Object.keys(contextOf(given)[0] ?? {}).sort()).toEqual([
    "at",
    "kind",
    "role",
    "seq",
    "text",
    "tool",
  ]);
});

test("the context stays within 16 KB: the oldest go, and what is too long is cut and says so", async () => {
  using user = newUser();
  await resumable(user, "long");
  await say(user, "long", [
    ["q1", "ä".repeat(6000)],
    ["q2", "b".repeat(9000)],
  ]);
  await resumable(user, "huge");
  await say(user, "huge", [["q1", "日".repeat(20_000)]]);
  for (const [id, newest] of [
    ["long", "b".repeat(9000)],
    ["huge", expect.stringMatching(/^日+… \(cut\)$/)],
  ] as const) {
    const context = contextOf(await hook(user, "pre-delegate", { agent_id: id }));
    expect(Buffer.byteLength(JSON.stringify(context)), id).toBeLessThanOrEqual(16_384);
    expect(context.at(-1)?.text).toEqual(newest);
  }
});

test("pre-delegate adds no event and moves no time, but each call is counted", async () => {
  using user = newUser();
  await resumable(user, "s1");
  const before = await user.everything();
  await hook(user, "pre-delegate", { agent_name: "x", agent_id: "s1" });
  await hook(user, "pre-delegate", { agent_name: "x" });
  expect(await user.everything()).toBe(before);
  const { resume } = (await user.ok(["stats", "--resume", "--json"])).json as { resume?: object };
  expect(resume).toMatchObject({ delegations: 2, resumed: 1, pending: 1 });
});

test("subagent-stop finalises by the exit code: 0 or none is completed, anything else failed", async () => {
  using user = newUser();
  const cases = [
    [{ exit_code: 0 }, "completed"],
    [{}, "completed"],
    [{ exit_code: null }, "completed"],
    [{ exit_code: 1 }, "failed"],
    [{ exit_code: 143 }, "failed"],
    [{ exit_code: "2" }, "failed"],
  ] as const;
  for (const [input, phase] of cases) {
    const agent_id = await user.create();
    const given = await hook(user, "subagent-stop", { agent_id, extra: 1, ...input });
    expect(given).toMatchObject({ code: 0, stderr: "" });
    expect(given.json).toEqual({ finalized: true, reason: phase, agent_id });
    const { json } = await user.ok(["get", agent_id, "--json"]);
    expect([json.phase, json.history]).toEqual([phase, []]);
  }
});

test("subagent-stop does nothing without an agent_id, for nobody, and for what is final already", async () => {
  using user = newUser();
  await user.create("--id", "done");
  await user.ok(["finalize", "done", "completed"]);
  const before = await user.everything();
  const cases = [
    [{ exit_code: 0 }, { finalized: false, reason: "no_agent_id", agent_id: null }],
    [{ agent_id: "nobody" }, { finalized: false, reason: "session_not_found", agent_id: "nobody" }],
    [
      { agent_id: "done", exit_code: 1 },
      { finalized: false, reason: "finalized", agent_id: "done" },
    ],
  ] as const;
  for (const [input, answer] of cases) {
    const given = await hook(user, "subagent-stop", input);
    expect([given.code, given.json]).toEqual([0, answer]);
  }
  const again = await hook(user, "subagent-stop", { agent_id: "done", exit_code: 0 });
  expect([again.code, again.json.reason]).toEqual([0, "completed"]);
  expect(await user.everything()).toBe(before);
});

test("--test answers built-in examples and leaves nothing behind, not even a state folder", async () => {
  using user = newUser();
  const reasons = async (name: string) => {
    const { json } = await user.ok(["hook", name, "--test"]);
    return (json.results as { output: { reason: string } }[]).map(({ output }) => output.reason);
  };
  expect(await reasons("pre-delegate")).toEqual([
    "session_resumable",
    "no_existing_session",
    "session_not_found",
  ]);
  expect(await reasons("subagent-stop")).toEqual(["completed", "failed", "no_agent_id"]);
  expect(existsSync(user.state)).toBe(false);
  expect(readdirSync(join(user.folder, "tmp"))).toEqual([]);
});

async function say(user: User, id: string, turns: readonly (readonly string[])[]): Promise<void> {
  await using library = await user.library();
  for (const [question, answer] of turns) {
    await library.addEntry(id, { role: "user", kind: "text", text: question ?? "", tool: null });
    await library.addEntry(id, { role: "assistant", kind: "text", text: answer ?? "", tool: null });
  }
}

function contextOf(given: Answer): { text: string }[] {
  return (given.json.resume_metadata as { context: { text: string }[] }).context;
}
