import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TmuxTerminal } from "./tmux-terminal.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

/** A repository with one commit: a branch that is made now is merged already. */
function repository(user: LiveUser) {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args], {
      cwd: user.workspace,
      env: { ...user.env },
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "first");
  return { git, folder: join(user.workspace, ".rollcall", "worktrees", "side") };
}

const IN_SIDE = ["--worktree", "side"];

describe("at a terminal a worktree that is clean and merged is offered for removal", () => {
  test.each([
    ["y", false],
    ["n", true],
  ] as const)("by end: %s", async (key, stays) => {
    await using user = newLiveUser();
    const { git, folder } = repository(user);
    await user.start(["--name", "side", ...IN_SIDE, "--", "sleep", "100"]);
    expect(existsSync(folder)).toBe(true);
    using terminal = new TmuxTerminal(user).open(["end", "side"]);
    await terminal.shows("[y/N]");
    terminal.press(key, "Enter");
    await terminal.shows("left with 0");
    await until(() => existsSync(folder) === stays, "the worktree");
    expect(git("branch").includes("side")).toBe(stays);
  });

  test("by start --wait, behind the answer, and the exit code is that of the outcome", async () => {
    await using user = newLiveUser();
    const { folder } = repository(user);
    const command = ["--", "sh", "-c", "echo the-answer; exit 3"];
    const start = ["start", "--wait", "--cwd", user.workspace, ...IN_SIDE, ...command];
    using terminal = new TmuxTerminal(user).open(start);
    await terminal.shows("[y/N]");
    expect(terminal.screen).toContain("the-answer");
    terminal.press("y", "Enter");
    await terminal.shows("left with 1");
    expect(existsSync(folder)).toBe(false);
  });

  test("by the attach in which its agent left", async () => {
    await using user = newLiveUser();
    const { folder } = repository(user);
    const start = ["start", "--cwd", user.workspace, ...IN_SIDE, "--env", "PS1=sh$ ", "--", "sh"];
    using terminal = new TmuxTerminal(user).open(start);
    await terminal.shows("sh$");
    terminal.type("exit");
    terminal.press("Enter");
    await terminal.shows("[y/N]");
    terminal.press("y", "Enter");
    await terminal.shows("left with 0");
    expect(existsSync(folder)).toBe(false);
  });
});

describe("without a terminal", () => {
  test("nobody is asked: the way to remove it is told beside the answer", async () => {
    await using user = newLiveUser();
    const { folder } = repository(user);
    const given = await user.ok(["start", "--wait", ...IN_SIDE, "--", "echo", "the-answer"]);
    expect(given.stdout).toBe("the-answer\n");
    execFileSync("sh", ["-c", /`(git [^`]*)`/.exec(given.stderr)?.[1] as string], { env: { ...user.env } });
    expect(existsSync(folder)).toBe(false);
  });

  test("a program gets JSON and nothing else", async () => {
    await using user = newLiveUser();
    repository(user);
    const given = await user.ok(["start", "--wait", "--json", ...IN_SIDE, "--", "echo", "the-answer"]);
    expect([given.json.answer, given.stderr]).toEqual(["the-answer\n", ""]);
  });
});

test("a worktree that another session still works in is not offered", async () => {
  await using user = newLiveUser();
  repository(user);
  const other = await user.start([...IN_SIDE, "--", "sleep", "1000"]);
  const first = await user.ok(["start", "--wait", ...IN_SIDE, "--", "true"]);
  expect(first.stderr).toBe("");
  expect((await user.ok(["end", other.id])).stderr).toContain("worktree remove");
});
