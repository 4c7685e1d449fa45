import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LAUNCHER } from "../cli/rollcall.ts";
import { atPrompt, dataOf, eventsOf, turn } from "./scripted.ts";
import { newLiveUser, until } from "./user.ts";

const ROLLCALL = `"${process.execPath}" "${LAUNCHER}"`;

/** Requests of one cent each, one after the other, for as long as nobody ends it. */
const SPENDING = Array.from({ length: 200 }, () => "usage 10 10 - - - 0.01 ; work 50ms").join(" ; ");

test.each(["interactive", "autonomous"])(
  "a budget of money is announced at four fifths and ends an %s session in mid-turn, which says why",
  async (kind) => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", SPENDING, "--kind", kind, "--max-cost", "0.05"]);
    const ended = await user.reach(id, "stopped");
    expect(ended).toMatchObject({ state: "stopped", outcome: "interrupted" });
    expect(ended.end_reason).toMatch(/^max_cost: \$0\.\d+ of \$0\.05$/);
    const events = await eventsOf(user, id);
    const neared = events.filter(({ kind: of }) => of === "limit_neared").map(({ body }) => body);
    expect(neared).toMatchObject([{ limit: { kind: "max_cost", allowed: 50_000_000, unit: "nano_usd" } }]);
    const began = events.filter(({ kind: of }) => of === "end_began");
    expect(began).toHaveLength(1);
    expect(began[0]).toMatchObject({ body: { evidence: { source: "usage", rule: "max_cost" } } });
  },
);

const CENT = "usage 10 10 - - - 0.01";

test("a session below uses up the budget of the one above, and all that run there end", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--max-cost", "0.05", "--", "sleep", "1000"]);
  const idle = await user.start(["--parent", id, "--", "sleep", "1000"]);
  const other = await user.start(["--", "sleep", "1000"]);
  const child = await user.start(["scripted", SPENDING, "--parent", id]);
  const reasons = await Promise.all(
    [id, idle.id, child.id].map(async (one) => String((await user.reach(one, "stopped")).end_reason)),
  );
  expect(reasons[0]).toMatch(/^max_cost: \$0\.\d+ of \$0\.05$/);
  for (const reason of reasons.slice(1)) expect(reason).toBe(`max_cost of ${id}${reasons[0]?.slice(8)}`);
  expect(await user.get(other.id)).toMatchObject({ state: "running", budgets: [] });
  const refused = await user.rollcall(["start", "-d", "--parent", id, "--", "true"]);
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain(`The budget of session ${id} is used up: $0.`);
});

test("what an agent starts from inside stays under its budget, whatever parent it names", async () => {
  await using user = newLiveUser();
  const other = await user.start(["--", "sleep", "1000"]);
  const id = await atPrompt(user, "--max-cost", "0.05");
  const run = async (args: string) => {
    await turn(user, id, `run ${args}`);
    const { entries } = await dataOf(user, id);
    return entries.findLast(({ kind }) => kind === "tool_result")?.tool?.result as {
      code: number;
      output: string;
    };
  };
  const start = `${ROLLCALL} start -d -- sleep 1000`;
  for (const command of [start, `env -u ROLLCALL_SESSION_ID ${start}`]) {
    const { output } = await run(command);
    expect(await user.get(output.trim())).toMatchObject({ parent_id: id });
  }
  const named = await run(`${ROLLCALL} start -d --parent ${other.id} -- sleep 1000 2>&1`);
  expect(named.code).toBe(4);
  expect(named.output).toContain(`Session ${id} is under the budget of ${id}`);
  const fork = await run(`${ROLLCALL} fork self -d`);
  expect(await user.get(fork.output.trim())).toMatchObject({ parent_id: id, forked_from: id });
  expect(await user.get(other.id)).toMatchObject({ state: "running" });
});

test("an end that was only recorded is done by the next daemon", async () => {
  await using user = newLiveUser();
  await user.ok(["up"], { env: { ROLLCALL_FAULT: "end.stopping" } });
  const id = await atPrompt(user, "--max-cost", "0.05");
  // Its daemon may die before it has answered.
  await user.rollcall(["send", id, SPENDING]);
  await until(async () => (await user.daemonPid()) === undefined, "the daemon to die at the end");
  await user.ok(["up"]);
  expect(await user.reach(id, "stopped")).toMatchObject({ outcome: "interrupted" });
  expect((await user.get(id)).end_reason).toMatch(/^max_cost: /);
  const began = (await eventsOf(user, id)).filter(({ kind }) => kind === "end_began");
  expect(began).toHaveLength(1);
});

test("a session that has used up its budget is resumed only with a higher one, and keeps it otherwise", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user, "--max-cost", "0.02");
  await user.rollcall(["send", id, `${CENT} ; ${CENT} ; work 100s`]);
  expect(await user.reach(id, "stopped")).toMatchObject({ end_reason: "max_cost: $0.02 of $0.02" });
  for (const options of [[], ["--max-cost", "0.02"], ["--max-cost", "0.019"]]) {
    const refused = await user.rollcall(["resume", id, "-d", ...options]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(`The budget of session ${id} is used up: $0.02 of $0.0`);
    expect(refused.stderr).toContain("--max-cost");
  }
  await user.ok(["resume", id, "-d", "--max-cost", "0.04"]);
  await user.reach(id, "waiting_input");
  await turn(user, id, CENT);
  const budgets = [{ kind: "max_cost", used: 0.03, allowed: 0.04, unit: "usd", uncounted_requests: 0 }];
  expect(await user.get(id)).toMatchObject({ budgets });
  await user.ok(["end", id]);
  await user.ok(["resume", id, "-d"]);
  await user.reach(id, "waiting_input");
  expect(await user.get(id)).toMatchObject({ budgets });
  const fork = (await user.ok(["fork", id, "-d", "--json"])).json;
  expect(await user.get(String(fork.id))).toMatchObject({ budgets: [{ used: null, allowed: 0.04 }] });
});

test("used of allowed is shown by get and on the roll, with what cannot be counted", async () => {
  await using user = newLiveUser();
  const options = ["--max-cost", "0.05", "--max-tokens", "1000", "--model", "model-of-tomorrow"];
  const id = await atPrompt(user, ...options);
  await turn(user, id, `${CENT} ; usage 30 10 ; usage 1 1`);
  const uncounted = (await eventsOf(user, id)).filter(({ kind }) => kind === "limit_uncounted");
  expect(uncounted).toMatchObject([{ body: { model: "model-of-tomorrow", limit: { kind: "max_cost" } } }]);
  const { stdout } = await user.ok(["get", id]);
  const said = "≥$0.0100 of $0.05 (2 requests without a price not counted), 62 of 1000 tokens";
  expect(stdout).toMatch(/\nbudget +≥/);
  expect(stdout).toContain(said);
  const roll = (await user.ok([], { env: { COLUMNS: "200" } })).stdout;
  for (const cell of ["≥$0.0100 of $0.05", "62 of 1000"]) expect(roll).toContain(cell);
});

test("a budget of tokens ends a session as well", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["scripted", SPENDING, "--max-tokens", "100"]);
  expect((await user.reach(id, "stopped")).end_reason).toMatch(/^max_tokens: \d+ of 100 tokens$/);
});

test("the settings give budgets by default, the most specific first, and an option wins", async () => {
  await using user = newLiveUser();
  await user.ok(["config", "set", "session.max_cost", "5"]);
  await user.ok(["config", "set", "session.by_purpose", '{"review":{"max_tokens":1000,"max_cost":2}}']);
  const allowed = async (...args: string[]) => {
    const { budgets } = (await user.start([...args, "--", "sleep", "1000"])) as unknown as {
      budgets: { kind: string; allowed: number }[];
    };
    return budgets.map((budget) => `${budget.kind} ${budget.allowed}`);
  };
  expect(await allowed()).toEqual(["max_cost 5"]);
  expect(await allowed("--purpose", "review")).toEqual(["max_cost 2", "max_tokens 1000"]);
  expect(await allowed("--max-cost", "none")).toEqual([]);
  writeFileSync(join(user.workspace, ".rollcall.json"), '{"session":{"max_cost":"none","max_tokens":7}}');
  expect(await allowed()).toEqual(["max_cost 5", "max_tokens 7"]);
});
