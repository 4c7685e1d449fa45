import { expect, test } from "vitest";
import { answer, ClaudeTree, costState, prompt, type Tokens } from "./claude-tree.ts";
import { newUser, type User } from "./rollcall.ts";

/** Ten dollars for a million tokens of input, and as much for everything else. */
const PRICES = JSON.stringify({ "claude-opus-4-5": { input: 10, output: 10 } });

/** A conversation of one answer, and the totals with which Claude Code left. */
async function imported(user: User, totals: Tokens, usd: number): Promise<string> {
  const said = { session: "native", uuid: "u1", at: 1 };
  const answered = answer({ ...said, uuid: "u2", message: "m1" }, "hello", { in: 1000, out: 200 });
  const lines = [prompt(said, "hi"), answered, costState("native", totals, usd)];
  new ClaudeTree(user.env.HOME as string).write("native.jsonl", lines);
  await user.ok(["config", "set", "prices", PRICES]);
  await user.ok(["import", "--from", "claude"]);
  return String((await user.ok(["list", "--json"])).json.sessions[0]?.id);
}

test("usage --reconcile says that the agent's own totals agree, and usage shows them beside its own", async () => {
  using user = newUser();
  const id = await imported(user, { in: 1000, out: 200 }, 0.012);
  const reconciled = await user.rollcall(["usage", id, "--reconcile"]);
  expect(reconciled).toMatchObject({ code: 0, stderr: "" });
  expect(reconciled.stdout).toMatch(
    /^counted {5}1200 tokens, \$0\.0120 in 1 request\ntranscript {2}1200 tokens, \$0\.0120 \(\d+d ago\): agrees\n$/,
  );
  const { stdout } = await user.ok(["usage", id]);
  expect(stdout).toMatch(
    /^usage .* \$0\.0120 \(computed\)\nreported {3}1200 tokens, \$0\.0120 by its transcript$/m,
  );
});

test("usage --reconcile shows both and the difference by model, and exits 1", async () => {
  using user = newUser();
  const id = await imported(user, { in: 1000, out: 215 }, 0.0125);
  const reconciled = await user.rollcall(["usage", id, "--reconcile"]);
  expect(reconciled).toMatchObject({ code: 1, stderr: "" });
  const lines = reconciled.stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/ +/g, " ").trim());
  expect(lines[1]).toMatch(
    /^transcript 1215 tokens, \$0\.0125 \(.* ago\): differs by \+15 tokens, \+\$0\.0005$/,
  );
  expect(lines.slice(4)).toEqual([
    "counted claude-opus-4-5 1000 200 0 0 $0.0120",
    "transcript claude-opus-4-5 1000 215 0 0 $0.0125",
    "difference claude-opus-4-5 0 +15 0 0 +$0.0005",
  ]);
  const { json } = await user.ok(["usage", id, "--json"]);
  expect(json.usage).toMatchObject({ tokens_total: 1200, cost_usd: 0.012, cost_source: "computed" });
});

test("usage --reconcile of a session whose agent says no totals is refused in one sentence", async () => {
  using user = newUser();
  await user.create("--id", "by-hand", "--no-file");
  const refused = await user.rollcall(["usage", "by-hand", "--reconcile"]);
  expect(refused).toMatchObject({ code: 4, stdout: "" });
  expect(refused.stderr).toMatch(/^rollcall: Nothing but the ledger tells what by-hand has used\./);
});
