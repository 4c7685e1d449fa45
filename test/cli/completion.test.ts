import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LAUNCHER, newUser, run, type User } from "./rollcall.ts";
import { quoted } from "./terminal.ts";
import { findTool } from "./tools.ts";

const bash = findTool("bash", "apt-get install bash");
const zsh = findTool("zsh", "apt-get install zsh");
const fish = findTool("fish", "apt-get install fish");

/** A PATH on which `rollcall` is the built command. */
function withCommand(user: User): Record<string, string> {
  const bin = join(user.folder, "bin");
  mkdirSync(bin, { recursive: true });
  const text = `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(LAUNCHER)} "$@"\n`;
  writeFileSync(join(bin, "rollcall"), text, { mode: 0o755 });
  return { ...user.env, PATH: `${bin}:${user.env.PATH}` };
}

/** What bash would offer behind these words; the last is the one being typed. */
async function offers(user: User, ...words: string[]): Promise<string[]> {
  const program = `eval "$(rollcall completion bash)"
    COMP_WORDS=(rollcall ${words.map(quoted).join(" ")}); COMP_CWORD=${words.length}
    _rollcall; [ \${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' "\${COMPREPLY[@]}"`;
  const given = await run("bash", ["--norc", "-c", program], { env: withCommand(user), cwd: user.workspace });
  expect(given).toMatchObject({ code: 0, stderr: "" });
  return given.stdout.split("\n").filter(Boolean);
}

test.runIf(bash)("bash completes commands, options and the choices of an option", async () => {
  using user = newUser();
  expect(await offers(user, "re")).toEqual(["reconcile", "resume", "replay", "restore", "redact"]);
  expect(await offers(user, "list", "--st")).toEqual(["--state", "--status"]);
  expect(await offers(user, "ls", "--status", "")).toEqual([
    "active",
    "completed",
    "failed",
    "cancelled",
    "unknown",
  ]);
  expect(await offers(user, "update", "x", "--phase", "a")).toEqual(["approval", "abandoned"]);
  expect(await offers(user, "finalize", "x", "")).toEqual(["completed", "failed", "abandoned"]);
  expect(await offers(user, "hook", "p")).toEqual(["pre-delegate"]);
  expect(await offers(user, "hook", "pre-delegate", "--from", "")).toEqual(["claude"]);
  expect(await offers(user, "hooks", "remove", "")).toEqual(["claude"]);
  expect(await offers(user, "help", "sta")).toEqual(["start", "stats", "status"]);
  expect(await offers(user, "bogus", "")).toEqual([]);
});

test.runIf(bash)(
  "bash completes ids and names of sessions, each as one word that the shell does not act on",
  async () => {
    using user = newUser();
    await user.create("--id", "s1", "--name", "nightly");
    await user.create("--id", "s2", "--name", "my build");
    await user.create("--id", "s3", "--name", "$(touch owned)*");
    expect(await offers(user, "get", "")).toEqual([
      "last",
      "\\$\\(touch\\ owned\\)\\*",
      "s3",
      "my\\ build",
      "s2",
      "nightly",
      "s1",
    ]);
    expect(await offers(user, "get", "n")).toEqual(["nightly"]);
    expect(await offers(user, "rm", "s1", "s2")).toEqual(["s2"]);
    expect(await offers(user, "create", "--parent", "s")).toEqual(["s3", "s2", "s1"]);
    expect(await offers(user, "reconcile", "--current", "ni")).toEqual(["nightly"]);
    expect(existsSync(join(user.workspace, "owned"))).toBe(false);
  },
);

test("completing never fails, says nothing on standard error and makes no state folder", async () => {
  using user = newUser();
  for (const words of [["get", ""], [], [""], ["bogus", "x"], ["list", "--limit", ""]]) {
    const given = await user.rollcall(["__complete", ...words]);
    expect([given.code, given.stderr]).toEqual([0, ""]);
  }
  expect(existsSync(user.state)).toBe(false);
  writeFileSync(user.state, "");
  expect(await user.rollcall(["__complete", "get", ""])).toMatchObject({ code: 0, stderr: "" });
});

test("names that would hide what is written are left out of what is offered", async () => {
  using user = newUser();
  await user.upsert({ id: "s1", name: "a\u202eb" });
  expect((await user.ok(["__complete", "get", ""])).stdout).toBe("last\ns1\n");
});

test("the scripts print for each shell, also as JSON, and make no state folder", async () => {
  using user = newUser();
  for (const shell of ["bash", "zsh", "fish"]) {
    const { stdout } = await user.ok(["completion", shell]);
    expect(stdout).toContain("rollcall __complete");
    expect((await user.ok(["completion", shell, "--json"])).json).toEqual({ script: stdout.trimEnd() });
  }
  expect(existsSync(user.state)).toBe(false);
});

test.runIf(zsh)("zsh takes its script", async () => {
  using user = newUser();
  const { stdout } = await user.ok(["completion", "zsh"]);
  const given = await run(zsh as string, ["-f", "-n"], { input: stdout, env: user.env });
  expect(given).toMatchObject({ code: 0, stderr: "" });
  const program =
    'autoload -Uz compinit && compinit -u -D && eval "$(rollcall completion zsh)" && print $_comps[rollcall]';
  const loaded = await run(zsh as string, ["-f", "-c", program], {
    env: withCommand(user),
    cwd: user.workspace,
  });
  expect(loaded.stdout).toBe("_rollcall\n");
});

test.runIf(fish)("fish takes its script and completes with it", async () => {
  using user = newUser();
  await user.create("--id", "s1", "--name", "nightly");
  const program =
    'rollcall completion fish | source; complete -C "rollcall get n"; complete -C "rollcall list --stat"';
  const given = await run(fish as string, ["--no-config", "-c", program], {
    env: withCommand(user),
    cwd: user.workspace,
  });
  expect(given).toMatchObject({ code: 0, stdout: "nightly\n--state\n--status\n" });
});
