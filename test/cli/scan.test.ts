import { expect, test } from "vitest";
import { answer, ClaudeTree, copied, prompt } from "./claude-tree.ts";
import { newUser, type Shown, type User } from "./rollcall.ts";

const A = "aaaaaaaa-1111-4111-8111-111111111111";
const B = "bbbbbbbb-2222-4222-8222-222222222222";

/** A session with two requests, the first in two blocks, and a fork of it with one more. */
function writeTree(user: User): void {
  const tree = new ClaudeTree(user.env.HOME as string);
  const said = (session: string, uuid: string, at: number) => ({ session, uuid: `${session}-${uuid}`, at });
  const lines = [
    prompt(said(A, "1", 1), "count the pods"),
    answer({ ...said(A, "2", 2), message: "m1" }, "one", { in: 100, out: 5, read: 1000, write: 10 }),
    answer({ ...said(A, "3", 3), message: "m1" }, "two", { in: 100, out: 50, read: 1000, write: 10 }),
    answer({ ...said(A, "4", 4), message: "m2" }, "three", { in: 20, out: 7 }),
  ];
  tree.write(`${A}.jsonl`, lines);
  const own = answer({ ...said(B, "5", 9), message: "m3" }, "four", { in: 1, out: 2 });
  tree.write(`${B}.jsonl`, [...copied(lines, B), own]);
}

test("stats --scan counts each request once, by model and session, and stores nothing of it", async () => {
  using user = newUser();
  writeTree(user);
  const { json } = await user.ok(["stats", "--scan", "--json"]);
  const sums = { tokens_input: 121, tokens_output: 59, tokens_cache_read: 1000, tokens_cache_write: 10 };
  expect(json).toMatchObject({
    files: 2,
    failed: [],
    usage: { ...sums, cost_source: "computed" },
    models: [{ agent_type: "claude", requests: 3, usage: sums }],
  });
  const { sessions } = json as never as { sessions: Shown[] };
  expect(sessions.map((session) => [session.native_id, session.requests]).sort()).toEqual([
    [A, 2],
    [B, 1],
  ]);
  expect((await user.ok(["list", "--json", "--limit", "all"])).json.sessions).toEqual([]);
});

test("stats --scan prints a line for each model, and takes a path", async () => {
  using user = newUser();
  writeTree(user);
  const { stdout } = await user.ok(["stats", "--scan", `${user.env.HOME}/.claude/projects`]);
  expect(stdout).toMatch(/^2 sessions in 2 history files, /);
  expect(stdout).toMatch(/claude +claude-opus-4-5 +3 +121 +59 +1,?000 +10 +\$/);
});

test.each([
  ["what only the store can tell", ["stats", "--scan", "--by", "day"], "--scan and --by"],
  ["a path without --scan", ["stats", "/tmp"], "--scan"],
])("stats refuses %s", async (_what, words, sentence) => {
  using user = newUser();
  const { code, stderr } = await user.rollcall(words);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
});
