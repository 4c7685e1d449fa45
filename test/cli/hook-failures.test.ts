import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { hook, resumable } from "./hook.ts";
import { LAUNCHER, newUser, run, type User } from "./rollcall.ts";
import { findTool } from "./tools.ts";

const perl = findTool("perl", "apt-get install perl");

test("what is not a JSON object exits 1 with valid JSON on standard output and one line on standard error", async () => {
  using user = newUser();
  for (const name of ["pre-delegate", "subagent-stop"]) {
    for (const input of ["", "{", "[1]", "null", '"text"', '{"a":1} trailing']) {
      const given = await hook(user, name, input);
      expect([given.code, given.json.reason], input).toEqual([1, "invalid_json"]);
      expect(given.stderr).toMatch(/^rollcall: [^\n]+\n$/);
    }
  }
});

test("bad flags and bad names of hooks exit 1 and never 2", async () => {
  using user = newUser();
  const calls = [
    [],
    ["bogus"],
    [""],
    ["pre-delegate", "extra"],
    ["pre-delegate", "--bogus"],
    ["--bogus"],
    ["-x"],
    ["__proto__"],
  ];
  for (const args of calls) {
    for (const json of [[], ["--json"]]) {
      const given = await user.rollcall(["hook", ...args, ...json], { input: "{}" });
      expect(given.code, args.join(" ")).toBe(1);
      expect(given.stderr.trim().split("\n")).toHaveLength(1);
    }
  }
  const { error } = await user.rollcall(["hook", "bogus", "--json"]);
  expect(error.hint).toContain("pre-delegate, subagent-stop");
});

const UNAVAILABLE: readonly (readonly [string, (user: User) => void])[] = [
  ["a state folder that is a file", (user) => writeFileSync(user.state, "")],
  [
    "a store that is no database",
    (user) => {
      mkdirSync(user.state);
      writeFileSync(join(user.state, "rollcall.db"), "this is text and no database at all");
    },
  ],
];

test.each(UNAVAILABLE)(
  "with %s a hook answers unavailable, exits 0 and logs one line",
  async (_what, breakIt) => {
    using user = newUser();
    breakIt(user);
    const input = { agent_name: "x", agent_id: "s1" };
    const before = await hook(user, "pre-delegate", input);
    expect([before.code, before.json]).toEqual([
      0,
      {
        should_resume: false,
        reason: "unavailable",
        agent_id: "s1",
        resume_metadata: null,
        original_context: input,
        candidates: [],
      },
    ]);
    const after = await hook(user, "subagent-stop", input);
    expect([after.code, after.json]).toEqual([
      0,
      { finalized: false, reason: "unavailable", agent_id: "s1" },
    ]);
    for (const { stderr } of [before, after]) expect(stderr).toMatch(/^rollcall: [^\n]+\n$/);
  },
);

test("while another program holds the store a hook answers unavailable, and a verdict needs no writing", async () => {
  using user = newUser();
  await resumable(user, "s1");
  const db = new Database(join(user.state, "rollcall.db"));
  try {
    db.exec("BEGIN IMMEDIATE");
    const [verdict, stop] = await Promise.all([
      hook(user, "pre-delegate", { agent_id: "s1" }),
      hook(user, "subagent-stop", { agent_id: "s1" }),
    ]);
    expect([verdict.code, verdict.json.reason]).toEqual([0, "session_resumable"]);
    expect([stop.code, stop.json.reason]).toEqual([0, "unavailable"]);
    expect(stop.stderr).toMatch(/^rollcall: [^\n]*locked[^\n]*\n$/);
  } finally {
    db.close();
  }
  expect((await user.ok(["get", "s1", "--json"])).json.phase).toBe("approval");
});

test("a broken configuration of user or project does not break a hook either", async () => {
  using user = newUser();
  writeFileSync(join(user.workspace, ".rollcall.json"), "{");
  const given = await hook(user, "pre-delegate", { agent_name: "x" });
  expect([given.code, given.json.reason]).toEqual([0, "error"]);
  expect(given.stderr).toMatch(/^rollcall: [^\n]+\n$/);
});

test.runIf(perl)("a hook waits for input on a pipe that does not block", async () => {
  using user = newUser();
  const program = `use Fcntl; pipe(R, W); fcntl(R, F_SETFL, fcntl(R, F_GETFL, 0) | O_NONBLOCK);
    if (!fork) { close W; open(STDIN, "<&R"); exec(@ARGV) }
    close R; select(undef, undef, undef, 0.4); $SIG{PIPE} = "IGNORE"; print W '{"agent_name":"x"}'; close W; wait;`;
  const call = [process.execPath, LAUNCHER, "hook", "pre-delegate"];
  const given = await run("perl", ["-e", program, ...call], { env: user.env, cwd: user.workspace });
  expect(given.json.reason).toBe("no_existing_session");
});
