// However the client leaves, the user's terminal is as it was before.
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import xterm, { type Terminal } from "@xterm/headless";
import { describe, expect, test } from "vitest";
import { attach, attachCommand, openTerminal, type TestTerminal, untilStatus } from "./attach-bench.ts";
import {
  hasCompiler,
  markedProcesses,
  program,
  readOrEmpty,
  startSession,
  type TestSession,
  until,
} from "./holder-bench.ts";

const MODES = [9, 1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016, 1004, 2004, 2026, 2031, 2048, 1, 6];
const SCREENS = [47, 1047, 1049];

/** Sets all that an agent may set, on an alternate screen or not, and stops in the middle of a title. */
function messUp(screen?: number): string {
  const on = MODES.map((mode) => `\\033[?${mode}h`).join("");
  const alternate = screen === undefined ? "" : `\\033[?${screen}h`;
  const rest = "\\033[?25l\\033[?7l\\033[4h\\033=\\033[>31u\\033[>4;2m\\033[2;5r\\033[5 q\\033(0\\033[1;31m";
  return `printf '${alternate}${on}${rest}\\033[10;10Hmess\\033]0;cut'; `;
}

const quoted = (dir: string) => attachCommand(dir).join(" ");

/** The shell goes on when the file is there: the client may leave after its keeper, which is all that a shell waits for. */
const untilGone = (session: TestSession) => `until [ -e ${session.dir}/gone ]; do sleep 0.02; done; `;

async function clientGone(session: TestSession, isThere: () => boolean): Promise<void> {
  await until(() => !isThere() || undefined, "the client to leave");
  writeFileSync(join(session.dir, "gone"), "");
}

/** A shell that shows its line's modes, attaches, and shows them again. */
function around(session: TestSession): Promise<TestTerminal> {
  const show = (name: string) => `echo ${name}=$(stty -g).; `;
  const attaching = `${quoted(session.dir)}; echo code=$?.; ${untilGone(session)}`;
  return openTerminal(["sh", "-c", `${show("before")}${attaching}${show("after")}sleep 60`]);
}

/** The value that the shell showed. */
async function said(terminal: TestTerminal, name: string): Promise<string> {
  const find = () => new RegExp(`${name}=([^.]*)\\.`).exec(terminal.received().toString("latin1"))?.[1];
  return until(find, name);
}

/** A real emulator that got every byte. */
async function emulate(terminal: TestTerminal): Promise<Terminal> {
  const screen = new xterm.Terminal({ cols: 120, rows: 40, allowProposedApi: true });
  await new Promise<void>((resolve) => screen.write(terminal.received(), resolve));
  return screen;
}

async function expectClean(terminal: TestTerminal): Promise<void> {
  const received = terminal.received().toString("latin1");
  const reset = received.slice(received.lastIndexOf("mess"));
  for (const mode of MODES) expect(reset).toContain(`\x1b[?${mode}l`);
  for (const other of [
    "\x1b[<99u",
    "\x1b[=0u",
    "\x1b[>4m",
    "\x1b[?25h",
    "\x1b[?7h",
    "\x1b[r",
    "\x1b>",
    "\x1b[4l",
  ])
    expect(reset).toContain(other);
  const screen = await emulate(terminal);
  expect(screen.buffer.active.type).toBe("normal");
  expect(screen.modes).toMatchObject({
    applicationCursorKeysMode: false,
    applicationKeypadMode: false,
    bracketedPasteMode: false,
    insertMode: false,
    mouseTrackingMode: "none",
    originMode: false,
    sendFocusMode: false,
    wraparoundMode: true,
  });
  screen.dispose();
}

/** Whatever the shell writes next begins a line of its own. */
async function expectFreshLine(terminal: TestTerminal, text: string): Promise<void> {
  const { active } = (await emulate(terminal)).buffer;
  const lines = Array.from({ length: active.length }, (_, i) => active.getLine(i)?.translateToString(true));
  expect(lines.filter((line) => line?.includes(text))).toEqual([text]);
}

const WAYS: Readonly<Record<string, (terminal: TestTerminal, session: TestSession) => unknown>> = {
  "a detach": (terminal) => terminal.type("\x1c"),
  "the end of the agent": async (_, session) => {
    await using client = await session.connect();
    client.holder.end(0);
  },
  "kill -9 of the view": async (terminal) => process.kill((await terminal.clients()).view, "SIGKILL"),
  "kill -9 of the keeper": async (terminal) => process.kill((await terminal.clients()).keeper, "SIGKILL"),
  SIGTERM: async (terminal) => process.kill((await terminal.clients()).keeper, "SIGTERM"),
};

describe.skipIf(!hasCompiler)("the user's terminal", () => {
  const cases = Object.entries(WAYS).flatMap(([name, leave]) =>
    [undefined, ...SCREENS].map((screen) => ({ name, leave, screen })),
  );

  test.each(cases)("is as it was after $name, on screen $screen", async ({ leave, screen }) => {
    await using session = await startSession(["sh", "-c", `stty -echo; ${messUp(screen)}sleep 60`], {
      host: "pty",
    });
    await session.says("cut");
    await using terminal = await around(session);
    await until(() => terminal.received().includes("cut") || undefined, "the mess");
    await leave(terminal, session);
    const code = await said(terminal, "code");
    await clientGone(session, () => terminal.hasClients());
    expect(await said(terminal, "after")).toBe(await said(terminal, "before"));
    await expectClean(terminal);
    // Without its job the shell goes on at once, whatever the screen is at that moment.
    if (leave !== WAYS["kill -9 of the keeper"]) await expectFreshLine(terminal, `code=${code}.`);
  });

  test("tells by its exit code how it was left", async () => {
    await using session = await startSession(["sleep", "60"], { host: "pty" });
    const codes: Record<string, string> = {};
    for (const [name, leave] of Object.entries(WAYS)) {
      if (name === "the end of the agent") continue;
      await using terminal = await around(session);
      await terminal.begun();
      await leave(terminal, session);
      codes[name] = await said(terminal, "code");
    }
    expect(codes).toEqual({
      "a detach": "0",
      SIGTERM: "0",
      "kill -9 of the view": "137",
      "kill -9 of the keeper": "137",
    });
  });

  test("is a shell's own again after kill -9 of the keeper", async () => {
    await using session = await startSession(["sleep", "60"], { host: "pty" });
    await using terminal = await openTerminal(["bash", "--norc", "-i"], {
      env: { PS1: "prompt> ", TERM: "xterm" },
    });
    await until(() => terminal.received().includes("prompt>") || undefined, "a prompt");
    terminal.type(`${quoted(session.dir)}\n`);
    await terminal.begun();
    process.kill((await terminal.clients()).keeper, "SIGKILL");
    await until(() => terminal.received().includes("Killed") || undefined, "the word of the shell");
    await using client = await session.connect();
    await untilStatus(client, (status) => status.viewers === 0);
    terminal.type("echo one$((1+1))\n");
    await until(() => terminal.received().includes("one2") || undefined, "the answer of the shell");
    // Echoed once: by the shell's editor, not by the line too.
    expect(terminal.received().toString().split("echo one$((1+1))")).toHaveLength(2);
  });

  test("keeps what was shown, without modes, when the session only wrote text", async () => {
    await using session = await startSession(["sh", "-c", "stty -echo; printf 'the words'; sleep 60"], {
      host: "pty",
    });
    await using terminal = await around(session);
    await terminal.shows("the words");
    terminal.type("\x1c");
    await said(terminal, "code");
    const { active } = (await emulate(terminal)).buffer;
    const lines = Array.from({ length: active.length }, (_, i) => active.getLine(i)?.translateToString(true));
    expect(lines).toContain("the words");
    expect(terminal.received().toString()).not.toContain("\x1b[?1049l");
  });

  test("shows the same as the session's own screen", async () => {
    const script =
      "stty -echo; for i in 1 2 3; do printf 'line %s\\r\\n' $i; done; printf '\\033[?1049h\\033[3;7Hfull \\033[7mscreen'; read x";
    await using session = await startSession(["sh", "-c", script], { host: "pty", cols: 120, rows: 40 });
    await session.says("screen");
    await using terminal = await attach(session);
    await terminal.shows("screen");
    const shown = await emulate(terminal);
    expect(shown.buffer.active.type).toBe("alternate");
    expect(shown.buffer.active.getLine(2)?.translateToString(true)).toBe("      full screen");
    expect(shown.buffer.normal.getLine(2)?.translateToString(true)).toBe("line 3");
  });

  test("is not waited for when it takes nothing any more", async () => {
    await using session = await startSession(
      ["sh", "-c", `${program("probe")} flood-on-key 3000000; sleep 60`],
      { host: "pty" },
    );
    await using terminal = await attach(session);
    const { view, keeper } = await terminal.clients();
    process.kill(terminal.session.pids.holder, "SIGSTOP");
    await using client = await session.connect();
    client.holder.input("k");
    await client.has("detached");
    process.kill(keeper, "SIGTERM");
    await until(() => !isRunning(view) || undefined, "the view to leave a terminal that is stuck");
    process.kill(terminal.session.pids.holder, "SIGCONT");
    expect(await terminal.left()).toBe(0);
  });
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) process.stdout.write("not run: a terminal of another user needs root\n");

describe.skipIf(!hasCompiler || !isRoot)("a terminal of another user, which cannot be opened anew", () => {
  test.each(["a detach", "kill -9 of the view", "kill -9 of the keeper"])(
    "blocks again after %s",
    async (way) => {
      await using session = await startSession(["sleep", "60"], { host: "pty" });
      for (const path of [session.dir, join(session.dir, "socket")]) chownSync(path, 65534, 65534);
      const folder = mkdtempSync(join(tmpdir(), "rh-"));
      chmodSync(folder, 0o755);
      const [binary = "", ...args] = attachCommand(session.dir);
      const copy = join(folder, "attach");
      copyFileSync(binary, copy);
      const show = (name: string) => `echo ${name}=$(grep flags /proc/self/fdinfo/0)$(stty -g).; `;
      const asNobody = `setpriv --reuid=65534 --clear-groups ${copy} ${args.join(" ")}`;
      const script = `${show("before")}${asNobody}; ${untilGone(session)}${show("after")}sleep 60`;
      await using terminal = await openTerminal(["sh", "-c", script]);
      await terminal.begun();
      const clients = () =>
        markedProcesses(terminal.session.marker).filter((pid) =>
          readOrEmpty(`/proc/${pid}/cmdline`).startsWith(`${copy}\0`),
        );
      const [keeper = 0, view = 0] = clients();
      expect(readOrEmpty(`/proc/${view}/fdinfo/0`)).toMatch(/flags:\s+\d*[4567]\d{3}\n/);
      if (way === "a detach") terminal.type("\x1c");
      else process.kill(way === "kill -9 of the view" ? view : keeper, "SIGKILL");
      await clientGone(session, () => clients().length > 0);
      expect(await said(terminal, "after")).toBe(await said(terminal, "before"));
      rmSync(folder, { recursive: true });
    },
  );
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
