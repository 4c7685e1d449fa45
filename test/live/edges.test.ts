import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { holdTerminal } from "./held-terminal.ts";
import { atPrompt, turn } from "./scripted.ts";
import { TmuxTerminal } from "./tmux-terminal.ts";
import { isAlive, type LiveUser, newLiveUser, processesOf, until } from "./user.ts";

test("down --end-all ends sessions also when no daemon runs", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sleep", "1000"]);
  expect((await user.ok(["down"])).stdout).toContain("1 session");
  expect((await user.ok(["down"])).stdout).toContain("1 session run on");
  expect((await user.ok(["down", "--end-all", "--json"])).json).toMatchObject({ ended: [id], running: 0 });
  expect(sleepers(user)).toEqual([]);
});

test("a variable that the settings name is hidden, whoever brings it", async () => {
  await using user = newLiveUser();
  await user.ok(["config", "set", "redact.env", "MY_PLAIN_WORD"]);
  await user.ok(["up"]);
  const env = { MY_PLAIN_WORD: "correct-horse-battery" };
  const answer = await user.ok(["start", "--wait", "--", "sh", "-c", 'echo "it is $MY_PLAIN_WORD"'], { env });
  expect(answer.stdout).toContain("[REDACTED:");
  await user.ok(["down"]);
  for (const name of readdirSync(user.state).filter((file) => file.startsWith("rollcall.db")))
    expect(readFileSync(join(user.state, name), "latin1")).not.toContain("correct-horse-battery");
});

test("end self --children ends the children before it dies itself", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  const rollcall = `${process.execPath} ${join(import.meta.dirname, "..", "..", "bin", "rollcall.cjs")}`;
  await turn(user, id, `run ${rollcall} start -d --name child -- sleep 1000`);
  expect(await user.get("child")).toMatchObject({ parent_id: id, state: "running" });
  await user.rollcall(["send", id, `run ${rollcall} end self --children`]);
  await user.reach(id, "stopped");
  await user.reach("child", "stopped");
  expect(sleepers(user)).toEqual([]);
});

test("wait --after on a session that is over answers at once", async () => {
  await using user = newLiveUser();
  await user.ok(["start", "--wait", "--name", "done", "--", "true"]);
  const { seq } = await user.get("done");
  await user.ok(["update", "done", "--metadata", '{"a":1}']);
  const answer = await user.rollcall([
    "wait",
    "done",
    "--after",
    String(seq),
    "--until",
    "running",
    "--timeout",
    "20s",
    "--json",
  ]);
  expect(answer.code).toBe(4);
  expect(answer.only).toMatchObject({ reached: null });
});

test("a text for a command whose input is closed is refused", async () => {
  await using user = newLiveUser();
  const waiting = user.rollcall(["start", "--wait", "--name", "deaf", "--", "sleep", "1000"]);
  await until(async () => (await user.rollcall(["get", "deaf"])).code === 0, "the session to be there");
  await user.reach("deaf", "running");
  expect(await user.rollcall(["send", "deaf", "hello"])).toMatchObject({ code: 4 });
  await user.ok(["end", "deaf"]);
  expect((await waiting).code).toBe(4);
});

const STUBBORN = ["--", "sh", "-c", "trap '' TERM; while :; do sleep 1; done"];

test("what an end could not prove is named as data, and exits 4", async () => {
  await using user = newLiveUser();
  await user.ok(["config", "set", "end.proof", "1ms"]);
  const session = await user.start(STUBBORN);
  using held = holdTerminal(session);
  const { id } = session;
  const answer = await user.rollcall(["end", id, "--grace", "1s", "--json"]);
  await user.ok(["config", "unset", "end.proof"]);
  expect(answer.code).toBe(4);
  expect(answer.only).toMatchObject({ session: { state: "stopping" }, is_proven: false });
  held[Symbol.dispose]();
  await user.reach(id, "stopped");
});

test("what an end with --children could not prove of a child exits 4, too", async () => {
  await using user = newLiveUser();
  const parent = await user.start(["--", "sleep", "1000"]);
  const child = await user.start(["--parent", parent.id, ...STUBBORN]);
  using held = holdTerminal(child);
  await user.ok(["config", "set", "end.proof", "1ms"]);
  const answer = await user.rollcall(["end", parent.id, "--children", "--grace", "1s", "--json"]);
  await user.ok(["config", "unset", "end.proof"]);
  expect(answer.code).toBe(4);
  expect(answer.only).toMatchObject({ is_proven: false });
  held[Symbol.dispose]();
  await user.reach(child.id, "stopped");
});

test("what down --end-all could not prove keeps the daemon, which goes on until it is", async () => {
  await using user = newLiveUser();
  const [session, other] = [await user.start(STUBBORN), await user.start(["--", "sleep", "1000"])];
  await user.ok(["config", "set", "end.proof", "1ms"]);
  using held = holdTerminal(session);
  const answer = await user.rollcall(["down", "--end-all", "--grace", "1s", "--json"]);
  await user.ok(["config", "unset", "end.proof"]);
  expect(answer).toMatchObject({ code: 4, stdout: "", error: { code: "not_proven" } });
  expect(answer.error.message).toContain(session.id);
  expect(await user.get(other.id)).toMatchObject({ state: "stopped" });
  held[Symbol.dispose]();
  expect(await user.daemonPid()).toBeDefined();
  await user.reach(session.id, "stopped");
  await user.start(["--", "true"]);
});

test("a demo whose end could not be proven is not said to have left no process", async () => {
  await using user = newLiveUser();
  await user.ok(["demo"]);
  using _ = holdTerminal(await user.get("demo-clock"));
  for (const name of ["end.grace", "end.proof"]) await user.ok(["config", "set", name, "1ms"]);
  const answer = await user.rollcall(["demo", "--end"]);
  for (const name of ["end.grace", "end.proof"]) await user.ok(["config", "unset", name]);
  expect(answer).toMatchObject({ code: 4, stdout: "" });
  expect(answer.stderr).toContain("still has a process");
});

test("start without a keyboard returns instead of attaching", async () => {
  await using user = newLiveUser();
  await user.ok(["up"]);
  using terminal = new TmuxTerminal(user).open(["start", "--name", "quiet", "--", "sleep", "100"], {
    redirection: "</dev/null",
  });
  await terminal.shows("left with 0");
  expect(await user.get("quiet")).toMatchObject({ state: "running" });
});

test("a worktree that was made for a start that failed is taken back", async () => {
  await using user = newLiveUser();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args], {
      cwd: user.workspace,
      env: { ...user.env },
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "first");
  expect(
    (await user.rollcall(["start", "-d", "--worktree", "side", "--wait-pattern", "(", "--", "sleep", "9"]))
      .code,
  ).toBe(2);
  expect(git("branch")).not.toContain("side");
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
});

function sleepers(user: LiveUser): number[] {
  const found = processesOf(user.folder).filter(({ command }) => command.startsWith("sleep 1000"));
  return found.map(({ pid }) => pid).filter(isAlive);
}
