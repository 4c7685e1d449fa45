import { expect, test } from "vitest";
import { newLiveUser } from "../live/user.ts";
import { answer, ClaudeTree } from "./claude-tree.ts";
import { newUser, type User } from "./rollcall.ts";
import { atTerminal } from "./terminal.ts";
import { findTool } from "./tools.ts";

const script = findTool("script", "apt-get install bsdutils");
const ESC = "\u001b";

test("in a pipe the list has no header, no colour, relative times, and — for what is not known", async () => {
  using user = newUser();
  await user.upsert({ id: "a", last_active_at: new Date(Date.now() - 7_300_000).toISOString() });
  const { stdout, stderr } = await user.ok(["list"], { env: { FORCE_COLOR: "1" } });
  expect(stdout).toMatch(/^a {2}— {2}running {2}2h {2}—( {2}—)+\n$/);
  expect(stderr).toBe("");
});

test("in a pipe nothing is cut and every row is there", async () => {
  using user = newUser();
  const goal = "a goal that goes on and on ".repeat(10).trim();
  await user.upsert(...Array.from({ length: 230 }, (_, number) => ({ id: `s${number}`, goal })));
  const { stdout } = await user.ok(["list"]);
  const rows = stdout.trimEnd().split("\n");
  expect(rows).toHaveLength(230);
  expect(rows.every((row) => row.includes(goal))).toBe(true);
});

test("a sum over something that was not measured is shown as at least so much", async () => {
  using user = newUser();
  await user.upsert({ id: "a", tokens_input: 12_345, cost_usd: 1.5 });
  expect((await user.ok(["list"])).stdout).toMatch(/≥12\.3k\s+≥\$1\.50/);
  expect((await user.ok(["get", "a"])).stdout).toMatch(/usage\s+≥12\.3k tokens, ≥?\$1\.50/);
});

test("get shows people what is known, a line for each thing", async () => {
  using user = newUser();
  const id = await user.create("--name", "nightly", "--agent", "reviewer", "--type", "claude");
  await user.ok(["update", id, "--phase", "planning", "--error", "two\nlines"]);
  const { stdout } = await user.ok(["get", id]);
  expect(stdout).toMatch(/^id\s+session-/);
  expect(stdout).toMatch(/^agent\s+reviewer \(claude\)$/m);
  expect(stdout).toMatch(/^phase\s+initializing → planning$/m);
  expect(stdout).toMatch(/^errors\s+1, the last: two lines$/m);
  expect(stdout).not.toContain("outcome");
  expect((await user.ok(["get", await user.create()])).stdout).not.toMatch(/^phase/m);
});

test("the roll shows live sessions and those that just ended, --all the others too, and where there is none, what to do", async () => {
  await using user = newLiveUser();
  expect((await user.ok([])).stdout).toMatch(/^No live sessions\.\n.*rollcall start/s);
  for (const id of ["alive", "ended"]) await user.create("--id", id);
  await user.upsert({ id: "old", status: "completed", last_active_at: "2026-01-08T18:05:30Z" });
  await user.ok(["finalize", "ended", "completed"]);
  const roll = (await user.ok([])).stdout;
  expect(roll).toMatch(/^1 live session, 1 ended\n(.*\n)*alive .*\nended .*completed/);
  expect(roll).not.toContain("old");
  expect((await user.ok(["--all"])).stdout).toMatch(/^1 live session, 2 ended\n(.*\n)*old /);
  const { json } = await user.ok(["--json"]);
  expect([json.sessions.map(({ id }) => id), json.next_cursor]).toEqual([["alive", "ended"], null]);
});

test("the roll puts those that wait for a person first, each with its question or tool", async () => {
  await using user = newLiveUser();
  await withWaiting(user);
  const { stdout } = await user.ok([]);
  expect(stdout).toMatch(/^3 live sessions, 2 waiting for you\n/);
  const rows = stdout.split("\n").filter((line) => /^(asks|tool|busy) /.test(line));
  expect(rows.map((row) => row.split(" ")[0])).toEqual(["asks", "tool", "busy"]);
  expect(stdout).toMatch(/asks\s+.*waiting_input \(question\).*\n {4}Shall I\?\\u001b\[2J\n/);
  expect(stdout).toMatch(/tool\s+.*waiting_input \(permission\).*\n {4}Bash\n/);
  expect((await user.ok(["--json"])).json.sessions.map(({ id }) => id)).toEqual(["asks", "tool", "busy"]);
});

test("-q prints full ids and nothing else, also of nothing", async () => {
  using user = newUser();
  expect(await user.ok(["list", "-q"])).toMatchObject({ stdout: "", stderr: "" });
  const id = await user.create();
  expect((await user.ok(["list", "--quiet"])).stdout).toBe(`${id}\n`);
});

test("what would act on a terminal or hide what is written is written out, wherever it came from", async () => {
  await using user = newLiveUser();
  const evil = `x${ESC}]0;owned\u0007${ESC}[31m\u009b2J\u202egnp\u2066\u061c\r\ty`;
  await user.upsert({
    id: "a",
    agent_name: evil,
    goal: evil,
    purpose: evil,
    task_id: evil,
    name: "x\u202ey\u061c",
  });
  await user.ok(["update", "a", "--error", evil, "--metadata", JSON.stringify({ [evil]: evil })]);
  await user.ok(["finalize", "a", "completed", "--summary", evil]);
  const calls = [
    ["list"],
    ["get", "a"],
    ["events"],
    ["search", "owned"],
    ["--all"],
    ["stats", "--by", "purpose"],
  ];
  for (const args of calls) {
    const { stdout } = await user.ok(args);
    expect(unsafeIn(stdout), args[0]).toEqual([]);
    expect(stdout, args[0]).toContain("owned");
  }
  for (const json of [[], ["--json"]]) {
    const { stderr } = await user.rollcall(["get", evil, ...json]);
    expect(unsafeIn(stderr)).toEqual([]);
  }
});

test("models, tools and types that a history names are written out, too", async () => {
  using user = newUser();
  const evil = `x${ESC}${ESC}[0m]52;c;bmVzdA==\u0007\u009b2J\u202egnp`;
  const said = { session: "s1", uuid: "u1", at: 1, message: "m1" };
  const spoken = answer(said, "hello", { in: 1, out: 1 });
  const message = { ...(spoken.message as object), model: evil };
  new ClaudeTree(user.env.HOME as string).write("s1.jsonl", [{ ...spoken, message }, { type: evil }]);
  const imported = await user.ok(["import"]);
  const [{ id } = { id: "" }] = (await user.ok(["list", "--json"])).json.sessions;
  for (const args of [
    ["stats"],
    ["stats", "--scan"],
    ["usage", id],
    ["usage", id, "--requests"],
    ["get", id],
  ]) {
    const { stdout } = await user.ok(args);
    expect(unsafeIn(stdout), args.join(" ")).toEqual([]);
    expect(stdout, args.join(" ")).toContain("52;c");
  }
  expect(unsafeIn(imported.stdout + imported.stderr)).toEqual([]);
});

test("wide and combining characters keep the columns aligned", async () => {
  using user = newUser();
  const names = ["plain", "日本語名", "🚀 go", "e\u0301te\u0301", "✅ ok", "한국어"];
  await user.upsert(...names.map((name, number) => ({ id: `s${number}`, name })));
  const rows = (await user.ok(["list"])).stdout.trimEnd().split("\n");
  const places = rows.map((row) => columnsOf(row.slice(0, row.indexOf("running"))));
  expect(new Set(places).size, rows.join("\n")).toBe(1);
});

test.runIf(script)("at a terminal the list has a header and colours, and none with NO_COLOR", async () => {
  using user = newUser();
  await user.upsert({ id: "a", last_active_at: new Date(Date.now() - 7_300_000).toISOString() });
  const coloured = await atTerminal(user, ["list"]);
  expect(coloured.raw).toContain(`${ESC}[32mrunning`);
  expect(coloured.lines[0]).toMatch(/^ID\s+NAME\s+STATE\s+AGE\s+WHERE\s+NOW\s+AGENT\s+TOKENS\s+COST$/);
  const bare = await atTerminal(user, ["list"], { env: { NO_COLOR: "1" } });
  expect(bare.raw).not.toContain(ESC);
  expect(bare.lines).toEqual(coloured.lines);
});

test.runIf(script)(
  "at a terminal 50 rows are shown, with how to get more; --limit all shows every one",
  async () => {
    using user = newUser();
    await user.upsert(...Array.from({ length: 60 }, (_, number) => ({ id: `s${number}`, agent_name: "x" })));
    const first = await atTerminal(user, ["list", "--agent", "x"]);
    expect(first.lines).toHaveLength(1 + 50 + 1);
    const cursor = /--cursor (\S+), or with --limit all/.exec(first.lines.at(-1) ?? "")?.[1];
    const rest = await atTerminal(user, ["list", "--agent", "x", "--cursor", String(cursor)]);
    expect(rest.lines).toHaveLength(1 + 10);
    expect((await atTerminal(user, ["list", "--limit", "all"])).lines).toHaveLength(61);
    expect((await atTerminal(user, ["list", "-q"])).lines).toHaveLength(60);
    expect((await atTerminal(user, ["list", "--json"])).raw.trim()).toMatch(
      /^\{"sessions":.*"next_cursor":null\}$/,
    );
  },
);

test.runIf(script)(
  "at a terminal JSON, events and exports are made safe too, and mean the same",
  async () => {
    using user = newUser();
    const evil = `x${ESC}[2J\u009b31m\u202ey`;
    await user.upsert({ id: "a", goal: evil });
    const get = await atTerminal(user, ["get", "a", "--json"]);
    const list = await atTerminal(user, ["list", "--json"]);
    for (const screen of [get, list, await atTerminal(user, ["events", "--json"])])
      expect(unsafeIn(screen.raw.replaceAll("\r\n", "\n"))).toEqual([]);
    expect(JSON.parse(get.raw)).toMatchObject({ goal: evil });
    expect(JSON.parse(list.raw)).toMatchObject({ sessions: [{ goal: evil }] });
    const md = await atTerminal(user, ["export", "a", "--format", "md"]);
    expect(unsafeIn(md.raw.replaceAll("\r\n", "\n"))).toEqual([]);
    const piped = await user.ok(["export", "a", "--format", "md"]);
    // Whoever reads it as a file loses nothing that was said.
    expect(piped.stdout).toContain("x\u202ey");
  },
);

test.runIf(script)("no line of a table is wider than a narrow terminal", async () => {
  await using user = newLiveUser();
  await withWaiting(user);
  const long = "日本語 and a very long text that does not fit anywhere";
  await user.upsert({
    id: "wide",
    name: long,
    agent_name: long,
    goal: long,
    tokens_input: 123_456,
    cost_usd: 12,
  });
  await user.ok(["update", "wide", "--error", "long"]);
  for (const columns of [60, 80]) {
    for (const args of [["list"], [], ["search", "long"], ["config", "get"]]) {
      const { lines } = await atTerminal(user, args, { columns });
      const widest = Math.max(...lines.map(columnsOf));
      expect(widest, `${args.join(" ")} at ${columns}:\n${lines.join("\n")}`).toBeLessThanOrEqual(columns);
    }
  }
});

test.runIf(script)("the progress bar of long work is gone before the answer", async () => {
  using user = newUser();
  await user.create("--id", "a");
  const verify = await atTerminal(user, ["verify"]);
  expect(verify.raw.split(`\r${ESC}[K`).at(-1)).toBe("Sound: 1 session, 1 event.\r\n");
});

/** Characters that could act on a terminal, of a text whose own line ends are allowed. */
function unsafeIn(text: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
  return text.match(unsafe) ?? [];
}

/** How many columns a terminal gives the characters that these tests use. */
function columnsOf(text: string): number {
  const wide = /[\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\u{1f300}-\u{1faff}✅]/u;
  const none = /\p{Mn}/u;
  return Array.from(text).reduce(
    (sum, character) => sum + (none.test(character) ? 0 : wide.test(character) ? 2 : 1),
    0,
  );
}

/** Two sessions that wait, as only a session that is carried can, and one that works. */
async function withWaiting(user: Pick<User, "create" | "library">): Promise<void> {
  for (const id of ["asks", "tool", "busy"]) await user.create("--id", id, "--no-file");
  await using library = await user.library();
  const wait = (id: string, waiting: object) =>
    library.context.store.change(id, () => [
      {
        id: `wait-${id}`,
        at: new Date().toISOString(),
        channel: null,
        body: {
          kind: "asked",
          state: "waiting_input",
          evidence: { source: "hook", rule: "asked", excerpt: null },
          generation: 1,
          waiting: { requestId: "r1", tool: null, input: null, options: null, question: null, ...waiting },
        } as never,
      },
    ]);
  const since = new Date().toISOString();
  await wait("asks", { for: "question", question: `Shall I?${ESC}[2J`, since });
  await wait("tool", { for: "permission", tool: "Bash", since });
}
