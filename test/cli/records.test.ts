import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RECORD_KEYS, RESOURCE_KEYS, USAGE_KEYS } from "./record-keys.ts";
import { newUser, type Shown } from "./rollcall.ts";

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test("create answers with the whole record: every field of every group, and no other", async () => {
  using user = newUser();
  const { json } = await user.ok(["create", "--json"]);
  expect(Object.keys(json).sort()).toEqual(Object.values(RECORD_KEYS).flat().sort());
  expect(Object.keys(json.usage as object)).toEqual([...USAGE_KEYS]);
  expect(Object.keys(json.usage_with_children as object)).toEqual([...USAGE_KEYS]);
  expect(Object.keys(json.resources as object)).toEqual([...RESOURCE_KEYS]);
});

test("a new record has the defaults of the design, and unknown is null, not zero", async () => {
  using user = newUser();
  const { json } = await user.ok(["create", "--json"]);
  expect(json.id).toMatch(/^session-\d{8}-\d{6}-[0-9a-f]{6}$/);
  expect(json).toMatchObject({
    agent_type: "unknown",
    purpose: "general",
    kind: "interactive",
    channel: "cli",
    state: "running",
    state_source: "declared",
    status: "active",
    phase: "initializing",
    history: [],
    resume_ready: false,
    outcome: null,
    generation: 1,
    attached: null,
    error_count: 0,
    resume_count: 0,
    last_error: null,
    duration_ms: null,
    workspace_path: user.workspace,
    metadata: {},
    usage: { turns: null, tokens_total: null, cost_usd: null, cost_source: null },
  });
  expect(json.created_at).toMatch(INSTANT);
  expect(json.started_at).toBe(json.created_at);
});

test("create takes every identity flag, and leaves the keys of metadata alone", async () => {
  using user = newUser();
  const flags = {
    "--id": "my-id.1",
    "--name": "nightly",
    "--agent": "terraform-architect",
    "--type": "claude",
    "--kind": "autonomous",
    "--channel": "telegram",
    "--role": "planner",
    "--model": "m-1",
    "--purpose": "approval_workflow",
    "--goal": "a goal",
    "--chain": "c1",
    "--task": "T001",
    "--metadata": '{"camelKey":{"innerKey":1},"snake_key":2}',
  };
  const { json } = await user.ok(["create", ...Object.entries(flags).flat(), "--json"]);
  expect(json).toMatchObject({
    id: "my-id.1",
    name: "nightly",
    agent_name: "terraform-architect",
    agent_type: "claude",
    kind: "autonomous",
    channel: "telegram",
    role: "planner",
    model: "m-1",
    purpose: "approval_workflow",
    goal: "a goal",
    chain_id: "c1",
    task_id: "T001",
    metadata: { camelKey: { innerKey: 1 }, snake_key: 2 },
  });
});

test("create keeps a record file in a folder that ignores itself, and none with --no-file", async () => {
  using user = newUser();
  await user.create("--id", "with");
  await user.create("--id", "without", "--no-file");
  const folder = join(user.workspace, ".rollcall");
  expect(JSON.parse(readFileSync(join(folder, "sessions", "with.json"), "utf8"))).toMatchObject({
    id: "with",
    tokenUsage: { input: null, output: null, total: null },
    messages: [],
    toolCalls: [],
  });
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  expect(existsSync(join(folder, "sessions", "without.json"))).toBe(false);
});

test("create puts the record into the git root around the working folder, or where --workspace says", async () => {
  using user = newUser();
  const [inside, other] = [join(user.workspace, "a", "b"), join(user.folder, "other")];
  for (const path of [inside, other, join(user.workspace, ".git")]) mkdirSync(path, { recursive: true });
  writeFileSync(join(user.workspace, ".git", "HEAD"), "ref: refs/heads/topic\n");
  const here = await user.ok(["create", "--json"], { cwd: inside });
  const there = await user.ok(["create", "--workspace", "../other", "--json"]);
  expect(here.json).toMatchObject({ workspace_path: user.workspace, git_branch: "topic" });
  expect(there.json).toMatchObject({ workspace_path: other, git_branch: null });
});

test("where no record file can be kept, one warning is given and the record is made", async () => {
  using user = newUser();
  const given = await user.ok(["create", "--workspace", join(user.folder, "nowhere"), "--json"]);
  expect(given.stderr.trim().split("\n")).toHaveLength(1);
  expect(given.json.state).toBe("running");
  expect(existsSync(join(user.folder, "nowhere"))).toBe(false);
});

test("an id in use is refused with exit 4, and the first session stays as it was", async () => {
  using user = newUser();
  await user.create("--id", "taken", "--purpose", "first");
  const before = await user.everything();
  const given = await user.rollcall(["create", "--id", "taken", "--purpose", "second", "--json"]);
  expect(given).toMatchObject({ code: 4, stdout: "" });
  expect(given.error.code).toBe("id_in_use");
  expect(await user.everything()).toBe(before);
});

test("update changes phase, metadata, error, name and readiness at once and answers with the session", async () => {
  using user = newUser();
  const id = await user.create("--metadata", '{"a":1,"b":{"c":1}}');
  const call = ["--phase", "planning", "--metadata", '{"b":2}', "--error", "oops", "--name", "renamed"];
  const { json } = await user.ok(["update", id, ...call, "--resume-ready", "false", "--json"]);
  expect(Object.keys(json).sort()).toEqual(Object.values(RECORD_KEYS).flat().sort());
  expect(json).toMatchObject({
    id,
    phase: "planning",
    metadata: { a: 1, b: 2 },
    name: "renamed",
    error_count: 1,
    resume_ready: false,
    history: [{ from_phase: "initializing", to_phase: "planning" }],
  });
  expect(json.last_error).toEqual({ message: "oops", at: expect.stringMatching(INSTANT) });
});

test("a phase sets readiness and is kept in the history even when it is the same again", async () => {
  using user = newUser();
  const id = await user.create();
  const phases = ["approval", "approval", "executing"];
  const answers: Shown[] = [];
  for (const phase of phases) answers.push((await user.ok(["update", id, "--phase", phase, "--json"])).json);
  expect(answers.map(({ resume_ready }) => resume_ready)).toEqual([true, true, false]);
  const history = answers.at(-1)?.history as { to_phase: string; timestamp: string }[];
  expect(history.map(({ to_phase }) => to_phase)).toEqual(phases);
  expect(history[0]?.timestamp).toMatch(INSTANT);
});

test("each status that is declared gives its state and outcome", async () => {
  using user = newUser();
  const id = await user.create();
  const seen: unknown[] = [];
  for (const status of ["completed", "failed", "cancelled", "unknown", "active"]) {
    const { json } = await user.ok(["update", id, "--status", status, "--json"]);
    seen.push([json.status, json.state, json.outcome, json.ended_at !== null]);
  }
  expect(seen).toEqual([
    ["completed", "stopped", "success", true],
    ["failed", "failed", "failure", true],
    ["cancelled", "stopped", "interrupted", true],
    ["unknown", "unknown", null, expect.any(Boolean)],
    ["active", "running", null, false],
  ]);
});

test("update of a session that is not there exits 3, in JSON and in one sentence", async () => {
  using user = newUser();
  const json = await user.rollcall(["update", "nobody", "--phase", "planning", "--json"]);
  const text = await user.rollcall(["update", "nobody", "--phase", "planning"]);
  expect(json).toMatchObject({ code: 3, stdout: "" });
  expect(Object.keys(json.error)).toEqual(["code", "message", "hint"]);
  expect(json.error.code).toBe("session_not_found");
  expect(text).toMatchObject({ code: 3, stdout: "" });
  expect(text.stderr).toMatch(/^rollcall: There is no session "nobody"\. See `rollcall list`\.\n$/);
});

test("update with an expected seq is refused with exit 4 when the session has moved on", async () => {
  using user = newUser();
  const id = await user.create();
  await user.ok(["update", id, "--name", "one", "--expected-seq", "1"]);
  const given = await user.rollcall(["update", id, "--name", "two", "--expected-seq", "1", "--json"]);
  expect([given.code, given.error.code]).toEqual([4, "seq_conflict"]);
  expect((await user.ok(["get", id, "--json"])).json.name).toBe("one");
});

test("finalize sets time, duration, summary and outcome, adds no history and ends a record made by hand", async () => {
  using user = newUser();
  const cases = [
    ["completed", "success", "stopped"],
    ["failed", "failure", "failed"],
    ["abandoned", "interrupted", "stopped"],
  ] as const;
  for (const [phase, outcome, state] of cases) {
    const id = await user.create();
    await user.ok(["update", id, "--phase", "approval"]);
    const { json } = await user.ok(["finalize", id, phase, "--summary", "what came of it", "--json"]);
    expect(json).toMatchObject({ phase, outcome, state, summary: "what came of it", resume_ready: false });
    expect(json.history).toHaveLength(1);
    expect(json.ended_at).toBe(json.finalized_at);
    expect(json.duration_ms).toBe(Date.parse(`${json.finalized_at}`) - Date.parse(`${json.created_at}`));
  }
});

test("finalising again with the same word changes nothing, with another it is refused with exit 4", async () => {
  using user = newUser();
  const id = await user.create();
  const first = await user.ok(["finalize", id, "completed", "--json"]);
  expect((await user.ok(["finalize", id, "completed", "--json"])).json).toEqual(first.json);
  const refused = await user.rollcall(["finalize", id, "failed", "--json"]);
  expect([refused.code, refused.error.code]).toEqual([4, "finalized"]);
  expect((await user.ok(["get", id, "--json"])).json).toEqual(first.json);
});

test("on a final record a phase or status is refused whole, while metadata, name and error are taken", async () => {
  using user = newUser();
  const id = await user.create();
  await user.ok(["finalize", id, "completed"]);
  const before = await user.everything();
  for (const flags of [
    ["--phase", "planning"],
    ["--status", "active"],
    ["--resume-ready", "true"],
  ]) {
    const refused = await user.rollcall(["update", id, ...flags, "--metadata", '{"a":1}', "--json"]);
    expect([refused.code, refused.error.code]).toEqual([4, "finalized"]);
  }
  expect(await user.everything()).toBe(before);
  const { json } = await user.ok([
    "update",
    id,
    "--metadata",
    '{"a":1}',
    "--error",
    "late",
    "--name",
    "n",
    "--json",
  ]);
  expect(json).toMatchObject({ phase: "completed", metadata: { a: 1 }, error_count: 1, name: "n" });
});

test("an update to a final phase finalises, with its entry in the history", async () => {
  using user = newUser();
  const id = await user.create();
  const { json } = await user.ok(["update", id, "--phase", "failed", "--json"]);
  expect(json).toMatchObject({ phase: "failed", outcome: "failure", state: "failed", resume_ready: false });
  expect(json.history).toMatchObject([{ from_phase: "initializing", to_phase: "failed" }]);
  expect(json.finalized_at).toMatch(INSTANT);
});

test("get answers with the same record as the call that made it", async () => {
  using user = newUser();
  const { json } = await user.ok(["create", "--json"]);
  expect((await user.ok(["get", json.id, "--json"])).json).toEqual(json);
  const missing = await user.rollcall(["get", "nobody", "--json"]);
  expect([missing.code, missing.error.code]).toEqual([3, "session_not_found"]);
});
