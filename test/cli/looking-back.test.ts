import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RECORD_KEYS, USAGE_KEYS } from "./record-keys.ts";
import { newUser, type User } from "./rollcall.ts";

test("search finds words of transcripts and records, phrases and beginnings, and pages by cursor", async () => {
  using user = newUser();
  await withTranscript(user, "talk");
  await user.create("--id", "named", "--goal", "raise the memory limit");
  const both = await user.ok(["search", "memory", "limit", "--json"]);
  expect(Object.keys(both.json)).toEqual(["hits", "next_cursor"]);
  const hits = both.json.hits as { session_id: string; kind: string }[];
  expect(hits.map(({ session_id }) => session_id).sort()).toEqual(["named", "talk"]);
  expect(Object.keys(hits[0] ?? {})).toEqual([
    ...["session_id", "name", "agent_type", "agent_name", "workspace_path", "state", "outcome"],
    ...["seq", "event_id", "at", "role", "kind", "tool", "excerpt", "marks", "go_on"],
  ]);
  expect((await user.ok(["search", '"limit memory"', "--json"])).json.hits).toEqual([]);
  expect((await user.ok(["search", "mem*", "--json"])).json.hits).toHaveLength(2);
  const first = await user.ok(["search", "memory", "--limit", "1", "--json"]);
  const second = await user.ok(["search", "memory", "--json", "--cursor", String(first.json.next_cursor)]);
  expect(second.json).toMatchObject({ hits: [expect.anything()], next_cursor: null });
});

test("what looks like the language of a search engine is searched for as words", async () => {
  using user = newUser();
  await user.create("--goal", "a AND b: (c) NEAR d");
  for (const query of ["AND", "b:", "(c", "NEAR(", 'd"', "a-b"])
    expect((await user.rollcall(["search", "--json", "--", query])).code, query).toBe(0);
  expect((await user.ok(["search", "near", "and", "--json"])).json.hits).toHaveLength(1);
});

test("search shows people the short id, who said it and when, and says when there is nothing", async () => {
  using user = newUser();
  await withTranscript(user, "talk");
  const { stdout } = await user.ok(["search", "memory"]);
  expect(stdout).toMatch(
    /^talk {2}unknown {2}(now|\d+m?s ago) {2}user\n {4}What is the memory limit\?\n {4}rollcall /,
  );
  expect(await user.ok(["search", "absent"])).toMatchObject({ stdout: "", stderr: "Nothing found.\n" });
});

test("search filters by agent, folder, time, tool, role and outcome, and leaves words out", async () => {
  using user = newUser();
  await withTranscript(user, "talk");
  const other = ["--type", "claude", "--workspace", user.folder, "--no-file", "--goal", "the memory limit"];
  await user.create("--id", "plan", "--agent", "planner", ...other);
  await user.ok(["finalize", "plan", "completed"]);
  const found = async (...args: string[]) => {
    const { json } = await user.ok(["search", "--json", ...args]);
    return (json.hits as { session_id: string }[]).map(({ session_id }) => session_id);
  };
  expect(await found("memory", "--agent", "planner")).toEqual(["plan"]);
  expect(await found("memory", "--agent", "claude")).toEqual(["plan"]);
  expect(await found("memory", "--folder", ".")).toEqual(["talk"]);
  expect((await found("memory", "--folder", "..")).sort()).toEqual(["plan", "talk"]);
  expect(await found("memory", "--outcome", "success")).toEqual(["plan"]);
  expect(await found("memory", "--since", "2099-01-01")).toEqual([]);
  expect(await found("memory", "--until", "2020-01-01")).toEqual([]);
  expect(await found("fenced", "--tool", "READ")).toEqual(["talk"]);
  expect(await found("limit", "--role", "user")).toEqual(["talk"]);
  expect(await found("memory -limit")).toEqual([]);
  expect(await found("--", "memory", '-"limit memory"', "-what")).toEqual(["plan"]);
});

test("search gives offsets of the words that it found, in an excerpt that is safe to show", async () => {
  using user = newUser();
  await user.create("--id", "a");
  await using library = await user.library();
  const text = "see \u001b]0;owned\u0007\u202eneedle here";
  await library.addEntry("a", { role: "user", kind: "text", text, tool: null });
  const [hit] = (await user.ok(["search", "needle", "--json"])).json.hits as {
    excerpt: string;
    marks: number[][];
  }[];
  expect(hit?.excerpt).toBe("see \\u202eneedle here");
  expect(hit?.marks.map(([from, to]) => hit.excerpt.slice(from, to))).toEqual(["needle"]);
});

test("stats counts sessions by status, durations and usage, and by each group", async () => {
  using user = newUser();
  await user.upsert(
    {
      id: "a",
      status: "completed",
      model: "m1",
      agent_type: "claude",
      tokens_input: 10,
      tokens_output: 5,
      cost_usd: 1,
    },
    {
      id: "b",
      status: "failed",
      model: "m2",
      purpose: "p",
      workspace_path: "/w",
      tokens_input: 1,
      tokens_output: 1,
    },
    { id: "c", status: "active" },
  );
  await user.ok(["update", "b", "--error", "no"]);
  const { json } = await user.ok(["stats", "--json"]);
  expect(Object.keys(json)).toEqual([
    "since",
    "until",
    "time_zone",
    "sessions",
    "duration_ms",
    "usage",
    "unpriced_models",
    "waits",
    "tools",
    "by",
    "groups",
    "size",
  ]);
  const { bytes, kinds } = json.size as { bytes: number; kinds: { kind: string; bytes: number }[] };
  expect(kinds.reduce((sum, kind) => sum + kind.bytes, 0)).toBe(bytes);
  const stored = (await user.ok(["stats"])).stdout;
  expect(stored).toMatch(/^stored {5}\d+\.\d kB: .*\d kB events/m);
  expect(json.sessions).toEqual({
    total: 3,
    active: 1,
    completed: 1,
    failed: 1,
    cancelled: 0,
    unknown: 0,
    with_errors: 1,
  });
  expect(Object.keys(json.usage as object)).toEqual([...USAGE_KEYS]);
  expect(json.usage).toMatchObject({ tokens_total: 17, cost_usd: 1, partial: true });
  const models = (await user.ok(["stats", "--by", "model", "--json"])).json;
  expect(models).toMatchObject({
    by: "model",
    groups: [{ group: "m1", sessions: 1, usage: { cost_usd: 1 } }, {}, {}],
  });
  for (const by of ["agent", "name", "day", "purpose", "folder"])
    expect((await user.ok(["stats", "--by", by, "--json"])).json.by).toBe(by);
  expect((await user.ok(["stats", "--since", "2030-01-01", "--json"])).json.sessions).toMatchObject({
    total: 0,
  });
});

test("stats --by draws a bar for each group, says which sums are partial, and in a pipe has all of it", async () => {
  using user = newUser();
  const whole = { tokens_input: 1, tokens_output: 1, tokens_cache_read: 0, tokens_cache_write: 0 };
  await user.upsert(
    { id: "a", name: "build", model: "dear", ...whole, cost_usd: 4 },
    { id: "b", name: "test", model: "cheap", tokens_input: 1, cost_usd: 1 },
    { id: "c", parent_id: "a", ...whole, cost_usd: 4 },
  );
  const { stdout } = await user.ok(["stats", "--by", "name"]);
  expect(stdout.split("\n").slice(-4)).toEqual([
    "NAME   SESSIONS  TOKENS    COST",
    `build         2       4   $8.00  ${"█".repeat(24)}`,
    `test          1       1  ≥$1.00  ${"█".repeat(3)}`,
    "",
  ]);
});

test.each([
  ["Australia/Eucla", [], "2026-01-09", "Australia/Eucla"],
  ["America/Los_Angeles", [], "2026-01-08", "America/Los_Angeles"],
  ["Australia/Eucla", ["--utc"], "2026-01-08", "UTC"],
])(
  "stats --by day counts days of the time zone %s with %j, also of removed sessions",
  async (TZ, options, day, zone) => {
    using user = newUser();
    const env = { TZ };
    const { stdout } = await user.ok(["stats", "--by", "day"], { env });
    expect(stdout).toContain(`days of ${TZ}`);
    await user.upsert({
      id: "a",
      created_at: "2026-01-08T18:15:00.000Z",
      tokens_input: 1,
      status: "completed",
    });
    const groups = [{ group: day, usage: { tokens_input: 1 } }];
    const ask = async () => (await user.ok(["stats", "--by", "day", "--json", ...options], { env })).json;
    expect(await ask()).toMatchObject({ time_zone: zone, groups });
    await user.ok(["delete", "a"]);
    expect(await ask()).toMatchObject({ groups });
  },
);

test("stats between two times takes in what was used in between, and refuses times that leave nothing", async () => {
  using user = newUser();
  await user.upsert({ id: "a", created_at: "2026-01-08T18:15:00.000Z", tokens_input: 1 });
  const total = async (...times: string[]) => {
    const { json } = await user.ok(["stats", "--json", ...times]);
    return (json.sessions as unknown as { total: number }).total;
  };
  expect([await total("--until", "2026-01-08"), await total("--until", "2026-01-09")]).toEqual([0, 1]);
  const { code, stderr } = await user.rollcall(["stats", "--since", "2026-01-09", "--until", "2026-01-08"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("no time between")]);
});

test("usage shows tokens and cost by model and request, and names models without a price", async () => {
  using user = newUser();
  const id = await user.create("--id", "spent");
  await using library = await user.library();
  const none = { tokensCacheWriteHour: null, webSearches: null, serviceTier: null, speed: null };
  const used = { tokensInput: 100, tokensOutput: 20, tokensCacheRead: 3000, tokensCacheWrite: 400, ...none };
  const more = { tokensReasoning: 7, reportedNanoUsd: null, computedNanoUsd: null, pricedBy: null };
  await library.recordUsage(id, [
    {
      requestKey: "b",
      at: "2026-01-08T00:00:02.000Z",
      model: "dear",
      ...used,
      ...more,
      reportedNanoUsd: 5e8,
    },
    { requestKey: "c", at: "2026-01-08T00:00:01.000Z", model: "new", ...used, ...more },
    {
      requestKey: "a",
      at: "2026-01-08T00:00:03.000Z",
      model: "dear",
      ...used,
      ...more,
      computedNanoUsd: 25e7,
    },
  ]);
  const { json } = await user.ok(["usage", id, "--requests", "--json"]);
  expect(json).toMatchObject({
    session_id: id,
    usage: { tokens_total: 10_560, cost_usd: 0.75, cost_source: "mixed", partial: true },
    models: [
      { model: "dear", requests: 2, usage: { tokens_output: 40, cost_usd: 0.75, partial: false } },
      { model: "new", requests: 1, usage: { cost_usd: null, cost_source: "unpriced", partial: true } },
    ],
    unpriced_models: ["new"],
    requests: [
      { request_key: "c", cost_usd: null, cost_source: "unpriced" },
      { request_key: "b", cost_usd: 0.5, cost_source: "reported", reported_usd: 0.5, computed_usd: null },
      { request_key: "a", cost_usd: 0.25, cost_source: "computed", computed_usd: 0.25 },
    ],
  });
  expect((await user.ok(["usage", id, "--json"])).json).not.toHaveProperty("requests");
  const { stdout } = await user.ok(["usage", id, "--requests"]);
  expect(stdout).toMatch(/^usage {6}10\.6k tokens, \$0\.75 \(mixed\); partial.*\nunpriced {3}new\n/);
  expect(stdout).toMatch(/\ndear +2 +200 +40 +6000 +800 +14 +\$0\.75 +mixed\n/);
  expect(stdout).toMatch(/\n2026-01-08T00:00:01\.000Z +new +100 +20 +3000 +400 +7 +— +unpriced\n/);
  expect((await user.ok(["stats"])).stdout).toContain("\nunpriced   new\n");
  expect((await user.rollcall(["usage", "nobody", "--json"])).code).toBe(3);
});

test("usage of a session that nobody measured says so", async () => {
  using user = newUser();
  const id = await user.create();
  expect((await user.ok(["usage", id])).stdout).toBe("usage      — tokens, —\n");
});

test("stats shows people what is not known as —, and a sum over it as partial", async () => {
  using user = newUser();
  expect((await user.ok(["stats"])).stdout).toContain("median —, p95 —");
  await user.upsert({ id: "a", tokens_input: 10, tokens_output: 5 });
  const { stdout } = await user.ok(["stats", "--by", "model"]);
  expect(stdout).toContain("15 tokens, — (partial");
  expect(stdout).toMatch(/MODEL\s+SESSIONS\s+TOKENS\s+COST\n—\s+1\s+15\s+—/);
});

test("stats --resume gives each figure with its target and a mark, null where nothing was measured", async () => {
  using user = newUser();
  const empty = (await user.ok(["stats", "--resume", "--json"])).json.resume as Record<string, unknown>;
  expect(empty).toEqual({
    delegations: 0,
    resumed: 0,
    succeeded: 0,
    failed: 0,
    pending: 0,
    resume_rate: { value: null, target: "> 60 %", met: null },
    resume_success_rate: { value: null, target: "> 80 %", met: null },
    duration_median_ms: { value: null, target: "< 5 min", met: null },
    duration_p95_ms: { value: null, target: "< 30 min", met: null },
    error_rate: { value: null, target: "< 10 %", met: null },
    storage_bytes: { value: expect.any(Number), target: "< 100 MB", met: true },
    storage_growth_bytes_per_day: null,
  });
});

test("stats --resume marks what was met and what was missed, from the delegations that were counted", async () => {
  using user = newUser();
  const delegate = (agent_id: string) =>
    user.ok(["hook", "pre-delegate"], { input: JSON.stringify({ agent_name: "x", agent_id }) });
  for (const id of ["well", "badly"]) {
    await user.create("--id", id);
    await user.ok(["update", id, "--phase", "planning"]);
    await delegate(id);
  }
  await delegate("nobody");
  await user.ok(["update", "well", "--phase", "executing"]);
  await user.ok(["update", "badly", "--error", "again"]);
  await user.ok(["finalize", "well", "completed"]);
  const { json } = await user.ok(["stats", "--resume", "--json"]);
  expect(json.resume).toMatchObject({
    delegations: 3,
    resumed: 2,
    succeeded: 1,
    failed: 1,
    pending: 0,
    resume_rate: { value: 2 / 3, met: true },
    resume_success_rate: { value: 0.5, met: false },
    duration_median_ms: { met: true },
    error_rate: { value: 0.5, met: false },
  });
  const { stdout } = await user.ok(["stats", "--resume"]);
  expect(stdout).toMatch(/resume rate\s+66\.7 %\s+> 60 %\s+met/);
  expect(stdout).toMatch(/resume success rate\s+50\.0 %\s+> 80 %\s+missed/);
});

test("export as JSON holds the record, the entries and the events, and leaves foreign keys alone", async () => {
  using user = newUser();
  await withTranscript(user, "talk");
  const { json } = await user.ok(["export", "talk"]);
  expect(Object.keys(json)).toEqual(["session", "entries", "events", "unknown_records"]);
  expect(Object.keys(json.session as object).sort()).toEqual(Object.values(RECORD_KEYS).flat().sort());
  expect(json.entries).toMatchObject([
    { seq: 2, role: "user", kind: "text", text: "What is the memory limit?", tool: null },
    { seq: 3, role: "assistant", kind: "tool_call", tool: { name: "read", params: { filePath: "a" } } },
    { seq: 4, role: "assistant", kind: "text", text: "It is *64 MB*.\n```\nlimit\n```" },
  ]);
  expect((json.events as object[]).length).toBe(4);
});

test("export as Markdown is what a person reads, with code that cannot break out of its fence", async () => {
  using user = newUser();
  await withTranscript(user, "talk");
  const { stdout } = await user.ok(["export", "talk", "--format", "md"]);
  expect(stdout).toMatch(/^# talk\n\n- Id: `talk`\n/);
  expect(stdout).toContain("## user · ");
  expect(stdout).toContain("What is the memory limit?");
  expect(stdout).toMatch(/## assistant, tool call: read · .*\n\n```json\n\{\n {2}"filePath": "a"\n\}\n```\n/);
  expect(stdout).toContain("\n````\n```fenced```\n````\n");
});

test("export as Markdown shows what a tool printed in its own lines, and a cost that is not whole as such", async () => {
  using user = newUser();
  await user.create("--id", "talk");
  await using library = await user.library();
  const tool = { name: "Bash", result: "one\n  two" };
  await library.addEntry("talk", { role: "tool", kind: "tool_result", text: null, tool });
  await library.upsert([{ id: "talk", cost_cents: 5 }]);
  const { stdout } = await user.ok(["export", "talk", "--format", "md"]);
  expect(stdout).toMatch(/## tool, tool result: Bash · .*\n\n```\none\n {2}two\n```\n/);
  expect(stdout).toContain("- Cost (USD): ≥0.05\n");
});

test("export as HTML is one page with the facts, the states and the transcript, tools folded", async () => {
  using user = newUser();
  await withTranscript(user, "talk");
  await user.create("--id", "below", "--parent", "talk");
  await user.ok(["finalize", "talk", "completed", "--summary", "a <b>summary</b>"]);
  const { stdout } = await user.ok(["export", "talk", "--format", "html"]);
  expect(stdout).toMatch(/^<!doctype html>\n.*<\/html>\n$/s);
  expect(stdout).toContain("a &lt;b&gt;summary&lt;/b&gt;");
  expect(stdout).toMatch(/<details><summary>read .*```fenced```/s);
  expect(stdout).toMatch(/<td>created<\/td>.*<td>finalized<\/td>.*What is the memory limit\?/s);
  expect(stdout).toContain('href="below.html"');
});

test("export -o writes a new file for its owner alone and never over one that exists", async () => {
  using user = newUser();
  await user.create("--id", "a");
  const path = join(user.workspace, "a.json");
  const given = await user.ok(["export", "a", "-o", path, "--json"]);
  expect(given.json).toEqual({ path });
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ session: { id: "a" } });
  writeFileSync(path, "mine");
  const again = await user.rollcall(["export", "a", "-o", path, "--json"]);
  expect(again).toMatchObject({ code: 2, stdout: "" });
  expect(readFileSync(path, "utf8")).toBe("mine");
  const nowhere = await user.rollcall(["export", "nobody", "-o", join(user.workspace, "b.json")]);
  expect(nowhere.code).toBe(3);
  expect(existsSync(join(user.workspace, "b.json"))).toBe(false);
});

async function withTranscript(user: User, id: string): Promise<void> {
  await user.create("--id", id);
  await using library = await user.library();
  await library.addEntry(id, { role: "user", kind: "text", text: "What is the memory limit?", tool: null });
  const tool = { name: "read", params: { filePath: "a" }, result: "```fenced```" };
  await library.addEntry(id, { role: "assistant", kind: "tool_call", text: null, tool });
  const text = "It is *64 MB*.\n```\nlimit\n```";
  await library.addEntry(id, { role: "assistant", kind: "text", text, tool: null });
}
