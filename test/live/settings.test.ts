import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newUser } from "../cli/rollcall.ts";
import { holdTerminal } from "./held-terminal.ts";
import { atPrompt, turn } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

const STUBBORN = ["--", "sh", "-c", "trap '' TERM; while :; do sleep 1; done"];

test("settings that are broken while the daemon runs are refused by commands, and it goes on with those of before", async () => {
  await using user = newLiveUser();
  const told = join(user.folder, "told");
  await user.ok(["config", "set", "notify.command", `cat >> ${told}`]);
  await user.ok(["config", "set", "end.grace", "500ms"]);
  const { id } = await user.start(["--timeout", "3s", ...STUBBORN]);
  const path = join(user.state, "config.json");
  const good = readFileSync(path, "utf8");
  for (const [text, says] of [
    ['{"end":', "is not valid JSON"],
    ["[]", "one JSON object"],
    ['{"end":{"grace":"soon"}}', "a duration such as"],
    ['{"end":{"graze":"1s"}}', "is not a setting"],
  ] as const) {
    writeFileSync(path, text);
    for (const args of [
      ["data", id],
      ["end", id],
      ["status", "--short"],
      ["start", "-d", "--", "true"],
    ]) {
      const { code, stdout, stderr } = await user.rollcall(args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^rollcall: [^\n]*config\.json[^\n]*\n$/);
      expect(stderr).toContain(says);
    }
  }
  await until(() => existsSync(told) && readFileSync(told, "utf8").includes(`"id":"${id}"`), "to be told");
  writeFileSync(path, good);
  expect(await user.get(id)).toMatchObject({ state: "stopped", end_reason: "timeout" });
  expect((await user.ok(["list", "-q"])).stdout).toBe(`${id}\n`);
});

test("with broken settings the daemon can be stopped, and none is started or replaced", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(STUBBORN);
  const path = join(user.state, "config.json");
  writeFileSync(path, "{");
  expect(await user.rollcall(["up", "--json"])).toMatchObject({ code: 2, error: { code: "bad_config" } });
  expect((await user.ok(["down"])).stdout).toContain("1 session run on");
  expect(await user.rollcall(["up", "--json"])).toMatchObject({ code: 2, error: { code: "bad_config" } });
  rmSync(path);
  await user.ok(["up"]);
  expect(await user.get(id)).toMatchObject({ state: "running" });
});

function makeProject(user: LiveUser): string {
  const folder = join(user.folder, "project");
  mkdirSync(folder);
  execFileSync("git", ["init", "-q"], { cwd: folder, env: { ...user.env } });
  return folder;
}

test("in a project whose settings are broken nothing is started, wherever it is asked for", async () => {
  await using user = newLiveUser();
  await user.ok(["up"]);
  await user.ok(["config", "set", "redact.env", "MY_PLAIN_WORD"]);
  const folder = makeProject(user);
  writeFileSync(join(folder, ".rollcall.json"), "{");
  const start = ["start", "-d", "--json", "--cwd", folder, "--", "sh", "-c", "echo it is $MY_PLAIN_WORD"];
  for (const cwd of [user.workspace, folder]) {
    const answer = await user.rollcall(start, { cwd, env: { MY_PLAIN_WORD: "correct-horse-battery" } });
    expect(answer).toMatchObject({ code: 2, stdout: "", error: { code: "bad_config" } });
    expect(answer.error.message).toContain(join(folder, ".rollcall.json"));
  }
  expect((await user.ok(["list", "--json"])).json.sessions).toEqual([]);
  expect(user.launchFolders()).toEqual([]);
});

test("settings count at once for the verdict on a resume, whoever gives it, and so do a project's", async () => {
  await using user = newLiveUser();
  const folder = makeProject(user);
  const ids = [await atPrompt(user), await atPrompt(user, "--cwd", folder)] as const;
  for (const id of ids) {
    await turn(user, id, "say before");
    await user.ok(["end", id]);
    await user.ok(["update", id, "--phase", "planning", "--error", "one"]);
  }
  const refusal = async (id: string, cwd: string) => {
    const explained = (await user.ok(["explain", id, "--json"], { cwd })).json;
    const advice = (await user.rollcall(["should-resume", id, "--json"], { cwd })).json;
    const resumed = await user.rollcall(["resume", id, "--if-resumable", "-d"], { cwd });
    return [(explained.resume as { reason: string }).reason, advice.reason, resumed.code];
  };
  writeFileSync(join(folder, ".rollcall.json"), '{"resume":{"max_errors":1}}');
  expect(await refusal(ids[1], folder)).toEqual(["too_many_errors", "too_many_errors", 4]);
  await user.ok(["config", "set", "resume.max_errors", "1"]);
  expect(await refusal(ids[0], user.workspace)).toEqual(["too_many_errors", "too_many_errors", 4]);
  await user.ok(["config", "unset", "resume.max_errors"]);
  expect(await refusal(ids[0], user.workspace)).toEqual(["session_resumable", "session_resumable", 0]);
});

test("so much of a terminal is kept as the settings say when it is started", async () => {
  await using user = newLiveUser();
  await user.ok(["up"]);
  await user.ok(["config", "set", "recording.max_bytes", "500000"]);
  const { id } = await user.start(["--", "seq", "1", "300000"]);
  await user.reach(id, "stopped");
  const recording = join(user.state, "recordings", id);
  const sizes = readdirSync(recording).map((name) => statSync(join(recording, name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_000_000);
  expect((await user.ok(["logs", id])).stdout).toContain("300000");
});

test("settings of a project that break later take nothing away from the user's own", async () => {
  await using user = newLiveUser();
  const folder = makeProject(user);
  const session = await user.start(["--cwd", folder, ...STUBBORN]);
  writeFileSync(join(folder, ".rollcall.json"), "{");
  await user.ok(["config", "set", "end.proof", "1ms"]);
  using held = holdTerminal(session);
  const answer = await user.rollcall(["end", session.id, "--grace", "1s", "--json"]);
  await user.ok(["config", "unset", "end.proof"]);
  expect(answer).toMatchObject({ code: 4, only: { is_proven: false } });
  held[Symbol.dispose]();
  await user.reach(session.id, "stopped");
});

test("time-outs of sessions come from the settings, and an option of the call wins, also to have none", async () => {
  await using user = newLiveUser();
  await user.ok(["config", "set", "session.timeout", "800ms"]);
  const free = await user.start(["--timeout", "none", "--", "sleep", "1000"]);
  const bound = await user.start(["--", "sleep", "1000"]);
  expect(await user.reach(bound.id, "stopped")).toMatchObject({ end_reason: "timeout" });
  expect(await user.get(free.id)).toMatchObject({ state: "running" });
  await user.ok(["config", "unset", "session.timeout"]);
  await user.ok(["config", "set", "session.idle_timeout", "800ms"]);
  const idle = await user.start(["--", "sleep", "1000"]);
  expect(await user.reach(idle.id, "stopped")).toMatchObject({ end_reason: "idle_timeout" });
});

test("a project may set the time-outs of the sessions in it", async () => {
  await using user = newLiveUser();
  const folder = makeProject(user);
  writeFileSync(join(folder, ".rollcall.json"), '{"session":{"timeout":"800ms"}}');
  const elsewhere = await user.start(["--", "sleep", "1000"]);
  const { id } = await user.start(["--cwd", folder, "--", "sleep", "1000"]);
  expect(await user.reach(id, "stopped")).toMatchObject({ end_reason: "timeout" });
  expect(await user.get(elsewhere.id)).toMatchObject({ state: "running" });
});

test("wait gives up after wait.timeout, and with --timeout none it does not", async () => {
  await using user = newLiveUser();
  await user.ok(["config", "set", "wait.timeout", "100ms"]);
  const { id } = await user.start(["--", "sleep", "1000"]);
  expect(await user.rollcall(["wait", id, "--json"])).toMatchObject({
    code: 5,
    error: { code: "timed_out" },
  });
  const waited = user.rollcall(["wait", id, "--timeout", "none", "--json"]);
  expect((await user.rollcall(["wait", id, "--json"])).code).toBe(5);
  await user.ok(["end", id]);
  expect((await waited).code).toBe(0);
});

test("data answers with at most data.max_bytes, and a terminal has the size of the settings", async () => {
  await using user = newLiveUser();
  await user.ok(["config", "set", "data.max_bytes", "2000"]);
  await user.ok(["config", "set", "terminal.size", "100x30"]);
  const { id } = await user.start(["--", "sh", "-c", "seq 1 900; stty size; sleep 1000"]);
  const shown = async () => (await user.ok(["data", id, "--json"])).stdout;
  await until(async () => (await shown()).includes("30 100"), "the size of its terminal");
  const bounded = await shown();
  expect(Buffer.byteLength(bounded)).toBeLessThanOrEqual(2000);
  const wide = await user.ok(["data", id, "--max-bytes", "48000", "--json"]);
  expect(String(wide.json.screen).split("\n").length).toBeGreaterThan(20);
});

test.each([
  ["session.timeout", "0s"],
  ["session.timeout", "soon"],
  ["session.idle_timeout", "9999999d"],
  ["wait.timeout", "-1s"],
  ["data.max_bytes", "999"],
  ["data.max_bytes", "1000001"],
  ["terminal.size", "10x40"],
  ["terminal.size", "120"],
  ["terminal.size", "9999x40"],
])("%s cannot be %j", async (name, value) => {
  using user = newUser();
  const given = await user.rollcall(["config", "set", "--json", "--", name, value]);
  expect(given).toMatchObject({ code: 2, error: { code: "bad_config" } });
});
