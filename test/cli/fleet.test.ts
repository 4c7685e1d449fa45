import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newUser } from "./rollcall.ts";

test("list is ordered by last activity, pages by cursor without gaps, and is empty without sessions", async () => {
  using user = newUser();
  expect((await user.ok(["list", "--json"])).json).toEqual({ sessions: [], next_cursor: null });
  const days = ["03", "01", "04", "02", "05"];
  await user.upsert(...days.map((day) => ({ id: `d${day}`, last_active_at: `2026-01-${day}` })));
  const seen: string[] = [];
  let cursor: string[] = [];
  do {
    const { json } = await user.ok(["list", "--json", "--limit", "2", ...cursor]);
    expect(Object.keys(json)).toEqual(["sessions", "next_cursor"]);
    seen.push(...json.sessions.map(({ id }) => id));
    cursor = json.next_cursor === null ? [] : ["--cursor", String(json.next_cursor)];
  } while (cursor.length > 0);
  expect(seen).toEqual(["d05", "d04", "d03", "d02", "d01"]);
  expect((await user.ok(["ls", "-q", "--limit", "all"])).stdout.trim().split("\n")).toEqual(seen);
});

test("every filter of list selects before the limit", async () => {
  using user = newUser();
  await user.upsert(
    { id: "a", agent_name: "x", kind: "acp", channel: "slack", status: "active", task_id: "T1" },
    { id: "b", agent_type: "claude", status: "completed", metadata: { task_id: "T1", n: 3 } },
    {
      id: "c",
      agent_name: "claude",
      status: "failed",
      created_at: "2020-01-01",
      last_active_at: "2020-01-02",
    },
    { id: "d", status: "cancelled", created_at: "2020-02-01", last_active_at: "2020-02-02" },
    { id: "e", status: "unknown", last_active_at: "2020-03-01", created_at: "2020-03-01" },
  );
  await user.create("--id", "f", "--agent", "x");
  await user.ok(["update", "f", "--phase", "approval"]);
  const cases: readonly (readonly [string, string])[] = [
    ["--active-only", "a f"],
    ["--active-only --status failed", ""],
    ["--resumable", "f"],
    ["--agent x", "a f"],
    ["--agent claude", "b c"],
    ["--state stopped", "b d"],
    ["--state detached", ""],
    ["--status failed", "c"],
    ["--status unknown", "e"],
    ["--kind acp", "a"],
    ["--channel slack", "a"],
    ["--where task_id=T1", "a b"],
    ["--where task_id=T1 --where n=3", "b"],
    ["--since 1h", "a b f"],
    ["--until 2020-02-01T00:00:00+00:00", "c"],
    ["--since 2020-02-01 --until 2020-03-01T00:00:00Z", "d"],
    ["--created-since 2020-01-15 --created-until 2020-02-15", "d"],
    ["--status completed --limit 1", "b"],
  ];
  const found = await Promise.all(
    cases.map(async ([flags]) => {
      const { stdout } = await user.ok(["list", "-q", ...flags.split(" ")]);
      return [flags, stdout.trim().split("\n").sort().join(" ")];
    }),
  );
  expect(found).toEqual(cases);
});

test("upsert says how many, replaces totals, keeps created_at and understands the words of other fleets", async () => {
  using user = newUser();
  const line = {
    id: "s1",
    status: "active",
    model: "m1",
    created_at: "2026-01-01T00:00:00",
    turns: 2,
    prompt_tokens: 100,
    completion_tokens: 50,
    reasoning_tokens: 20,
    cost_cents: 12.5,
    goal_text: "win",
  };
  const first = await user.ok(["upsert", "--json"], { input: `${JSON.stringify(line)}\n\n{"id":"s2"}\n` });
  expect(first.json).toEqual({ upserted: 2 });
  await user.upsert({ id: "s1", prompt_tokens: 200, model: null, created_at: "2026-02-02" });
  const { json } = await user.ok(["get", "s1", "--json"]);
  expect(json).toMatchObject({
    created_at: "2026-01-01T00:00:00.000Z",
    model: null,
    goal: "win",
    usage: {
      turns: 2,
      tokens_input: 200,
      tokens_output: 50,
      tokens_reasoning: 20,
      tokens_total: 250,
      cost_usd: 0.125,
      cost_source: "reported",
    },
  });
});

test("a bad line of upsert is named by its number and nothing of any line is written", async () => {
  using user = newUser();
  const cases = [
    ['{"id":"ok"}\n{"id":', "Line 2"],
    ['{"id":"ok"}\n[1]', "Line 2"],
    ['{"id":"ok","bogus":1}', "Line 1"],
    ['{"id":"../x"}', "Line 1"],
    ['{"id":"ok","name":"a\\u001b[2J"}', "Line 1"],
    ['{"id":"ok","status":"dead"}', "Line 1"],
    ['{"id":"ok","turns":-1}', "Line 1"],
    ['{"id":"ok","cost_usd":"1"}', "Line 1"],
    ['{"id":"ok","created_at":"yesterday"}', "Line 1"],
    ['{"model":"m"}', "Line 1"],
    ["", "no line"],
  ] as const;
  for (const [input, says] of cases) {
    const given = await user.rollcall(["upsert", "--json"], { input });
    expect(given).toMatchObject({ code: 2, stdout: "" });
    expect(given.error.message).toContain(says);
  }
  expect((await user.ok(["list", "--json"])).json.sessions).toEqual([]);
});

test("totals are refused with exit 4 where requests were counted one by one", async () => {
  using user = newUser();
  const id = await user.create();
  await using library = await user.library();
  const none = {
    tokensCacheRead: 0,
    tokensCacheWrite: 0,
    tokensCacheWriteHour: null,
    tokensReasoning: 0,
    webSearches: null,
    serviceTier: null,
    speed: null,
    reportedNanoUsd: 5e8,
    computedNanoUsd: null,
    pricedBy: null,
  };
  const at = new Date().toISOString();
  await library.recordUsage(id, [
    { requestKey: "r", at, model: "m", tokensInput: 1, tokensOutput: 2, ...none },
  ]);
  const given = await user.rollcall(["upsert", "--json"], { input: JSON.stringify({ id, turns: 1 }) });
  expect([given.code, given.error.code]).toEqual([4, "totals_from_ledger"]);
  expect((await user.ok(["get", id, "--json"])).json.usage).toMatchObject({ tokens_total: 3, cost_usd: 0.5 });
});

test("delete removes the record and its file and names it among results; several ids exit with the worst code", async () => {
  using user = newUser();
  for (const id of ["a", "b", "c"]) await user.create("--id", id);
  const one = await user.ok(["delete", "a", "--json"]);
  expect(one.json).toEqual({ results: [{ session_id: "a", removed: true }] });
  expect(existsSync(join(user.workspace, ".rollcall/sessions/a.json"))).toBe(false);
  const several = await user.rollcall(["rm", "b", "nobody", "../x", "c", "--json"]);
  expect(several.code).toBe(3);
  expect(several.json).toMatchObject({
    results: [
      { session_id: "b", removed: true },
      { session_id: "nobody", error: { code: "session_not_found" } },
      { session_id: "../x", error: { code: "bad_id" } },
      { session_id: "c", removed: true },
    ],
  });
  expect((await user.ok(["list", "-q"])).stdout).toBe("");
  expect((await user.rollcall(["delete", "a", "--json"])).code).toBe(3);
});

test("reconcile marks what shows no living process, never the current one, and a second run returns 0", async () => {
  using user = newUser();
  const ended = spawn("sleep", ["60"]);
  await user.create("--id", "ended", "--pid", String(ended.pid));
  ended.kill();
  await once(ended, "close");
  await user.create("--id", "bare");
  await user.create("--id", "current");
  await user.create("--id", "living", "--pid", String(process.pid));
  const before = (await user.ok(["get", "bare", "--json"])).json;
  const first = await user.ok(["reconcile", "--current", "current", "--json"]);
  const second = await user.ok(["reconcile", "--current", "current", "--json"]);
  expect([first.json, second.json]).toEqual([{ reconciled: 2 }, { reconciled: 0 }]);
  const { json } = await user.ok(["list", "--json"]);
  const states = Object.fromEntries(json.sessions.map(({ id, state }) => [id, state]));
  expect(states).toEqual({ ended: "unknown", bare: "unknown", current: "running", living: "running" });
  expect((await user.ok(["get", "bare", "--json"])).json.last_active_at).toBe(before.last_active_at);
});

test("an update of a record that was reconciled makes it running again", async () => {
  using user = newUser();
  const id = await user.create();
  await user.ok(["reconcile"]);
  const { json } = await user.ok(["update", id, "--metadata", '{"back":true}', "--json"]);
  expect(json).toMatchObject({ state: "running", status: "active" });
});
