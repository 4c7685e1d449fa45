import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/framework/commands.ts";
import { answer, ClaudeTree, costState, prompt } from "../cli/claude-tree.ts";
import { type Answer, LAUNCHER, ROOT, run } from "../cli/rollcall.ts";
import { findTool } from "../cli/tools.ts";
import { documentedCommands, type RealAnswer, shapeProblems } from "../json-shapes.ts";
import { asking, atPrompt, reachAfter } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

/** For the one command that reads standard input. */
const UPSERT = '{"id":"fleet-1","status":"failed","turns":3,"cost_usd":1}\n';

/** Calls commands with `--json` and keeps what they answer, under the name that docs/json.md gives them. */
class Answers {
  readonly all: RealAnswer[] = [];
  readonly #user: LiveUser;

  constructor(user: LiveUser) {
    this.#user = user;
  }

  async of(command: string, ...args: readonly string[]): Promise<{ readonly seq: number }> {
    const words = command.split(" ").slice(1);
    const { stdout } = await this.#user.rollcall([...words, "--json", ...args], { input: UPSERT });
    for (const line of stdout.trim().split("\n")) this.all.push({ command, value: JSON.parse(line) });
    return this.all.at(-1)?.value as { seq: number };
  }

  eventKinds(): ReadonlySet<string> {
    const events = this.all.filter(({ command }) => command === "rollcall events");
    return new Set(events.map(({ value }) => (value as { readonly kind: string }).kind));
  }
}

/** The events of these lives: all but those of limits, losses and restored files. */
const KINDS = [
  ...["created", "updated", "finalized", "status_declared", "totals_declared", "deleted"],
  ...["launched", "at_work", "at_prompt", "asked", "answered", "paused", "continued", "end_began", "ended"],
  ...[
    "resumed",
    "reconciled",
    "input_given",
    "turn_began",
    "turn_ended",
    "entry_added",
    "identified",
    "totals_reported",
    "usage_changed",
  ],
];

test("every command answers with the shape that docs/json.md gives, live", { timeout: 120_000 }, async () => {
  await using user = newLiveUser();
  const answers = new Answers(user);
  const id = await atPrompt(user, "--name", "one");
  await asking(user, id, "ask Bash");
  for (const command of ["rollcall", "rollcall list", "rollcall top", "rollcall next"])
    await answers.of(command);
  for (const command of ["rollcall get", "rollcall wait", "rollcall explain", "rollcall data"])
    await answers.of(command, id);
  await reachAfter(user, id, (await answers.of("rollcall approve", id)).seq, "waiting_input");
  await asking(user, id, "ask Bash");
  await reachAfter(user, id, (await answers.of("rollcall deny", id)).seq, "waiting_input");
  await asking(user, id, "question Which? red | green");
  await reachAfter(user, id, (await answers.of("rollcall answer", id, "1")).seq, "waiting_input");
  await answers.of("rollcall send --wait", id, 'say hi ; tool Read {"a":1}');
  await answers.of("rollcall data", id);
  await answers.of("rollcall logs", id);
  await answers.of("rollcall replay", id);
  await until(async () => !JSON.stringify(await user.get(id)).includes('"sampled_at":null'), "a sample");
  await answers.of("rollcall samples", id);
  await answers.of("rollcall usage --requests", id);
  await answers.of("rollcall keys", id, "x", "Backspace");
  await answers.of("rollcall send", id, "hang");
  await user.reach(id, "running");
  await answers.of("rollcall pause", id, "nobody");
  await answers.of("rollcall continue", id, "nobody");
  await answers.of("rollcall interrupt", id);
  await answers.of("rollcall fork", id);
  await answers.of("rollcall end", id, "nobody");
  await answers.of("rollcall resume", id);
  await answers.of("rollcall start", "--", "true");
  await answers.of("rollcall start --wait", "scripted", "say hi");
  await answers.of("rollcall resume --all-lost");
  await answers.of("rollcall demo");
  await answers.of("rollcall demo --end");
  await answers.of("rollcall status");
  await answers.of("rollcall down");
  await answers.of("rollcall status");
  await answers.of("rollcall up");
  for (const [command, ...args] of await recordCalls(user)) await answers.of(command, ...args);
  expect(shapeProblems(answers.all)).toEqual([]);
  expect(answers.eventKinds()).toEqual(new Set(KINDS));
  const called = new Set(answers.all.map(({ command }) => command));
  const isCalled = (command: string) =>
    called.has(command) || called.has(command.replace("hooks remove", "hooks install"));
  expect(documentedCommands().filter((command) => !isCalled(command))).toEqual([]);
});

/** The calls that need no live session. */
async function recordCalls(user: LiveUser): Promise<[string, ...string[]][]> {
  const record = await user.create();
  return [
    ["rollcall upsert"],
    ["rollcall get", "fleet-1"],
    ["rollcall create", "--name", "two"],
    ["rollcall update", record, "--phase", "planning", "--error", "e", "--metadata", '{"a":{"b":1}}'],
    ["rollcall should-resume", record],
    ["rollcall should-resume", "nobody"],
    ["rollcall finalize", record, "completed", "--summary", "s"],
    ["rollcall get", record],
    ["rollcall events", record],
    ["rollcall search", "two"],
    ["rollcall import"],
    ["rollcall usage", "last"],
    ["rollcall usage --reconcile", await importedFromClaude(user)],
    ["rollcall stats", "--resume"],
    ["rollcall stats", "--by", "agent"],
    ["rollcall stats --scan"],
    ["rollcall reconcile"],
    ["rollcall cleanup", "--dry-run"],
    ["rollcall delete", record, "nobody"],
    ["rollcall events"],
    ["rollcall doctor"],
    ["rollcall redact", "--existing", "--dry-run"],
    ["rollcall verify"],
    ["rollcall backup"],
    ["rollcall config get"],
    ["rollcall config path"],
    ["rollcall hooks install", "claude", "--dry-run"],
    ["rollcall completion", "bash"],
  ];
}

/** A conversation of Claude Code that ended with its totals. */
async function importedFromClaude(user: LiveUser): Promise<string> {
  const tree = new ClaudeTree(user.env.HOME as string);
  const said = { session: "native", uuid: "u1", at: 1 };
  const used = { in: 10, out: 2 };
  const lines = [prompt(said, "hi"), answer({ ...said, uuid: "u2", message: "m1" }, "hello", used)];
  tree.write("native.jsonl", [...lines, costState("native", { in: 15, out: 2 }, 0.001)]);
  await user.ok(["import", "--from", "claude"]);
  return String((await user.ok(["list", "--agent", "claude", "--json"])).json.sessions[0]?.id);
}

test("the page speaks of every command", () => {
  const page = readFileSync(join(ROOT, "docs", "json.md"), "utf8");
  expect(allCommands().filter(({ name }) => !page.includes(`\`rollcall ${name}`))).toEqual([]);
});

describe.runIf(findTool("jq", "apt-get install jq"))("the orchestrator of the page", () => {
  const ANSWERS = [
    "all tests pass",
    "deployed",
    "nothing to add",
    "the notes are written",
    "the plan is ready",
  ];

  test("runs five agents to their end, with the right answer of each", { timeout: 120_000 }, async () => {
    await using user = newLiveUser();
    const said = await orchestrate(user, recipe());
    expect([said.code, said.stderr]).toEqual([0, ""]);
    expect(said.stdout.trim().split("\n").toSorted()).toEqual(ANSWERS);
    const { sessions } = (await user.ok(["list", "--json"])).json;
    expect(sessions.map(({ state, outcome }) => [state, outcome])).toEqual(
      Array(5).fill(["stopped", "success"]),
    );
  });

  test("trusts the folder, and takes no login for an answer", { timeout: 120_000 }, async () => {
    await using user = newLiveUser();
    const more = "begin newcomer 'say trusted' -- --trust\nbegin stranger 'say nothing' -- --login\n";
    const said = await orchestrate(user, recipe().replace(/^while /m, `${more}while `));
    const { id, state } = await user.get("stranger");
    expect([said.code, said.stderr]).toEqual([0, `A person is needed (login): rollcall attach ${id}\n`]);
    expect(said.stdout.trim().split("\n").toSorted()).toEqual([...ANSWERS, "trusted"]);
    expect(state).toBe("waiting_input");
  });

  function recipe(): string {
    const page = readFileSync(join(ROOT, "docs", "json.md"), "utf8");
    return /^```bash\n(.*?)^```/ms.exec(page)?.[1] ?? "";
  }

  async function orchestrate(user: LiveUser, script: string): Promise<Answer> {
    const bin = join(user.folder, "bin");
    mkdirSync(bin);
    const command = `#!/bin/sh\nexec "${process.execPath}" "${LAUNCHER}" "$@"\n`;
    writeFileSync(join(bin, "rollcall"), command, { mode: 0o755 });
    const env = { ...user.env, PATH: `${bin}:${user.env.PATH}` };
    return run("bash", ["-c", script], { env, cwd: user.workspace });
  }
});

test("what the page does not say would be found", () => {
  const wrong = [{ command: "rollcall reconcile", value: { reconciled: 1, more: true } }];
  expect(shapeProblems(wrong)).toEqual([expect.stringMatching(/more.* does not exist/)]);
  expect(shapeProblems([{ command: "rollcall down", value: { ended: [] } }])).toHaveLength(1);
});
