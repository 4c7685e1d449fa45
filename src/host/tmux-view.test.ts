import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInChild } from "../testing/run-in-child.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { allPids, isAlive, readOrEmpty, until } from "./holder-bench.ts";
import { closeTmuxView, listTmuxViews, openTmuxView, tmuxAttachCommand } from "./tmux-view.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux) {
  const sentence = "not run: tmux is missing (apt-get install tmux)";
  if (process.env.CI === "true") throw new Error(sentence);
  process.stdout.write(`${sentence}\n`);
}

const SLEEP = ["sleep", "600"];
const HARD_NAMES = [
  "#(touch owned)",
  "#{pid}",
  "a;b",
  "a;",
  ";",
  "a\\;",
  "-t x",
  "=x:1.2",
  "a.b:c",
  "$(touch owned) `touch owned`",
  "x".repeat(200),
  "ünïcode 世界 🚀",
  "two\nlines",
];

describe.skipIf(!hasTmux)("a view in tmux", () => {
  test("runs its command in a terminal of the size given, with the environment given", async () => {
    await using place = await tmuxPlace();
    const file = join(place.socketDir, "said");
    const script = 'echo "$(stty size) $GIVEN $1 $TERM" > "$0"; sleep 600';
    const command = ["sh", "-c", script, file, "an argument;"];
    await openTmuxView({ ...place, sessionId: "a", command, env: { GIVEN: "some;" }, cols: 90, rows: 30 });
    expect(await said(file)).toBe("30 90 some; an argument; tmux-256color\n");
  });

  test("runs a command of one word without a shell", async () => {
    await using place = await tmuxPlace();
    await openTmuxView({ ...place, sessionId: "a", command: ["cat"] });
    await until(() => panes(place)[0]?.command === "cat" || undefined, "the command to run");
    await expect(
      openTmuxView({ ...place, sessionId: "b", command: ["touch owned; cat"] }),
    ).resolves.toBeUndefined();
    expect(existsSync(join("/", "owned"))).toBe(false);
  });

  test.each(HARD_NAMES)(
    "takes %j as the id of a session, its title and an argument, and nothing of it runs",
    async (name) => {
      await using place = await tmuxPlace();
      const file = join(place.socketDir, "said");
      const command = ["sh", "-c", 'printf "%s" "$1" > "$0"; sleep 600', file, name];
      await openTmuxView({ ...place, sessionId: name, command, title: name, env: { TITLE: name } });
      expect(await said(file)).toBe(name);
      expect(await listTmuxViews(place)).toEqual([{ sessionId: name, viewers: 0 }]);
      expect(tmux(place, "list-sessions", "-F", "#{session_name}")).toMatch(/^rc_[0-9a-f]{32}\n$/);
      expect(tmux(place, "list-sessions", "-F", "#{@rollcall_title}")).toBe(`${name.replace("\n", " ")}\n`);
      await closeTmuxView({ ...place, sessionId: name });
      expect(await listTmuxViews(place)).toEqual([]);
      for (const folder of [place.socketDir, "/", process.cwd()])
        expect(existsSync(join(folder, "owned"))).toBe(false);
    },
  );

  test("does not take one name for another that begins alike", async () => {
    await using place = await tmuxPlace();
    await openTmuxView({ ...place, sessionId: "fox-1234", command: SLEEP });
    await openTmuxView({ ...place, sessionId: "fox-123", command: SLEEP });
    await closeTmuxView({ ...place, sessionId: "fox-12" });
    await closeTmuxView({ ...place, sessionId: "fox-123" });
    expect(await listTmuxViews(place)).toEqual([{ sessionId: "fox-1234", viewers: 0 }]);
  });

  test("is opened once, and closed as often as you like", async () => {
    await using place = await tmuxPlace();
    const target = { ...place, sessionId: "a" };
    await openTmuxView({ ...target, command: SLEEP });
    // Its command may not be there yet at the first look.
    const pids = () => panes(place).map(({ pid }) => pid);
    const first = pids();
    await openTmuxView({ ...target, command: SLEEP });
    expect(pids()).toEqual(first);
    for (let i = 0; i < 3; i++) await closeTmuxView(target);
    expect(await listTmuxViews(place)).toEqual([]);
  });

  test("is found again by another process", async () => {
    await using place = await tmuxPlace();
    const options = JSON.stringify({ ...place, sessionId: "a", command: SLEEP });
    await runInChild(
      `import { openTmuxView } from "${join(import.meta.dirname, "tmux-view.ts")}"; await openTmuxView(${options});`,
    );
    expect(await listTmuxViews(place)).toEqual([{ sessionId: "a", viewers: 0 }]);
  });

  test("is gone when its command ends", async () => {
    await using place = await tmuxPlace();
    await openTmuxView({ ...place, sessionId: "a", command: SLEEP });
    await openTmuxView({ ...place, sessionId: "b", command: ["sh", "-c", "exit 3"] });
    await until(() => panes(place).length === 1 || undefined, "the view to go");
    expect(await listTmuxViews(place)).toEqual([{ sessionId: "a", viewers: 0 }]);
  });

  test("loses with a killed server only what its pane ran, and can be opened again", async () => {
    await using place = await tmuxPlace();
    await openTmuxView({ ...place, sessionId: "a", command: SLEEP });
    const [pane] = panes(place);
    const server = Number(tmux(place, "display-message", "-p", "#{pid}"));
    process.kill(server, "SIGKILL");
    await until(() => (!isAlive(server) && !isAlive(pane?.pid ?? 0)) || undefined, "server and pane to go");
    expect(existsSync(join(place.socketDir, "tmux.sock"))).toBe(true);
    expect(await listTmuxViews(place)).toEqual([]);
    await openTmuxView({ ...place, sessionId: "a", command: SLEEP });
    expect(await listTmuxViews(place)).toHaveLength(1);
  });

  test("is attached to by the command for people, and detached from by the prefix and d", async () => {
    await using place = await tmuxPlace();
    const target = { ...place, sessionId: "a" };
    await openTmuxView({ ...target, command: ["sh", "-c", "echo here; cat"] });
    // Another tmux is the terminal of the person.
    await using outer = await tmuxPlace();
    await openTmuxView({ ...outer, sessionId: "outer", command: tmuxAttachCommand(target) });
    await until(() => tmux(outer, "capture-pane", "-p").includes("here") || undefined, "the pane to show");
    expect(await listTmuxViews(place)).toEqual([{ sessionId: "a", viewers: 1 }]);
    tmux(outer, "send-keys", "-H", "11", "64");
    await until(() => tmux(place, "list-clients") === "" || undefined, "the detach");
    expect(await listTmuxViews(place)).toEqual([{ sessionId: "a", viewers: 0 }]);
  });

  test("hands no variable of this process to its panes", async () => {
    await using place = await tmuxPlace();
    process.env.ROLLCALL_TEST_SECRET = "secret";
    try {
      await openTmuxView({ ...place, sessionId: "a", command: SLEEP });
    } finally {
      delete process.env.ROLLCALL_TEST_SECRET;
    }
    expect(readFileSync(`/proc/${panes(place)[0]?.pid}/environ`, "utf8")).not.toContain("secret");
  });

  test("has its socket in a folder that is closed to others", async () => {
    await using place = await tmuxPlace();
    mkdirSync(place.socketDir, { recursive: true });
    chmodSync(place.socketDir, 0o755);
    await openTmuxView({ ...place, sessionId: "a", command: SLEEP });
    expect(statSync(place.socketDir).mode & 0o777).toBe(0o700);
  });

  test("is told apart from a machine without tmux by a code", async () => {
    using folder = tempFolder();
    const place = { socketDir: join(folder.path, "run"), tmux: join(folder.path, "tmux") };
    const missing = { code: "tmux_missing", hint: expect.stringContaining("rollcall attach") };
    await expect(openTmuxView({ ...place, sessionId: "a", command: SLEEP })).rejects.toMatchObject(missing);
    await expect(listTmuxViews(place)).rejects.toMatchObject(missing);
  });
});

interface TestPlace extends AsyncDisposable {
  readonly socketDir: string;
}

/** A server of its own, ended with all it runs at the end of the block. */
async function tmuxPlace(): Promise<TestPlace> {
  const folder = tempFolder();
  const socketDir = join(folder.path, "run");
  return Object.defineProperty({ socketDir } as TestPlace, Symbol.asyncDispose, {
    enumerable: false,
    value: async () => {
      spawnSync("tmux", ["-S", join(socketDir, "tmux.sock"), "kill-server"]);
      await until(() => serversOf(socketDir).length === 0 || undefined, "the server to leave");
      folder[Symbol.dispose]();
    },
  });
}

function serversOf(socketDir: string): number[] {
  return allPids().filter(
    (pid) => isAlive(pid) && readOrEmpty(`/proc/${pid}/cmdline`).includes(`${socketDir}/tmux.sock`),
  );
}

function tmux({ socketDir }: TestPlace, ...words: string[]): string {
  const env = { ...process.env, LC_ALL: "C.UTF-8" };
  return execFileSync("tmux", ["-S", join(socketDir, "tmux.sock"), ...words], { encoding: "utf8", env });
}

function panes(place: TestPlace): { readonly pid: number; readonly command: string }[] {
  const lines = tmux(place, "list-panes", "-a", "-F", "#{pane_pid} #{pane_current_command}")
    .trim()
    .split("\n");
  return lines.map((line) => {
    const [pid, command = ""] = line.split(" ");
    return { pid: Number(pid), command };
  });
}

async function said(path: string): Promise<string> {
  return until(() => readOrEmpty(path) || undefined, "what the pane says");
}
