import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Answer, newUser, run, type User } from "./rollcall.ts";
import { atTerminal } from "./terminal.ts";
import { findTool } from "./tools.ts";

const script = findTool("script", "apt-get install bsdutils");

const EVENTS = [
  "PreToolUse",
  "SubagentStop",
  "SessionStart",
  "UserPromptSubmit",
  "PermissionRequest",
  "Stop",
  "StopFailure",
  "Notification",
  "SessionEnd",
];

/** Written by hand, as no program would lay it out. */
const BY_HAND = `{
    "model": "opus",   "1": 1.0,
    "permissions": { "allow": ["Bash(ls:*)", "Read"] },

    "hooks": {
        "Stop": [ { "hooks": [{ "type": "command", "command": "say \\u0022done\\u0022" }] } ],
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [ { "type": "command", "command": "check" } ] }
        ]
    }
}`;

type Settings = {
  readonly hooks: Record<string, { readonly matcher?: string; hooks: { command: string }[] }[]>;
};

function settingsOf(user: User, name = "home/.claude/settings.json"): string {
  return join(user.folder, name);
}

function write(user: User, text: string, mode = 0o644): string {
  const path = settingsOf(user);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function read(path: string): Settings {
  return JSON.parse(readFileSync(path, "utf8")) as Settings;
}

/** Runs what stands in the settings for an event, as Claude does: by a shell, with the payload on standard input. */
async function fire(
  user: User,
  event: string,
  payload: object,
  env: Record<string, string> = {},
): Promise<Answer> {
  const command = read(settingsOf(user)).hooks[event]?.at(-1)?.hooks[0]?.command ?? "exit 9";
  const { ROLLCALL_HOME: _, ...outside } = user.env;
  return run("sh", ["-c", command], {
    input: JSON.stringify(payload),
    env: { ...outside, ...env },
    cwd: user.workspace,
  });
}

describe("hooks install claude", () => {
  test("makes the settings where there are none, and the script that they call", async () => {
    using user = newUser();
    const { json } = await user.ok(["hooks", "install", "claude", "--json"]);
    const path = settingsOf(user);
    expect(json).toMatchObject({ agent_type: "claude", path, changed: true, dry_run: false, backup: null });
    expect(Object.keys(read(path).hooks)).toEqual(EVENTS);
    expect(read(path).hooks.PreToolUse?.[0]?.matcher).toBe("Task|Agent");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(user.state, "run/hook.sh")).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(path))).toEqual(["settings.json"]);
  });

  test("a session outside reports itself, one that Rollcall carries does not", async () => {
    using user = newUser();
    await user.ok(["hooks", "install", "claude"]);
    const nothing = { code: 0, stdout: "", stderr: "" };
    expect(await fire(user, "Stop", { session_id: "a" })).toMatchObject(nothing);
    const carried = { ROLLCALL_SESSION: "0".repeat(32), ROLLCALL_HOOKS: join(user.state, "run/hooks") };
    expect(await fire(user, "Stop", { session_id: "b" }, carried)).toMatchObject(nothing);
    const [name = "", ...others] = readdirSync(join(user.state, "run/hooks"));
    expect([name, others]).toEqual([expect.stringMatching(/^outside\.\d+\.\d+\.Stop$/), []]);
    expect(readFileSync(join(user.state, "run/hooks", name), "utf8")).toBe('{"session_id":"a"}');
  });

  test("a delegation asks the store that the hooks were installed for", async () => {
    using user = newUser();
    await user.ok(["hooks", "install", "claude"]);
    await user.create("--id", "s1", "--agent", "architect");
    const tool_input = { subagent_type: "architect", prompt: "agent_id: s1", description: "d" };
    const asked = await fire(user, "PreToolUse", { tool_name: "Agent", tool_input, tool_use_id: "t" });
    expect(asked.json).toMatchObject({ hookSpecificOutput: { hookEventName: "PreToolUse" } });
    expect(asked.stdout).toContain("session s1 cannot be taken up (phase_not_resumable)");
    const stop = await fire(user, "SubagentStop", { agent_id: "s1", agent_type: "architect" });
    expect(stop).toMatchObject({ code: 0, stdout: "{}\n", stderr: "" });
    expect((await user.ok(["get", "s1", "--json"])).json.phase).toBe("completed");
    expect(existsSync(join(user.folder, "home/.rollcall"))).toBe(false);
  });

  test("what is installed for the usual state folder names none", async () => {
    using user = newUser();
    const home = join(user.folder, "home/.rollcall");
    await user.ok(["hooks", "install", "claude"], { env: { ROLLCALL_HOME: home } });
    expect(readFileSync(settingsOf(user), "utf8")).not.toContain("ROLLCALL_HOME");
    await fire(user, "PreToolUse", { tool_name: "Agent", tool_input: {} });
    expect(existsSync(join(home, "rollcall.db"))).toBe(true);
  });

  test("the hooks are silent once Rollcall is gone", async () => {
    using user = newUser();
    await user.ok(["hooks", "install", "claude"]);
    const path = settingsOf(user);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replaceAll(user.state, "/gone").replaceAll("/rollcall.cjs", "/gone.cjs"));
    for (const event of EVENTS)
      expect(await fire(user, event, {})).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  test("adds to what is there and leaves every other byte, the mode and a copy of it", async () => {
    using user = newUser();
    const path = write(user, BY_HAND, 0o666);
    const { json } = await user.ok(["hooks", "install", "claude", "--json"]);
    const after = readFileSync(path, "utf8");
    const gone = (json.diff as string[]).filter((line) => line.startsWith("-"));
    expect(gone).toHaveLength(2);
    expect(read(path).hooks.Stop?.[0]?.hooks).toEqual([{ type: "command", command: 'say "done"' }]);
    expect(after.startsWith(BY_HAND.slice(0, BY_HAND.indexOf('"Stop"')))).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o666);
    const backup = json.backup as string;
    expect(backup).toMatch(/settings\.json\.before-rollcall-\d{17}$/);
    expect([readFileSync(backup, "utf8"), statSync(backup).mode & 0o777]).toEqual([BY_HAND, 0o666]);
  });

  test("a second time changes nothing but the script, which is put back", async () => {
    using user = newUser();
    const path = write(user, BY_HAND);
    await user.ok(["hooks", "install", "claude"]);
    const before = [readFileSync(path, "utf8"), statSync(path).mtimeMs, readdirSync(dirname(path)).length];
    writeFileSync(join(user.state, "run/hook.sh"), "broken");
    const again = await user.ok(["hooks", "install", "claude", "--json"]);
    expect(again.json).toMatchObject({ changed: false, backup: null, diff: [] });
    expect([readFileSync(path, "utf8"), statSync(path).mtimeMs, readdirSync(dirname(path)).length]).toEqual(
      before,
    );
    expect(readFileSync(join(user.state, "run/hook.sh"), "utf8")).toMatch(/^#!\/bin\/sh\n/);
  });

  test("hooks of ours that call what is no longer there are replaced, each by one", async () => {
    using user = newUser();
    const path = write(user, BY_HAND);
    await user.ok(["hooks", "install", "claude"]);
    const fresh = readFileSync(path, "utf8");
    writeFileSync(path, fresh.replaceAll(user.state, "/old/place"));
    await user.ok(["hooks", "install", "claude"]);
    expect(readFileSync(path, "utf8")).toBe(fresh);
  });

  test("follows a link to the file, also to one that is not there yet, and CLAUDE_CONFIG_DIR", async () => {
    using user = newUser();
    const env = { CLAUDE_CONFIG_DIR: join(user.folder, "config") };
    mkdirSync(env.CLAUDE_CONFIG_DIR);
    const link = settingsOf(user, "config/settings.json");
    const target = settingsOf(user, "work/dotfiles/claude.json");
    symlinkSync("../work/dotfiles/claude.json", link);
    for (const action of ["install", "remove", "install"]) {
      const { json } = await user.ok(["hooks", action, "claude", "--json"], { env });
      expect([json.path, json.changed]).toEqual([target, true]);
    }
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(Object.keys(read(target).hooks)).toEqual(EVENTS);
    expect(existsSync(settingsOf(user))).toBe(false);
  });

  test("--dry-run only shows, and makes no state folder", async () => {
    using user = newUser();
    const path = write(user, BY_HAND);
    const dry = await user.ok(["hooks", "install", "claude", "--dry-run"]);
    expect(dry.stdout).toMatch(/^@@ -\d+,\d+ \+\d+,\d+ @@$/m);
    expect(dry.stderr).toBe(`9 hooks would be put into ${path}.\n`);
    expect([readFileSync(path, "utf8"), existsSync(user.state)]).toEqual([BY_HAND, false]);
  });

  test("what it shows hides secrets, and what it writes keeps them", async () => {
    using user = newUser();
    const token = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    const path = write(user, JSON.stringify({ env: { ANTHROPIC_API_KEY: token } }, null, 2));
    const shown = await user.ok(["hooks", "install", "claude"]);
    expect(shown.stdout).toContain("[REDACTED");
    expect(shown.stdout).not.toContain(token);
    expect(readFileSync(path, "utf8")).toContain(token);
  });
});

const UNUSABLE: readonly (readonly [what: string, text: string | Uint8Array, says: string])[] = [
  ["broken JSON", "{", "is not valid JSON"],
  ["comments", '{\n  // mine\n  "a": 1\n}', "is not valid JSON"],
  ["a list", "[]", "does not hold a JSON object"],
  ["bytes that are no text", Buffer.from([0x7b, 0xff, 0x7d]), "cannot be read"],
  ["hooks that are no object", '{"hooks":[]}', "`hooks` is not a JSON object"],
  ["an event that is no list", '{"hooks":{"Stop":{}}}', "`hooks.Stop` is not a list"],
];

describe("settings that cannot be understood", () => {
  test.each(UNUSABLE)("are left alone: %s", async (_what, text, says) => {
    using user = newUser();
    const path = write(user, "");
    writeFileSync(path, text);
    const given = await user.rollcall(["hooks", "install", "claude", "--json"]);
    expect([given.code, given.error.code]).toEqual([2, "bad_config"]);
    expect(given.error.message).toContain(says);
    expect(given.error.message).toContain(path);
    expect(readFileSync(path)).toEqual(Buffer.from(text));
    expect([readdirSync(dirname(path)), existsSync(user.state)]).toEqual([["settings.json"], false]);
  });

  test("are left alone: a folder in their place", async () => {
    using user = newUser();
    mkdirSync(settingsOf(user), { recursive: true });
    for (const action of ["install", "remove"]) {
      const given = await user.rollcall(["hooks", action, "claude"]);
      expect([given.code, given.stderr]).toEqual([
        2,
        expect.stringMatching(/^rollcall: [^\n]*cannot be read[^\n]*\n$/),
      ]);
    }
  });
});

describe("hooks remove claude", () => {
  test.each([
    ["written by hand", BY_HAND],
    ["on one line", '{"model":"opus","hooks":{"Stop":[{"hooks":[]}]}}'],
    ["with lines of Windows", BY_HAND.replaceAll("\n", "\r\n")],
    ["with tabs and no hooks", '{\n\t"model": "opus"\n}\n'],
    ["empty", "{}\n"],
  ])("gives settings back byte for byte: %s", async (_what, text) => {
    using user = newUser();
    const path = write(user, text);
    await user.ok(["hooks", "install", "claude"]);
    expect(readFileSync(path, "utf8")).not.toBe(text);
    const removed = await user.ok(["hooks", "remove", "claude", "--json"]);
    expect(removed.json).toMatchObject({ changed: true, path });
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(read(removed.json.backup as string).hooks.SessionEnd).toHaveLength(1);
  });

  test("takes out ours alone, also from a group that has others by now, and keeps what was added since", async () => {
    using user = newUser();
    const path = write(user, BY_HAND);
    await user.ok(["hooks", "install", "claude"]);
    const settings = read(path);
    const theirs = { type: "command", command: "theirs" };
    settings.hooks.SessionEnd?.[0]?.hooks.unshift(theirs);
    settings.hooks.Setup = [{ hooks: [theirs] }];
    writeFileSync(path, JSON.stringify(settings, null, 2));
    await user.ok(["hooks", "remove", "claude"]);
    const before = JSON.parse(BY_HAND) as Settings;
    const added = { SessionEnd: [{ hooks: [theirs] }], Setup: [{ hooks: [theirs] }] };
    expect(read(path)).toEqual({ ...before, hooks: { ...before.hooks, ...added } });
  });

  test("does nothing where none of ours are, and makes no file", async () => {
    using user = newUser();
    const none = await user.ok(["hooks", "remove", "claude"]);
    expect(none.stderr).toBe(`There are no hooks of ours in ${settingsOf(user)}.\n`);
    expect(existsSync(settingsOf(user))).toBe(false);
    const path = write(user, BY_HAND);
    expect((await user.ok(["hooks", "remove", "claude", "--json"])).json).toMatchObject({ changed: false });
    expect(readFileSync(path, "utf8")).toBe(BY_HAND);
  });
});

describe("hooks", () => {
  test("without words shows its help", async () => {
    using user = newUser();
    expect((await user.ok(["hooks"])).stdout).toBe((await user.ok(["help", "hooks"])).stdout);
  });

  test("of agents that have none yet are refused with one sentence", async () => {
    using user = newUser();
    for (const type of ["codex", "gemini", "opencode"]) {
      const given = await user.rollcall(["hooks", "install", type]);
      expect([given.code, given.stderr]).toEqual([
        4,
        `rollcall: There are no hooks for ${type} yet. Offered: claude.\n`,
      ]);
    }
  });
});

describe.runIf(script)("at a terminal", () => {
  test.each([
    ["n", "n\r"],
    ["Ctrl-C", "\u0003"],
  ])("it shows the change and asks; answered with %s it changes nothing", async (_what, keys) => {
    using user = newUser();
    const path = write(user, BY_HAND);
    const typed = [[`Change ${path} like this? [y/N] `, keys]] as const;
    const screen = await atTerminal(user, ["hooks", "install", "claude"], { typed, columns: 300 });
    expect([screen.code, screen.lines.at(-1)]).toEqual([1, "rollcall: Nothing was changed."]);
    expect(screen.lines).toContainEqual(expect.stringMatching(/^\+.*"matcher": "Task\|Agent"/));
    expect([readFileSync(path, "utf8"), existsSync(user.state)]).toEqual([BY_HAND, false]);
  });

  test("answered with y it goes on, --yes does not ask, and neither does what changes nothing", async () => {
    using user = newUser();
    const path = write(user, BY_HAND);
    const typed = [["like this? [y/N] ", "y\r"]] as const;
    const asked = await atTerminal(user, ["hooks", "install", "claude"], { typed, columns: 300 });
    expect([asked.code, asked.lines.at(-2)]).toEqual([0, `9 hooks were put into ${path}.`]);
    const again = await atTerminal(user, ["hooks", "install", "claude"]);
    expect([again.code, again.raw.includes("?")]).toEqual([0, false]);
    const yes = await atTerminal(user, ["hooks", "remove", "claude", "--yes"]);
    expect([yes.code, yes.raw.includes("like this?")]).toEqual([0, false]);
    expect(readFileSync(path, "utf8")).toBe(BY_HAND);
  });
});
