import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TmuxTerminal } from "./tmux-terminal.ts";
import { newLiveUser, until } from "./user.ts";

test.each([
  ["y", false],
  ["n", true],
] as const)(
  "at a terminal, end offers to remove a worktree that is clean and merged: %s",
  async (key, stays) => {
    await using user = newLiveUser();
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args], {
        cwd: user.workspace,
        env: { ...user.env },
        encoding: "utf8",
      });
    git("init", "-q", "-b", "main");
    git("commit", "-q", "--allow-empty", "-m", "first");
    await user.start(["--name", "side", "--worktree", "side", "--", "sleep", "100"]);
    const folder = join(user.workspace, ".rollcall", "worktrees", "side");
    expect(existsSync(folder)).toBe(true);
    using terminal = new TmuxTerminal(user).open(["end", "side"]);
    await terminal.shows("[y/N]");
    terminal.press(key, "Enter");
    await terminal.shows("left with 0");
    await until(() => existsSync(folder) === stays, "the worktree");
    expect(git("branch").includes("side")).toBe(stays);
  },
);
