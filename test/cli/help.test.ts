import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newUser, ROOT, type User } from "./rollcall.ts";

const RECORD_COMMANDS = [
  "create",
  "update",
  "upsert",
  "should-resume",
  "get",
  "finalize",
  "list",
  "cleanup",
  "delete",
  "reconcile",
  "events",
  "samples",
  "search",
  "replay",
  "usage",
  "stats",
  "import",
  "export",
  "hook",
  "hooks",
  "config",
  "doctor",
  "backup",
  "restore",
  "redact",
  "verify",
  "completion",
];

test("--help names every command, the ways to name a session and the exit codes", async () => {
  using user = newUser();
  const { stdout, stderr } = await user.ok(["--help"]);
  expect(await commandsOf(user)).toEqual(expect.arrayContaining(RECORD_COMMANDS));
  for (const part of ["list, ls", "delete, rm", "`last`", "`self`", "0 done", "5 timed out"])
    expect(stdout).toContain(part);
  expect(stderr).toBe("");
  for (const call of [["-h"], ["help"]]) expect((await user.ok(call)).stdout).toBe(stdout);
});

test("every command has usage, options and examples, takes --json, and its help changes nothing", async () => {
  using user = newUser();
  for (const name of await commandsOf(user)) {
    const { stdout, stderr } = await user.ok([name, "--help"]);
    expect(stdout, name).toMatch(new RegExp(`^Usage: rollcall ${name} `));
    expect(stdout, name).toMatch(/\n\nOptions:\n {2}.*/);
    expect(stdout, name).toMatch(/\n\nExamples:\n {2}.*rollcall .* {2}# /);
    expect(stdout, name).toMatch(/ --json +print JSON/);
    expect(stderr).toBe("");
  }
  expect(untouched(user)).toBe(true);
});

test("the help of start names the agents and kinds that can be started, and no other", async () => {
  using user = newUser();
  const { stdout } = await user.ok(["start", "--help"]);
  expect(stdout).toContain(
    "Starts an agent (claude, codex, gemini, opencode, scripted), or any command after `--`",
  );
  expect(stdout).toMatch(/--kind KIND +how it works \(interactive, autonomous, acp\)/);
});

test("the examples use only commands and options that there are", async () => {
  using user = newUser();
  const known = new Set(await commandsOf(user));
  for (const name of known) {
    const help = (await user.ok(["help", name])).stdout;
    const examples = help.slice(help.indexOf("Examples:"));
    for (const [, command] of examples.matchAll(/rollcall ([a-z-]+)/g))
      expect(
        known.has(command as string) || command === "ls" || command === "rm",
        `${name}: ${command}`,
      ).toBe(true);
    for (const [, option] of examples.matchAll(new RegExp(`rollcall ${name}[^|)#]* (--[a-z-]+)`, "g")))
      expect(help.slice(0, help.indexOf("Examples:")), name).toContain(option);
  }
});

test("an alias does what its command does, and help of a command wins over its missing words", async () => {
  using user = newUser();
  expect((await user.ok(["ls", "--help"])).stdout).toBe((await user.ok(["list", "-h"])).stdout);
  expect((await user.ok(["rm", "--help"])).stdout).toBe((await user.ok(["help", "delete"])).stdout);
  expect((await user.ok(["update", "--phase", "bogus", "--help"])).stdout).toContain(
    "Usage: rollcall update",
  );
});

test("--version is that of the package and makes no state folder", async () => {
  using user = newUser();
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  expect((await user.ok(["--version"])).stdout).toBe(`${version}\n`);
  expect((await user.ok(["-v", "--json"])).json).toEqual({ version });
  expect(untouched(user)).toBe(true);
});

async function commandsOf(user: User): Promise<string[]> {
  const { stdout } = await user.ok(["--help"]);
  return [...stdout.matchAll(/^ {2}([a-z-]+)(?:, [a-z]+)? {2,}/gm)].map(([, name]) => name as string);
}

/** No state folder, nothing in the home folder, nothing in the workspace. */
function untouched(user: User): boolean {
  const names = readdirSync(user.folder, { recursive: true, encoding: "utf8" }).sort();
  return names.join(" ") === "home tmp work";
}
