import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { LAUNCHER } from "../cli/rollcall.ts";
import { atPrompt, turn } from "./scripted.ts";
import { isAlive, type LiveUser, newLiveUser, until } from "./user.ts";

function git(user: LiveUser, cwd: string, ...args: string[]): string {
  const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
  return execFileSync("git", [...who, ...args], { cwd, env: { ...user.env }, encoding: "utf8" }).trim();
}

function makeRepository(user: LiveUser): void {
  git(user, user.workspace, "init", "-q", "-b", "main");
  git(user, user.workspace, "commit", "-q", "--allow-empty", "-m", "first");
}

const where = (branch: string) => ["--worktree", branch, "--", "sh", "-c", "pwd; git branch --show-current"];

test("a worktree is made with its branch, and used again", async () => {
  await using user = newLiveUser();
  makeRepository(user);
  const first = await user.ok(["start", "--wait", ...where("feature/one")]);
  const [folder, branch] = first.stdout.trim().split("\n");
  expect(branch).toBe("feature/one");
  expect(folder).not.toBe(realpathSync(user.workspace));
  expect((await user.ok(["start", "--wait", ...where("feature/one")])).stdout).toBe(first.stdout);
  expect(git(user, user.workspace, "worktree", "list").split("\n")).toHaveLength(2);
  expect(git(user, user.workspace, "status", "--porcelain")).toBe("");
  expect(await user.get("last")).toMatchObject({ git_branch: "feature/one" });
});

test("a branch that exists is checked out, as it is", async () => {
  await using user = newLiveUser();
  makeRepository(user);
  git(user, user.workspace, "branch", "older");
  git(user, user.workspace, "commit", "-q", "--allow-empty", "-m", "second");
  const script = ["--worktree", "older", "--", "git", "log", "--format=%s"];
  expect((await user.ok(["start", "--wait", ...script])).stdout).toBe("first\n");
});

test("fork --worktree goes on with the conversation in a worktree of its own, and leaves the first one alone", async () => {
  await using user = newLiveUser();
  makeRepository(user);
  const id = await atPrompt(user);
  await turn(user, id, "say before");
  const fork = (
    await user.ok(["fork", id, "run git branch --show-current > which", "--worktree", "side", "-d", "--json"])
  ).json;
  await user.ok(["wait", fork.id, "--turn", "1", "--timeout", "30s"]);
  const folder = git(user, user.workspace, "worktree", "list").split("\n")[1]?.split(" ")[0] as string;
  expect(readFileSync(join(folder, "which"), "utf8")).toBe("side\n");
  expect(await user.get(fork.id)).toMatchObject({ git_branch: "side", forked_from: id });
  expect(await user.get(id)).toMatchObject({ git_branch: "main", state: "waiting_input" });
});

test("no worktree is made behind a link, or where it could be committed", async () => {
  await using user = newLiveUser();
  makeRepository(user);
  const outside = join(user.folder, "outside");
  const own = join(user.workspace, ".rollcall");
  mkdirSync(outside);
  mkdirSync(own);
  const refused = async (why: string) => {
    const answer = await user.rollcall(["start", "-d", "--json", ...where("feature/one")]);
    expect(answer).toMatchObject({ code: 4, stdout: "", error: { code: "worktree_failed" } });
    expect(answer.error.message).toContain(why);
  };
  symlinkSync(outside, join(own, "worktrees"));
  await refused("worktrees is a link or no folder");
  rmSync(join(own, "worktrees"));
  mkdirSync(join(own, "worktrees"));
  symlinkSync(outside, join(own, "worktrees", "feature"));
  await refused("feature is a link or no folder");
  rmSync(join(own, "worktrees", "feature"));
  writeFileSync(join(own, ".gitignore"), "!*\n");
  await refused(".gitignore does not ignore everything");
  expect(readdirSync(outside)).toEqual([]);
});

test("branches with names that look alike have a worktree each", async () => {
  await using user = newLiveUser();
  makeRepository(user);
  const first = await user.ok(["start", "--wait", ...where("fix/a")]);
  const second = await user.ok(["start", "--wait", ...where("fix-a")]);
  expect(first.stdout.trim().split("\n")[1]).toBe("fix/a");
  expect(second.stdout.trim().split("\n")[1]).toBe("fix-a");
});

test("a worktree that someone switched to another branch is not used for the first", async () => {
  await using user = newLiveUser();
  makeRepository(user);
  const { stdout } = await user.ok(["start", "--wait", ...where("one")]);
  git(user, stdout.split("\n")[0] as string, "switch", "-q", "-c", "two");
  const answer = await user.rollcall(["start", ...where("one")]);
  expect(answer.code).toBe(4);
  expect(answer.stderr).toContain("no worktree of one");
});

test("a worktree that was made for a start that failed stays where another session came into it", async () => {
  await using user = newLiveUser();
  makeRepository(user);
  await user.ok(["up"]);
  const path = join(user.workspace, ".rollcall", "worktrees", "side");
  const args = ["start", "-d", "--worktree", "side", "--", "no-such-program"];
  const fails = spawn(process.execPath, [LAUNCHER, ...args], { cwd: user.workspace, env: user.env });
  using _ = { [Symbol.dispose]: () => fails.kill("SIGKILL") };
  const closed = once(fails, "close");
  const isOver = () => fails.exitCode !== null;
  while (!existsSync(path) && !isOver()) await sleep(1);
  fails.kill("SIGSTOP");
  await until(() => isOver() || !childrenOf(fails.pid as number).some(isAlive), "git to be done");
  const { id } = await user.start(["--worktree", "side", "--", "sleep", "1000"]);
  fails.kill("SIGCONT");
  expect((await closed)[0]).toBe(1);
  expect(existsSync(path)).toBe(true);
  expect(git(user, user.workspace, "branch")).toContain("side");
  expect(await user.get(id)).toMatchObject({ state: "running" });
});

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

test("outside a repository, and for what is no branch, it is refused with 4 before anything starts", async () => {
  await using user = newLiveUser();
  expect(await user.rollcall(["start", ...where("x")])).toMatchObject({ code: 4 });
  makeRepository(user);
  for (const branch of ["a..b", "-x", "main"])
    expect([branch, (await user.rollcall(["start", `--worktree=${branch}`, "--", "true"])).code]).toEqual([
      branch,
      4,
    ]);
  expect((await user.ok(["list", "--json"])).json.sessions).toEqual([]);
});

test("it is offered for removal only when it is clean and merged", async () => {
  await using user = newLiveUser();
  makeRepository(user);
  const { id } = await user.start(["--name", "w", "--worktree", "topic", "--", "sleep", "1000"]);
  const { path } = (await user.get(id)).metadata.worktree as { path: string };
  const offer = async () => (await user.ok(["end", id])).stderr.includes("worktree remove");
  writeFileSync(join(path, "new.txt"), "work");
  expect(await offer()).toBe(false);
  git(user, path, "add", ".");
  git(user, path, "commit", "-q", "-m", "work");
  expect(await offer()).toBe(false);
  git(user, user.workspace, "merge", "-q", "topic");
  const said = (await user.ok(["end", id])).stderr;
  const command = /`(git [^`]*)`/.exec(said)?.[1] as string;
  execFileSync("sh", ["-c", command], { env: { ...user.env } });
  expect(existsSync(path)).toBe(false);
});
