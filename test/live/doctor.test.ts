import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { endByFile } from "../../src/host/holder.ts";
import { gone, isAlive, type LiveUser, newLiveUser, processesOf, until } from "./user.ts";

interface Check {
  readonly name: string;
  readonly status: string;
  readonly detail: string;
  readonly hint: string | null;
}

async function checks(user: LiveUser, ...args: string[]): Promise<Readonly<Record<string, Check>>> {
  const { json } = await user.rollcall(["doctor", ...args, "--json"]);
  return Object.fromEntries((json.checks as Check[]).map((check) => [check.name, check]));
}

interface Decoy extends AsyncDisposable {
  readonly pid: number;
}

/** A process of the test's own that is what its environment says. */
async function decoy(
  env: Readonly<Record<string, string>>,
  script = "echo up; exec sleep 1000",
): Promise<Decoy> {
  const child: ChildProcess = spawn("sh", ["-c", script], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const closed = once(child, "close");
  await once(child.stdout as NonNullable<ChildProcess["stdout"]>, "data");
  return {
    pid: child.pid as number,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await closed;
    },
  };
}

function sleepers(user: LiveUser): number[] {
  const found = processesOf(user.folder).filter(({ command }) => command === "sleep 1000");
  return found.map(({ pid }) => pid);
}

function anyMarker(): string {
  return randomBytes(16).toString("hex");
}

test("doctor says of a healthy place that it is, without and with a daemon", async () => {
  await using user = newLiveUser();
  const before = await checks(user);
  expect(Object.values(before).filter(({ status }) => status !== "ok")).toEqual([]);
  expect(before.daemon?.detail).toContain("does not run");
  const { id } = await user.start(["--", "sleep", "1000"]);
  const after = await checks(user);
  expect(Object.values(after).filter(({ status }) => status !== "ok")).toEqual([]);
  expect(after.daemon?.detail).toContain(`pid ${await user.daemonPid()}`);
  await user.ok(["end", id]);
});

test("doctor lists what is left of launches by pid and command, and only --fix ends it", async () => {
  await using user = newLiveUser();
  await user.create();
  await using orphan = await decoy({ ROLLCALL_SESSION: anyMarker(), ROLLCALL_HOME: user.state });
  const { orphans } = await checks(user);
  expect(orphans).toMatchObject({
    status: "warning",
    detail: expect.stringContaining(`${orphan.pid} (sleep 1000)`),
    hint: "`rollcall doctor --fix` ends them.",
  });
  expect(isAlive(orphan.pid)).toBe(true);
  expect(await checks(user, "--fix")).toMatchObject({ orphans: { status: "ok" } });
  expect(isAlive(orphan.pid)).toBe(false);
});

test("doctor --fix ends what does not want to go", async () => {
  await using user = newLiveUser();
  await user.create();
  const stubborn = "trap '' TERM HUP INT; echo up; while :; do sleep 1000; done";
  const env = { ROLLCALL_SESSION: anyMarker(), ROLLCALL_HOME: user.state };
  await using orphan = await decoy(env, stubborn);
  expect(await checks(user, "--fix")).toMatchObject({ orphans: { status: "ok" } });
  expect(isAlive(orphan.pid)).toBe(false);
});

test("doctor --fix ends what carries the marker of a session that has ended", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sleep", "1000"]);
  const marker = basename(user.launchFolders()[0] as string);
  await user.ok(["end", id]);
  await using orphan = await decoy({ ROLLCALL_SESSION: marker, ROLLCALL_HOME: user.state });
  expect(await checks(user, "--fix")).toMatchObject({ orphans: { status: "ok" } });
  expect(isAlive(orphan.pid)).toBe(false);
});

test("doctor --fix touches no live session, no stranger, and nothing of another state folder", async () => {
  await using user = newLiveUser();
  // Deaf to the hang-up of a terminal whose holder is gone.
  const { id } = await user.start(["--", "sh", "-c", "trap '' HUP; sleep 1000 & exec sleep 1000"]);
  const marker = basename(user.launchFolders()[0] as string);
  await using stranger = await decoy({});
  await using elsewhere = await decoy({ ROLLCALL_SESSION: anyMarker(), ROLLCALL_HOME: "/nowhere/else" });
  await using sameElsewhere = await decoy({ ROLLCALL_SESSION: marker, ROLLCALL_HOME: `${user.state}-other` });
  await using homeless = await decoy({ ROLLCALL_SESSION: anyMarker() });
  await using unmarked = await decoy({ ROLLCALL_SESSION: "not a marker", ROLLCALL_HOME: user.state });
  await using orphan = await decoy({ ROLLCALL_SESSION: anyMarker(), ROLLCALL_HOME: user.state });
  const { orphans } = await checks(user);
  expect(orphans?.detail).toMatch(/^There is still 1 process /);
  await checks(user, "--fix");
  expect(isAlive(orphan.pid)).toBe(false);
  const decoys = [stranger, elsewhere, sameElsewhere, homeless, unmarked];
  expect(decoys.filter(({ pid }) => !isAlive(pid))).toEqual([]);
  expect(await user.get(id)).toMatchObject({ state: "running" });
  await user.ok(["end", id]);
});

test("doctor --fix leaves a live session alone also while no daemon runs", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sleep", "1000"]);
  await user.killDaemon();
  const fixed = await checks(user, "--fix");
  expect([fixed.orphans?.status, fixed.leftovers?.status]).toEqual(["ok", "ok"]);
  await user.ok(["up"]);
  expect(await user.get(id)).toMatchObject({ state: "running" });
  expect(await user.ok(["end", id, "--json"])).toMatchObject({ only: { remaining: [] } });
});

test("doctor --fix ends nothing unknown while a record is damaged, for it may be its", async () => {
  await using user = newLiveUser();
  await user.start(["--", "sleep", "1000"]);
  const [folder = ""] = user.launchFolders();
  const { agent } = JSON.parse(readFileSync(join(folder, "holder.json"), "utf8")) as {
    agent: { pid: number };
  };
  await user.killDaemon();
  const db = new Database(join(user.state, "rollcall.db"));
  db.exec("UPDATE sessions SET body = 'damaged'");
  db.close();
  expect(await checks(user, "--fix")).toMatchObject({
    orphans: { status: "ok" },
    store: { status: "failed" },
  });
  expect([isAlive(agent.pid), existsSync(folder)]).toEqual([true, true]);
  await endByFile(folder, 0);
  await gone(agent.pid);
});

test("a daemon that starts ends the children of a session that lost its holder, and its state is unknown", async () => {
  await using user = newLiveUser();
  // Deaf to the hang-up of a terminal whose holder is gone: only the daemon can end them.
  const { id } = await user.start(["--", "sh", "-c", "trap '' HUP; sleep 1000 & exec sleep 1000"]);
  await until(() => sleepers(user).length === 2, "both to be deaf");
  const folder = user.launchFolders()[0] as string;
  const held = JSON.parse(readFileSync(join(folder, "holder.json"), "utf8")) as Record<
    string,
    { pid: number }
  >;
  await user.killDaemon();
  for (const name of ["guard", "holder"]) process.kill(held[name]?.pid as number, "SIGKILL");
  expect(sleepers(user)).toContain(held.agent?.pid);
  await user.ok(["up"]);
  expect(await user.reach(id, "unknown")).toMatchObject({ state: "unknown", outcome: null });
  await until(() => sleepers(user).length === 0, "both to be ended");
  expect(await checks(user)).toMatchObject({ orphans: { status: "ok" } });
});

test("an end also takes what carries the marker of its session outside its tree, and only that", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sleep", "1000"]);
  const marker = basename(user.launchFolders()[0] as string);
  await using outside = await decoy({ ROLLCALL_SESSION: marker, ROLLCALL_HOME: user.state });
  await using stranger = await decoy({ ROLLCALL_SESSION: anyMarker() });
  expect((await user.ok(["end", id, "--json"])).only).toMatchObject({
    session: { state: "stopped", exit_signal: "SIGTERM" },
    remaining: [],
  });
  expect([isAlive(outside.pid), isAlive(stranger.pid)]).toEqual([false, true]);
});

test("doctor --fix removes folders and hooks of launches that are over, and no others", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sleep", "1000"]);
  const marker = basename(user.launchFolders()[0] as string);
  const run = join(user.state, "run");
  const stray = join(run, "sessions", anyMarker());
  mkdirSync(stray);
  const hook = join(run, "hooks", `.${anyMarker()}.1.1.turn_end`);
  const strays = [stray, hook];
  const kept = [
    join(run, "hooks", `.${marker}.1.1.turn_end`),
    join(run, "hooks", "notes.txt"),
    join(run, "hooks", `.${anyMarker()}.2.2.young`),
    join(run, "sessions", marker),
  ];
  for (const path of [hook, ...kept.slice(0, 3)]) writeFileSync(path, "{}");
  for (const path of [...strays, ...kept.slice(0, 2), kept[3] as string]) utimesSync(path, 1, 1);
  const { leftovers } = await checks(user);
  expect(leftovers).toMatchObject({ status: "warning", detail: expect.stringContaining(stray) });
  expect(strays.every((path) => existsSync(path))).toBe(true);
  expect(await checks(user, "--fix")).toMatchObject({ leftovers: { status: "ok" } });
  expect([strays.filter((path) => existsSync(path)), kept.filter((path) => !existsSync(path))]).toEqual([
    [],
    [],
  ]);
  expect(await user.get(id)).toMatchObject({ state: "running" });
  await user.ok(["end", id]);
});

test("doctor and status say when the daemon does not answer, and do not wait for it", async () => {
  await using user = newLiveUser();
  await user.ok(["up"]);
  const pid = (await user.daemonPid()) as number;
  process.kill(pid, "SIGSTOP");
  try {
    // Each waits its 3 s for itself.
    const [doctor, status, text] = await Promise.all([
      user.rollcall(["doctor", "--json"]),
      user.rollcall(["status", "--json"]),
      user.rollcall(["status"]),
    ]);
    expect(doctor.code).toBe(1);
    expect((doctor.json.checks as Check[]).find(({ name }) => name === "daemon")).toMatchObject({
      status: "failed",
    });
    expect(status).toMatchObject({ code: 1, json: { daemon: { running: true, is_silent: true } } });
    expect(text.stdout).toContain("does not answer within 3 s");
  } finally {
    process.kill(pid, "SIGCONT");
  }
});

test("doctor --fix leaves alone what a session was told to keep", async () => {
  await using user = newLiveUser();
  const script = "sleep 1000 >/dev/null 2>&1 & echo $! >kept; echo up";
  const { id } = await user.start(["--kind", "autonomous", "--keep-children", "--", "sh", "-c", script]);
  await user.reach(id, "stopped");
  const kept = Number(readFileSync(join(user.workspace, "kept"), "utf8"));
  expect(await checks(user, "--fix")).toMatchObject({ orphans: { status: "ok" } });
  expect(isAlive(kept)).toBe(true);
  process.kill(kept, "SIGKILL");
  await gone(kept);
});

/** Something that listens in the place of the daemon and speaks as one of another version does. */
async function otherDaemon(user: LiveUser, version: string, protocol: number): Promise<Decoy> {
  const run = join(user.state, "run");
  mkdirSync(run, { recursive: true, mode: 0o700 });
  const script = `
    const greeting = { rollcall: { version: "${version}", protocol: ${protocol}, pid: process.pid } };
    require("node:net")
      .createServer((socket) => socket.write(JSON.stringify(greeting) + "\\n"))
      .listen("${join(run, "daemon.sock")}", () => console.log("up"));`;
  return decoy({}, `exec ${process.execPath} -e '${script}'`);
}

test("doctor says that the daemon is of another version", async () => {
  await using user = newLiveUser();
  await using _ = await otherDaemon(user, "0.0.1", 1);
  const { daemon } = await checks(user);
  expect(daemon).toMatchObject({ status: "warning", hint: "`rollcall up` replaces it; agents run on." });
});

test("a daemon that speaks another language is named by doctor and replaced by up", async () => {
  await using user = newLiveUser();
  await using old = await otherDaemon(user, "9.9.9", 99);
  expect((await checks(user)).daemon).toMatchObject({
    status: "failed",
    hint: "`rollcall up` replaces it; agents run on.",
  });
  expect((await user.ok(["up"])).stdout).toContain("was 9.9.9, replaced");
  expect(isAlive(old.pid)).toBe(false);
  expect((await checks(user)).daemon).toMatchObject({ status: "ok" });
});

test("doctor says what works without tmux", async () => {
  await using user = newLiveUser();
  const { json } = await user.rollcall(["doctor", "--json"], { env: { PATH: "/nowhere" } });
  expect((json.checks as Check[]).find(({ name }) => name === "tmux")).toMatchObject({
    status: "ok",
    detail: "It is not there; only --tmux needs it.",
  });
});

test("delete and cleanup take the recording of a session along, and refuse while it lives", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sh", "-c", "echo hello; exec sleep 1000"]);
  const other = await user.start(["--", "echo", "bye"]);
  await user.reach(other.id, "stopped");
  const recordings = join(user.state, "recordings");
  expect(await user.rollcall(["delete", id, "--json"])).toMatchObject({ code: 4 });
  await user.ok(["cleanup", "--hours", "0", "--yes"]);
  expect(readdirSync(recordings)).toEqual([id]);
  await user.ok(["end", id]);
  await user.ok(["delete", id]);
  expect(readdirSync(recordings)).toEqual([]);
});
