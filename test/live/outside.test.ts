import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { identifyProcess } from "../../src/machine/process.ts";
import { stamp } from "../../src/record/context.ts";
import { createObserved } from "../../src/record/create.ts";
import type { Shown } from "../cli/rollcall.ts";
import { claudeLine, claudeOutside, codexOutside, rollout } from "./outside-agents.ts";
import { eventsOf } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

const agent = spawn("sleep", ["1000"], { stdio: "ignore" });

const LONG_AGO = expect.stringMatching(/^2026-01-01T00:00:/);

afterAll(async () => {
  const left = once(agent, "exit");
  agent.kill();
  await left;
});

test("a session outside is marked on the roll, with its process, and no hint finalises it", async () => {
  await using user = newLiveUser();
  const id = await observed(user);
  const roll = (await user.ok([])).stdout;
  expect(roll).toContain(`outside pid ${agent.pid}`);
  expect(roll).not.toContain("finalize");
  const end = await user.rollcall(["end", id]);
  expect(end.code).toBe(4);
  expect(end.stderr).toMatch(/runs outside Rollcall: it is observed only/);
  expect(end.stderr).not.toContain("finalize");
});

test.each([
  [["finalize"], ["completed"]],
  [["update"], ["--phase", "abandoned"]],
  [["update"], ["--status", "completed"]],
])(
  "%s %s of a session outside is refused while its process lives, and changes nothing",
  async (verb, rest) => {
    await using user = newLiveUser();
    const id = await observed(user);
    const before = await user.get(id);
    const { code, stderr } = await user.rollcall([...verb, id, ...rest]);
    expect([code, stderr]).toEqual([4, expect.stringContaining(`its process ${agent.pid} lives`)]);
    expect(await user.get(id)).toEqual(before);
  },
);

test("a session outside whose process has left can be finalised", async () => {
  await using user = newLiveUser();
  const id = await observed(user, { ...identifyProcess(agent.pid as number), startTime: "1" });
  expect((await user.ok(["finalize", id, "completed", "--json"])).json.phase).toBe("completed");
});

test("what a person takes back in Claude is left out, and stays billed", async () => {
  await using user = newLiveUser();
  await using claude = claudeOutside(user);
  const said = (uuid: string, parentUuid: string | null, line: object) => ({ ...line, uuid, parentUuid });
  const prompt = (text: string) => claudeLine.prompt(text, user.workspace);
  const usage = { input_tokens: 10, output_tokens: 5 };
  const answer = (text: string) => {
    const line = claudeLine.answer(text);
    return { ...line, message: { ...line.message, usage } };
  };
  claude.write(said("p1", null, prompt("one")), said("a1", "p1", answer("first")), claudeLine.over());
  claude.write(said("p2", "a1", prompt("two")), said("a2", "p2", answer("wrong")), claudeLine.over());
  claude.tell("idle");
  await user.ok(["up"]);
  const { id } = await seenOutside(user, 2);
  claude.write(said("p3", "a1", prompt("three")), said("a3", "p3", answer("right")), claudeLine.over());
  await until(async () => ((await user.get(id)).usage as { turns: number }).turns === 3, "the third turn");
  const texts = async (...args: readonly string[]) => {
    const { entries } = (await user.ok(["data", id, "--json", ...args])).json as unknown as {
      entries: { text: string; is_rewound?: true }[];
    };
    return entries.map(({ text, is_rewound }) => (is_rewound ? `(${text})` : text));
  };
  expect(await texts()).toEqual(["one", "first", "three", "right"]);
  expect(await texts("--rewound")).toEqual(["one", "first", "(two)", "(wrong)", "three", "right"]);
  expect((await user.ok(["data", id])).stdout).toContain("a part was taken back: --rewound shows it");
  expect((await user.ok(["export", id, "--format", "md"])).stdout).not.toContain("wrong");
  for (const format of ["md", "html"])
    expect((await user.ok(["export", id, "--format", format, "--rewound"])).stdout).toContain("taken back");
  expect((await user.ok(["export", id])).stdout).toContain('"is_rewound":true');
  expect((await user.ok(["search", "wrong"])).stdout).toBe("");
  expect((await user.ok(["search", "wrong", "--rewound"])).stdout).toContain("wrong");
  expect((await user.get(id)).usage).toMatchObject({ turns: 3, tokens_input: 30, tokens_output: 15 });
});

test("news of the transcript of a session that has ended makes no session outside of it", async () => {
  await using user = newLiveUser();
  const projects = join(user.env.HOME as string, ".claude", "projects", "project");
  mkdirSync(projects, { recursive: true });
  await user.ok(["up"]);
  const { id } = await user.start(["claude", "hello", "--kind", "autonomous"], {
    env: { PATH: `${fakeClaude(user, projects)}:${user.env.PATH}` },
  });
  const { native_id: native } = await user.reach(id, "stopped", "failed");
  // The time of its last line stays as it was.
  chmodSync(join(projects, `${native}.jsonl`), 0o640);
  await using claude = claudeOutside(user);
  claude.write(claudeLine.prompt("one", user.workspace), claudeLine.answer("first"));
  claude.tell("busy");
  await until(async () => (await user.ok(["list", "--json"])).json.sessions.length > 1, "the one outside");
  const { sessions } = (await user.ok(["list", "--json"])).json;
  expect(sessions.map(({ origin }) => origin).sort()).toEqual(["observed", "started"]);
});

/** A program that writes one line of a transcript, and leaves. */
function fakeClaude(user: LiveUser, projects: string): string {
  const bin = join(user.folder, "bin");
  mkdirSync(bin);
  const line = JSON.stringify(claudeLine.prompt("hello", user.workspace));
  const find = 'while [ $# -gt 0 ]; do [ "$1" = --session-id ] && id=$2; shift; done';
  const script = `#!/bin/sh\n${find}\necho '${line}' > "${projects}/$id.jsonl"\n`;
  writeFileSync(join(bin, "claude"), script, { mode: 0o755 });
  return bin;
}

test("a Claude session found at its prompt has the turns of its whole history, with their times", async () => {
  await using user = newLiveUser();
  await using claude = claudeOutside(user);
  const { prompt, answer, error, interrupted, over } = claudeLine;
  claude.write(prompt("one", user.workspace), answer("first"), over());
  claude.write(prompt("two", user.workspace), error("API Error: 400"), over());
  claude.write(prompt("three", user.workspace), interrupted());
  claude.tell("idle");
  await user.ok(["up"]);
  const { id } = await seenOutside(user, 3);
  expect(await user.get(id)).toMatchObject({
    turn: { ...{ number: 3, state: "done", outcome: "interrupted", error: null }, began_at: LONG_AGO },
    usage: { turns: 3 },
    last_error: { message: "API Error: 400" },
    about: "one",
  });
});

test("a Claude session's turns run on over a restart of the daemon, and none is counted twice", async () => {
  await using user = newLiveUser();
  await using claude = claudeOutside(user);
  const { prompt, answer, over } = claudeLine;
  claude.write(prompt("one", user.workspace), answer("first"), over(), prompt("two", user.workspace));
  claude.tell("busy");
  await user.ok(["up"]);
  const { id } = await seenOutside(user, 2);
  expect((await user.get(id)).turn).toMatchObject({ number: 2, state: "running", outcome: null });
  await user.killDaemon();
  claude.write(answer("second"), over(), prompt("three", user.workspace));
  await user.ok(["up"]);
  await seenOutside(user, 3);
  claude.write(answer("third"), over());
  const waited = (await user.ok(["wait", id, "--turn", "3", "--timeout", "30s", "--json"])).only;
  expect(waited.turn).toMatchObject({ number: 3, state: "done", outcome: "success" });
  expect(await user.get(id)).toMatchObject({ usage: { turns: 3 } });
  expect(await turnEvents(user, id)).toEqual([
    "began 1",
    "ended 1",
    "began 2",
    "ended 2",
    "began 3",
    "ended 3",
  ]);
});

test("a Codex session's turns are those of its rollout, with the reason of one that failed", async () => {
  await using user = newLiveUser();
  await using codex = codexOutside(user);
  const event = (type: string, more = {}) => rollout("event_msg", { type, ...more });
  await user.ok(["up"]);
  codex.write(event("task_started"), event("task_complete"), event("task_started"));
  const { id } = await seenOutside(user, 2);
  await user.killDaemon();
  await user.ok(["up"]);
  codex.write(event("task_complete", { error: { message: "429 Too Many Requests" } }));
  const { only } = await user.rollcall(["wait", id, "--turn", "2", "--timeout", "30s", "--json"]);
  expect(only.turn).toMatchObject({ number: 2, outcome: "failure", error: "429 Too Many Requests" });
  expect(await user.get(id)).toMatchObject({ usage: { turns: 2 } });
});

test("a turn in which the process of a session outside leaves is over, and nobody knows how it went", async () => {
  await using user = newLiveUser();
  await using codex = codexOutside(user);
  await user.ok(["up"]);
  codex.write(rollout("event_msg", { type: "task_started" }));
  const { id } = await seenOutside(user, 1);
  await codex[Symbol.asyncDispose]();
  expect(await user.reach(id, "unknown")).toMatchObject({
    turn: { number: 1, state: "done", outcome: null, error: null },
  });
});

/** The session outside, once this turn of it has begun. */
async function seenOutside(user: LiveUser, turn: number): Promise<Shown> {
  const live = async () => (await user.ok(["list", "--json"])).json.sessions as Shown[];
  const isThere = async () =>
    (await live()).some((one) => (one.turn as { number: number } | null)?.number === turn);
  await until(isThere, `turn ${turn} of a session outside`);
  return (await live())[0] as Shown;
}

async function turnEvents(user: LiveUser, id: string): Promise<string[]> {
  return (await eventsOf(user, id)).flatMap(({ kind, body }) =>
    kind.startsWith("turn_") ? [`${kind.replace("turn_", "")} ${body.number}`] : [],
  );
}

/** As the daemon makes it of the traces of an agent that someone else started. */
async function observed(user: LiveUser, process = identifyProcess(agent.pid as number)): Promise<string> {
  await using library = await user.library();
  const { context } = library;
  const evidence = { source: "transcript", rule: "test", excerpt: null } as const;
  const id = await createObserved(context, { agentType: "codex", nativeId: "n1", evidence });
  await context.store.change(id, () => [
    stamp(context, { kind: "launched", process, generation: 1 }),
    stamp(context, { kind: "at_work", state: "running", evidence, generation: 1 }),
  ]);
  return id;
}
