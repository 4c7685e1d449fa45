import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TmuxTerminal } from "./tmux-terminal.ts";
import { gone, isAlive, type LiveUser, newLiveUser, processesOf, until } from "./user.ts";

const DETACH = "C-\\";

test("attach tells how to leave, shows the screen as it is, then what comes, and takes keys", async () => {
  await using user = newLiveUser();
  await shell(user);
  await user.ok(["send", "sh", "echo earlier-$((20+3))"]);
  await until(async () => (await screenOf(user)).includes("earlier-23"), "the first output");
  using terminal = new TmuxTerminal(user).open(["attach", "sh"]);
  await terminal.shows("Attached to sh; Ctrl-\\ detaches.");
  await terminal.shows("earlier-23");
  terminal.type("echo later-$((40+2))");
  terminal.press("Enter");
  await terminal.shows("later-42");
});

test("the detach key leaves the session running and the terminal usable", async () => {
  await using user = newLiveUser();
  await shell(user);
  using terminal = new TmuxTerminal(user).open(["attach", "sh"]);
  await terminal.shows("sh$");
  await until(async () => (await user.get("sh")).attached === true, "the record to say attached");
  terminal.press(DETACH);
  await terminal.shows("left with 0");
  expect(terminal.screen).toContain("rollcall attach sh");
  await until(async () => (await user.get("sh")).attached === false, "the record to say detached");
  expect(await user.get("sh")).toMatchObject({ state: "running" });
});

test("the detach key works from the moment that attach says what it is", async () => {
  await using user = newLiveUser();
  await shell(user);
  using terminal = new TmuxTerminal(user).open(["attach", "sh"]);
  await terminal.shows("Attached to sh; Ctrl-\\ detaches.");
  terminal.press(DETACH);
  await terminal.shows("left with 0");
  expect(terminal.screen).toContain("Detached; sh goes on.");
});

test("a detach key that comes while attach still loads is not lost", async () => {
  await using user = newLiveUser();
  await shell(user);
  const press = join(user.folder, "press.cjs");
  writeFileSync(
    press,
    `process.on("newListener", function press(name) {
      if (name !== "SIGQUIT") return;
      process.off("newListener", press);
      process.nextTick(() => process.kill(process.pid, "SIGQUIT"));
    });`,
  );
  using terminal = new TmuxTerminal(user).open(["attach", "sh"], { nodeOptions: ["--require", press] });
  await terminal.shows("left with 0");
  expect(await user.get("sh")).toMatchObject({ state: "running" });
});

test.each([["attach", "sh"], ["next"]])(
  "the detach key leaves `rollcall %s` while Node itself still starts",
  async (...args) => {
    await using user = newLiveUser();
    using terminal = await heldTerminal(user, args);
    terminal.press(DETACH);
    await terminal.shows("left with 0");
    expect(terminal.screen).toContain(`Detached; come back with \`rollcall ${args.join(" ")}\`.`);
    expect(terminal.screen).not.toContain("Quit");
    expect(attachProcesses(user)).toEqual([]);
  },
);

test("Ctrl-C ends attach while Node itself still starts", async () => {
  await using user = newLiveUser();
  using terminal = await heldTerminal(user, ["attach", "sh"]);
  const person = terminal.panePid;
  terminal.press("C-c");
  // A shell leaves as well when its command was ended by the key, and only then.
  await gone(person);
  expect(attachProcesses(user)).toEqual([]);
});

test("attach exits with the code of its command", async () => {
  await using user = newLiveUser();
  using terminal = new TmuxTerminal(user).open(["attach", "nobody"]);
  await terminal.shows("left with 3");
});

test.each(["SIGTERM", "SIGHUP"] as const)("%s to the attach command detaches", async (signal) => {
  await using user = newLiveUser();
  await shell(user);
  using terminal = new TmuxTerminal(user).open(["attach", "sh"]);
  await terminal.shows("sh$");
  process.kill(victim(user, "its shell"), signal);
  await terminal.shows("left with 0");
  expect(terminal.screen).toContain("Detached; sh goes on.");
  expect(await user.get("sh")).toMatchObject({ state: "running" });
});

test("the command that comes back to a session works in a shell, whatever its name", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--name", "two words", "--", "sleep", "1000"]);
  using terminal = new TmuxTerminal(user).open(["attach", id]);
  await terminal.shows("Attached to two words;");
  terminal.press(DETACH);
  await terminal.shows(`Come back with \`rollcall attach ${id.slice(-6)}\`.`);
});

test("a terminal whose typing another one takes says that it only watches, and its next key types", async () => {
  await using user = newLiveUser();
  await shell(user);
  using first = new TmuxTerminal(user, "first").open(["attach", "sh"]);
  await first.shows("sh$");
  using second = new TmuxTerminal(user, "second").open(["attach", "sh"]);
  await first.shows("Another terminal types now; you watch until you press a key.");
  first.type("echo taken-$((3+4))");
  first.press("Enter");
  await first.shows("taken-7");
  await second.shows("taken-7");
});

test("modes that the agent set are set again at an attach, and off after a detach", async () => {
  await using user = newLiveUser();
  await shell(user);
  await user.ok(["send", "sh", String.raw`printf '\033[?1049h\033[?1000h\033[?2004hin another screen'`]);
  await until(async () => (await screenOf(user)).includes("in another screen"), "the other screen");
  using terminal = new TmuxTerminal(user).open(["attach", "sh"]);
  await terminal.shows("in another screen");
  expect(terminal.modes("alternate_on", "mouse_standard_flag")).toBe("1 1");
  terminal.press(DETACH);
  await terminal.shows("left with 0");
  expect(terminal.modes("alternate_on", "mouse_standard_flag", "mouse_any_flag", "cursor_flag")).toBe(
    "0 0 0 1",
  );
});

test("closing the terminal is a detach", async () => {
  await using user = newLiveUser();
  const { id } = await shell(user);
  const terminal = new TmuxTerminal(user).open(["attach", "sh"]);
  await terminal.shows("sh$");
  terminal.tmux("kill-server");
  await until(async () => (await user.get(id)).attached === false, "the record to say detached");
  expect(await user.get(id)).toMatchObject({ state: "running" });
  expect(attachProcesses(user)).toEqual([]);
});

test.each(["its shell", "the command", "the attach program", "its child"])(
  "kill -9 of %s restores the terminal",
  async (who) => {
    await using user = newLiveUser();
    await shell(user);
    await user.ok(["send", "sh", String.raw`printf '\033[?1049h\033[?1000hin another screen'`]);
    using terminal = new TmuxTerminal(user).open(["attach", "sh"], { afterwards: "PS1='mine$ ' exec sh -i" });
    await terminal.shows("in another screen");
    process.kill(victim(user, who), "SIGKILL");
    // The person's shell goes on at the same time: what it says first may stand on either screen.
    await until(() => attachProcesses(user).length === 0, "attach to leave");
    const areRestored = () => terminal.modes("alternate_on", "mouse_standard_flag") === "0 0";
    await until(areRestored, "the modes to be restored");
    terminal.type("echo typed-$((1+1)) by hand");
    terminal.press("Enter");
    await terminal.shows("typed-2 by hand");
    // Echoed once, and in one line: the line's modes are as they were.
    expect(terminal.screen.split("echo typed-$((1+1)) by hand")).toHaveLength(2);
    expect(await screenOf(user)).not.toContain("by hand");
    expect(await user.get("sh")).toMatchObject({ state: "running" });
  },
);

test("attach works while the daemon is gone", async () => {
  await using user = newLiveUser();
  await shell(user);
  await user.ok(["send", "sh", "echo before-$((1+1))"]);
  await until(async () => (await screenOf(user)).includes("before-2"), "the first output");
  await user.killDaemon();
  using terminal = new TmuxTerminal(user).open(["attach", "sh"]);
  await terminal.shows("before-2");
  terminal.type("echo without-$((2+2))");
  terminal.press("Enter");
  await terminal.shows("without-4");
  terminal.press(DETACH);
  await terminal.shows("left with 0");
  expect(await user.daemonPid()).toBeUndefined();
});

test("next attaches to who waits longest", async () => {
  await using user = newLiveUser();
  await user.start(["scripted", "--name", "first"]);
  await user.reach("first", "waiting_input");
  await user.ok(["send", "first", "say I am the first", "--wait"]);
  await user.start(["scripted", "--name", "second"]);
  await user.reach("second", "waiting_input");
  using terminal = new TmuxTerminal(user).open(["next"]);
  await terminal.shows("I am the first");
});

test("start at a terminal attaches, and an end while attached is told", async () => {
  await using user = newLiveUser();
  using terminal = new TmuxTerminal(user).open(["start", "--name", "sh", "--env", "PS1=sh$ ", "--", "sh"]);
  await terminal.shows("sh$");
  terminal.type("exit 3");
  terminal.press("Enter");
  await terminal.shows("left with 0");
  expect(terminal.screen).toContain("sh has ended (exit 3).");
  expect(await user.reach("sh", "failed")).toMatchObject({ exit_code: 3 });
});

test("the newest attach types, another watches until it takes over", async () => {
  await using user = newLiveUser();
  await shell(user);
  using first = new TmuxTerminal(user, "one").open(["attach", "sh"]);
  await first.shows("sh$");
  using second = new TmuxTerminal(user, "two").open(["attach", "sh"]);
  await second.shows("sh$");
  second.type("echo by-$((1+1))");
  second.press("Enter");
  await first.shows("by-2");
  first.type("echo by-$((1+2))");
  first.press("Enter");
  await second.shows("by-3");
});

test("the tmux view shows the session; killing its server leaves the agent alone", async () => {
  await using user = newLiveUser();
  const { id } = await shell(user, "--tmux");
  await user.ok(["send", "sh", "echo seen-$((3+4))"]);
  await viewShows(user, "seen-7");
  process.kill(Number(viewOf(user, "display-message", "-p", "#{pid}")), "SIGKILL");
  await until(async () => (await user.get(id)).attached === false, "the view to be gone");
  expect(await user.get(id)).toMatchObject({ state: "running" });
  await user.ok(["end", id, "--grace", "500ms"]);
});

test("where the settings want tmux, sessions with a terminal have a view without --tmux, until they end", async () => {
  await using user = newLiveUser();
  await user.ok(["config", "set", "view", "tmux"]);
  const { id } = await shell(user);
  await user.start(["--kind", "autonomous", "--", "cat"]);
  await until(async () => (await user.get(id)).attached === true, "the view to be attached");
  expect(viewsOf(user)).toHaveLength(1);
  await user.ok(["send", "sh", "echo seen-$((3+4))"]);
  await viewShows(user, "seen-7");
  viewOf(user, "kill-session", "-t", `=${viewsOf(user)[0]}`);
  await until(async () => (await user.get(id)).attached === false, "the view to be gone");
  expect(await user.get(id)).toMatchObject({ state: "running" });
  const { id: next } = await user.start(["--", "sleep", "100"]);
  await until(async () => (await user.get(next)).attached === true, "the next view to be attached");
  await user.ok(["end", next, "--grace", "500ms"]);
  await until(() => viewsOf(user).length === 0, "the view to be closed");
});

test("without tmux everything but --tmux works", async () => {
  await using user = newLiveUser();
  const env = { PATH: "/nowhere" };
  const refused = await user.rollcall(["start", "-d", "--tmux", "--json", "--", "/bin/sleep", "100"], {
    env,
  });
  expect(refused).toMatchObject({ code: 4, error: { code: "tmux_missing" } });
  expect((await user.ok(["list", "--json"])).json.sessions).toEqual([]);
  const { id } = await user.start(["--", "/bin/sleep", "100"], { env });
  expect(await user.get(id)).toMatchObject({ state: "running" });
});

test("where the settings want a tmux that is missing, sessions work, and leave nothing behind", async () => {
  await using user = newLiveUser();
  await user.ok(["config", "set", "view", "tmux"]);
  const env = { PATH: "/nowhere" };
  const { id } = await user.start(["--", "/bin/sleep", "100"], { env });
  expect(await user.get(id)).toMatchObject({ state: "running" });
  await user.ok(["end", id, "--grace", "500ms"]);
  expect(user.launchFolders()).toEqual([]);
});

test("attach refuses what has no terminal, in one sentence", async () => {
  await using user = newLiveUser();
  const record = await user.create("--name", "hand");
  expect(await user.rollcall(["attach", record])).toMatchObject({ code: 4 });
  const { id } = await user.start(["--kind", "autonomous", "--", "cat"]);
  expect(await user.rollcall(["attach", id])).toMatchObject({ code: 4 });
  await shell(user);
  expect(await user.rollcall(["attach", "sh"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("terminal"),
  });
});

async function shell(user: LiveUser, ...more: readonly string[]) {
  return user.start(["--name", "sh", ...more, "--env", "PS1=sh$ ", "--", "sh"]);
}

async function screenOf(user: LiveUser): Promise<string> {
  return String((await user.ok(["data", "sh", "--json"])).json.screen);
}

/** Speaks to Rollcall's own tmux server. */
function viewOf(user: LiveUser, ...args: readonly string[]): string {
  return execFileSync("tmux", ["-S", `${user.state}/run/tmux.sock`, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function viewsOf(user: LiveUser): string[] {
  try {
    return viewOf(user, "list-sessions", "-F", "#{session_name}").trim().split("\n");
  } catch {
    // It leaves with its last session.
    return [];
  }
}

async function viewShows(user: LiveUser, text: string): Promise<void> {
  const [view] = viewsOf(user);
  await until(() => viewOf(user, "capture-pane", "-p", "-t", `=${view}:`).includes(text), `${text} in tmux`);
}

function attachProcesses(user: LiveUser): number[] {
  const found = processesOf(user.folder).filter(({ command }) => / attach sh$|rollcall-attach/.test(command));
  return found.map(({ pid }) => pid).filter(isAlive);
}

/** A terminal in which the command is held while its Node still starts. */
async function heldTerminal(user: LiveUser, args: readonly string[]): Promise<TmuxTerminal> {
  const [hold, held] = [join(user.folder, "hold.cjs"), join(user.folder, "held")];
  const wait = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";
  writeFileSync(hold, `require("node:fs").writeFileSync(${JSON.stringify(held)}, ""); ${wait};`);
  const terminal = new TmuxTerminal(user).open(args, { env: { NODE_OPTIONS: `--require=${hold}` } });
  await until(() => existsSync(held), "Node to start");
  return terminal;
}

function victim(user: LiveUser, who: string): number {
  const all = processesOf(user.folder);
  const commands = all.filter(({ command: text }) => / attach sh$/.test(text));
  const isShell = ({ command: text }: { command: string }) => text.startsWith("/bin/sh ");
  const command = commands.find((one) => isShell(one) === (who === "its shell"));
  const attach = all.filter(({ command: text }) => text.includes("rollcall-attach")).map(({ pid }) => pid);
  const pid =
    who === "the command" || who === "its shell"
      ? command?.pid
      : who === "its child"
        ? Math.max(...attach)
        : Math.min(...attach);
  if (pid === undefined) throw new Error(`There is no process for ${who}.`);
  return pid;
}
