import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test, vi } from "vitest";
import { readRecording } from "../../src/recording/recording-segments.ts";
import type { Shown } from "../cli/rollcall.ts";
import { gone, isAlive, processesOf, until } from "../live/user.ts";
import { type FaultUser, newFaultUser, reaches } from "./fault-user.ts";
import { missingTool, mountTmpfs, whyNot } from "./mounts.ts";
import { PATIENCE_MS, report } from "./scale.ts";
import { hasProgram, sh } from "./sh.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const noPrlimit = hasProgram("prlimit") ? undefined : missingTool("prlimit", "apt-get install util-linux");
if (noPrlimit !== undefined) report(`no file descriptors left: not run: ${noPrlimit}`);

test.skipIf(noPrlimit !== undefined)(
  "a daemon without file descriptors says so, and its sessions are fine",
  async () => {
    await using user = newFaultUser();
    const session = await user.start(["--", "cat"]);
    const daemon = (await user.daemonPid()) as number;
    using client = await user.door();
    const open = readdirSync(`/proc/${daemon}/fd`).length;
    sh("prlimit", "--pid", String(daemon), `--nofile=${open + 2}:`);
    const { env, workspace: cwd } = user;
    const start = { agentType: "unknown", args: ["sleep", "600"], env, cwd };
    await expect(client.call("start_session", start)).rejects.toMatchObject({
      message: expect.stringMatching(/too many files are open/),
    });
    expect(isAlive(pidOf(session))).toBe(true);
    sh("prlimit", "--pid", String(daemon), "--nofile=10000:");
    await user.ok(["send", session.id, "still here"]);
    expect(await user.get(session.id)).toMatchObject({ state: "running" });
    const next = await user.start(["--", "sleep", "600"]);
    await user.ok(["end", session.id, next.id, "--grace", "1s"]);
  },
);

describe("a spool that is full because there is no daemon", { concurrent: true }, () => {
  const SIZE = 20_000_000;

  test("lets the writer of a pipe wait, and nothing is lost once the daemon is back", async () => {
    await using user = newFaultUser();
    const { session, done } = await floodWithout(user, "autonomous", `seq 1 3000000 | head -c ${SIZE}`);
    await until(async () => spooled(user, session) >= 16 * 1024 * 1024 - 65_536, "the spool to be full");
    expect(existsSync(done)).toBe(false);
    expect(isAlive(pidOf(session))).toBe(true);
    await user.up();
    await reaches(user, session.id, { state: "stopped", exit_code: 0 });
    await using rollcall = await user.library();
    const entries = await Array.fromAsync(rollcall.entries(session.id));
    const text = entries.map((entry) => entry.text).join("");
    expect(text.length).toBe(SIZE);
    expect(text).toBe(numbers().slice(0, SIZE));
  });

  test("drops the oldest bytes of a terminal, which never waits, and the recording says so", async () => {
    await using user = newFaultUser();
    const { session, done } = await floodWithout(
      user,
      "interactive",
      `stty -opost; seq 1 3000000 | head -c ${SIZE}`,
    );
    await until(() => existsSync(done), "the agent to be done");
    await user.up();
    await reaches(user, session.id, { state: "stopped", exit_code: 0 });
    const recording = [...readRecording(join(user.state, "recordings", session.id))];
    const dropped = recording.flatMap(([, kind, text]) =>
      kind === "m" && text.endsWith("dropped") ? [Number.parseInt(text, 10)] : [],
    );
    const kept = recording.map(([, kind, text]) => (kind === "o" ? text : "")).join("");
    expect(dropped).toHaveLength(1);
    expect((dropped[0] as number) + kept.length).toBe(SIZE);
    expect(numbers().slice(0, SIZE).endsWith(kept.slice(-1_000_000))).toBe(true);
  });

  async function floodWithout(
    user: FaultUser,
    kind: string,
    command: string,
  ): Promise<{ readonly session: Shown; readonly done: string }> {
    const [gate, done] = [join(user.folder, "gate"), join(user.folder, "done")];
    const script = `while [ ! -e ${gate} ]; do sleep 0.02; done; ${command}; touch ${done}`;
    const session = await user.start(["--kind", kind, "--", "sh", "-c", script]);
    await user.killDaemon();
    writeFileSync(gate, "");
    return { session, done };
  }

  function spooled(user: FaultUser, session: Shown): number {
    const { folder } = user.holderOf(session);
    const names = readdirSync(folder).filter((name) => name.startsWith("out-"));
    return names.reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0);
  }
});

let counted = "";
/** What `seq 1 3000000` says. */
function numbers(): string {
  counted ||= Array.from({ length: 3_000_000 }, (_, n) => `${n + 1}\n`).join("");
  return counted;
}

const noMounts = whyNot("tmpfs");
if (noMounts !== undefined) report(`full runtime folder: not run: ${noMounts}`);

describe.skipIf(noMounts !== undefined)("a full runtime folder", () => {
  test("refuses a start in one sentence; what runs can be ended", async () => {
    await using user = newFaultUser();
    await using folder = smallRuntimeFolder(user);
    const session = await user.start(["--", "sleep", "600"]);
    folder.fill();
    const refused = await user.rollcall(["start", "-d", "--", "sleep", "600"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/full/);
    expect(refused.stderr.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(2);
    expect(await user.get(session.id)).toMatchObject({ state: "running" });
    await user.ok(["end", session.id, "--grace", "1s"]);
    expect(await user.get(session.id)).toMatchObject({ state: "stopped", exit_signal: "SIGTERM" });
    folder.makeRoom();
    const next = await user.start(["--", "sleep", "600"]);
    await user.ok(["end", next.id, "--grace", "1s"]);
    expect(user.launchFolders()).toEqual([]);
  });

  test.each([["killed"], ["stopped"]])("while the daemon is %s: the next one ends what runs", async (how) => {
    await using user = newFaultUser();
    await using folder = smallRuntimeFolder(user);
    const { id } = await user.start(["--", "sleep", "600"]);
    if (how === "killed") await user.killDaemon();
    else await user.ok(["down"]);
    folder.fill();
    await user.ok(["end", id, "--grace", "1s"]);
    expect(await user.get(id)).toMatchObject({ state: "stopped", exit_signal: "SIGTERM" });
    expect(user.launchFolders()).toEqual([]);
  });
});

describe.skipIf(noMounts !== undefined)("a full disk, store and all", () => {
  test("does not keep an agent from being ended, which is recorded when there is room", async () => {
    await using user = newFaultUser();
    await using folder = smallFolder(user, user.state, "8m");
    const session = await user.start(["--", "sleep", "600"]);
    folder.fill();
    const answer = await user.rollcall(["end", session.id, "--grace", "1s", "--json"]);
    expect(answer).toMatchObject({ code: 1, error: { code: "store_full" } });
    expect(answer.error.message).toContain(`the processes of session ${session.id} are ended`);
    await gone(pidOf(session));
    folder.makeRoom();
    await reaches(user, session.id, { state: "stopped", outcome: "interrupted", exit_signal: "SIGTERM" });
    await until(() => user.launchFolders().length === 0, "its files to go");
  });

  test("between a record and its process leaves no process behind", async () => {
    await using user = newFaultUser();
    await using folder = smallFolder(user, user.state, "8m");
    const daemon = await user.up({ ROLLCALL_FAULT: "start.spawned:1:SIGSTOP" });
    const starting = user.rollcall(["start", "-d", "--id", "full", "--json", "--", "sleep", "600"]);
    await until(() => /^State:\s+T/m.test(readFileSync(`/proc/${daemon}/status`, "utf8")), "its stop");
    folder.fill();
    process.kill(daemon, "SIGCONT");
    expect(await starting).toMatchObject({ code: 1, error: { code: "store_full" } });
    const isAgent = ({ command }: { readonly command: string }) => command === "sleep 600";
    await until(() => !processesOf(user.folder).some(isAgent), "the agent to leave");
    folder.makeRoom();
    await reaches(user, "full", { state: "stopped", outcome: "interrupted" });
  });
});

interface SmallFolder extends AsyncDisposable {
  fill(): void;
  makeRoom(): void;
}

function smallRuntimeFolder(user: FaultUser): SmallFolder {
  return smallFolder(user, join(user.state, "run"), "1m");
}

/** At the end nothing may run any more that has it open. */
function smallFolder(user: FaultUser, path: string, size: string): SmallFolder {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const mount = mountTmpfs(path, `size=${size}`);
  const fill = join(path, "fill");
  return {
    fill: () => {
      for (let size = 65_536; size >= 1; size >>= 1) fillWith(fill, size);
    },
    makeRoom: () => rmSync(fill, { force: true }),
    [Symbol.asyncDispose]: async () => {
      rmSync(fill, { force: true });
      await user.rollcall(["down", "--end-all", "--grace", "500ms"]);
      mount[Symbol.dispose]();
    },
  };
}

describe("a store that takes nothing for a while", { concurrent: true }, () => {
  test.each([
    ["autonomous", "could not be kept yet"],
    ["interactive", "could not read the transcript"],
  ])("costs an %s agent nothing of what it says meanwhile", async (kind, complaint) => {
    await using user = newFaultUser();
    const { id } = await user.start(["scripted", "--kind", kind]);
    await user.reach(id, "waiting_input");
    const words = Array.from({ length: 30 }, (_, n) => `say word ${n}`);
    const gate = join(user.folder, "gate");
    await user.ok(["send", id, `run until [ -e ${gate} ]; do sleep 0.02; done ; ${words.join(" ; ")}`]);
    await user.reach(id, "running");
    {
      using _ = lockedStore(join(user.state, "rollcall.db"));
      writeFileSync(gate, "");
      const isRefused = () => readFileSync(join(user.state, "daemon.log"), "utf8").includes(complaint);
      // It waits ten seconds for whoever writes, more than once.
      await until(isRefused, "the daemon to be refused").catch(() => until(isRefused, complaint));
    }
    await reaches(user, id, { state: kind === "autonomous" ? "stopped" : "waiting_input" });
    await using rollcall = await user.library();
    const entries = await Array.fromAsync(rollcall.entries(id));
    const said = entries.filter(({ role, kind: what }) => role === "assistant" && what === "text");
    expect(said.map(({ text }) => text)).toEqual(words.map((_, n) => `word ${n}`));
  });

  test("costs a terminal nothing but the time of its last output", async () => {
    await using user = newFaultUser();
    const { id } = await user.start(["--", "sh", "-c", "while :; do echo tick; sleep 0.1; done"]);
    const log = () => readFileSync(join(user.state, "daemon.log"), "utf8");
    {
      using _ = lockedStore(join(user.state, "rollcall.db"));
      const isRefused = () =>
        /live facts could not be written|unhandled rejection|invalid message from holder/.test(log());
      await until(isRefused, "the daemon to be refused").catch(() => until(isRefused, "the same"));
    }
    expect(log()).not.toMatch(/unhandled rejection|invalid message from holder/);
    await user.ok(["end", id, "--grace", "1s"]);
    expect(user.launchFolders()).toEqual([]);
  });
});

/** Someone else writes, and does not come to an end. */
function lockedStore(path: string): Disposable {
  const db = new Database(path);
  db.exec("BEGIN IMMEDIATE");
  return {
    [Symbol.dispose]: () => {
      db.exec("ROLLBACK");
      db.close();
    },
  };
}

function fillWith(path: string, size: number): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(size), { flag: "a" });
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
  }
}

describe("a runtime folder deleted under its session", { concurrent: true }, () => {
  test("does not end it, and it can be ended with its real exit", async () => {
    await using user = newFaultUser();
    const session = await user.start(["--", "cat"]);
    rmSync(user.holderOf(session).folder, { recursive: true });
    await user.ok(["send", session.id, "hello"]);
    expect(await user.get(session.id)).toMatchObject({ state: "running" });
    await user.ok(["end", session.id, "--grace", "1s"]);
    expect(await user.get(session.id)).toMatchObject({ state: "stopped", exit_signal: "SIGTERM" });
  });

  test("while there is no daemon: nothing is left of it, and it is unknown", async () => {
    await using user = newFaultUser();
    const session = await user.start(["--", "sleep", "600"]);
    const { folder } = user.holderOf(session);
    await user.killDaemon();
    rmSync(folder, { recursive: true });
    await user.up();
    await reaches(user, session.id, { state: "unknown", outcome: null });
    await until(() => !isAlive(pidOf(session)), "the agent to be ended");
    const daemon = await user.daemonPid();
    await until(() => processesOf(user.folder).every(({ pid }) => pid === daemon), "nothing to be left");
  });
});

function pidOf(session: Shown): number {
  return (session.process as { pid: number }).pid;
}
