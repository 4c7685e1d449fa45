import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endByFile } from "./holder.ts";
import {
  findProcess,
  hasCompiler,
  isAlive,
  markedProcesses,
  program,
  startSession,
  type TestSession,
  until,
} from "./holder-bench.ts";
import { findExitFile } from "./holder-files.ts";

const SHAPES = [
  ...["plain", "disown", "nohup", "ignore", "setsid"],
  ...["double-fork", "detached", "env-i", "daemon"],
];

/** The pids of the nine that try to escape, by their own word. */
function escapedPids(session: TestSession): number[] {
  return SHAPES.map((shape) => Number(readFileSync(join(session.dir, "shapes", shape), "utf8")));
}

async function startEscapes(graceMs: number, ...more: string[]): Promise<TestSession> {
  const dir = mkdtempSync(join(tmpdir(), "rh-"));
  mkdirSync(join(dir, "shapes"));
  return startSession([program("escapes"), join(dir, "shapes"), ...more], { dir, graceMs, host: "pty" });
}

const WAYS: Readonly<Record<string, (session: TestSession) => Promise<void> | void>> = {
  "a message": async (session) => {
    await using client = await session.connect();
    client.holder.end(200);
  },
  "a signal to the holder": (session) => void process.kill(session.pids.holder, "SIGTERM"),
  "a signal to the guard": (session) => void process.kill(session.pids.guard, "SIGTERM"),
  "the control file": (session) => endByFile(session.dir, 200),
};

describe.skipIf(!hasCompiler)("the end of a session", () => {
  test.each(Object.entries(WAYS))("comes by %s and reaches all nine shapes that escape", async (_, endIt) => {
    await using session = await startEscapes(200);
    await session.says("ready");
    const pids = escapedPids(session);
    expect(pids.filter(isAlive)).toHaveLength(9);
    await endIt(session);
    expect(await session.ended()).toMatchObject({
      agent: { code: null, signal: "SIGTERM" },
      reason: "asked",
      // Only the one that ignores TERM has to be killed.
      tree: { state: "empty", killed: 1, remaining: [] },
    });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("reaches the nine after their agent has left", async () => {
    await using session = await startEscapes(200, "leave");
    const exit = await session.ended();
    expect(exit).toMatchObject({ agent: { code: 0, signal: null }, reason: "exited", tree: { killed: 1 } });
    expect(escapedPids(session).filter(isAlive)).toEqual([]);
  });

  test("reaches every process of a deep chain that ignores the request", async () => {
    await using session = await startSession([program("chain"), "100"], { graceMs: 100 });
    await session.says("ready");
    await endByFile(session.dir, 100);
    expect(await session.ended()).toMatchObject({ tree: { state: "empty", killed: 100, remaining: [] } });
  });

  test.each([100, 400])(
    "reads three times about each process of a chain of %i, however deep it stands",
    (n) => {
      const { stdout } = spawnSync(program("tree_count"), [String(n)], { encoding: "utf8" });
      // Once to list it, once before it is signalled, and once as the parent of the next.
      expect(stdout).toBe(`listed ${n} reads ${3 * n - 1}\n`);
    },
  );

  test.each([0, 50, 500, 5000])("catches a process that hops to a new pid every %i us", async (pause) => {
    await using session = await startSession([
      "sh",
      "-c",
      `${program("hopper")} ${pause} & exec ${program("stubborn")}`,
    ]);
    await session.says("ready");
    await endByFile(session.dir, 0);
    await session.ended();
    await session.left();
    for (let look = 0; look < 5; look++) expect(markedProcesses(session.marker)).toEqual([]);
  });

  test("waits for the grace, then kills who ignores the request", async () => {
    await using session = await startSession([program("stubborn")], { graceMs: 150 });
    await session.says("ready");
    process.kill(session.pids.holder, "SIGTERM");
    expect(await session.ended()).toMatchObject({
      agent: { code: null, signal: "SIGKILL" },
      reason: "asked",
      tree: { killed: 1 },
    });
  });

  test("hangs up on a shell that someone works in, which ignores the request", async () => {
    await using session = await startSession(["env", "PS1=at$ ", "sh", "-i"], { host: "pty" });
    await session.says("at$ ");
    process.kill(session.pids.holder, "SIGTERM");
    expect(await session.ended()).toMatchObject({ agent: { signal: "SIGHUP" }, tree: { killed: 0 } });
  });

  test("continues who is stopped, so that it can end in order", async () => {
    await using session = await startSession([
      "sh",
      "-c",
      "trap 'exit 6' TERM; echo ready; while :; do sleep 0.01; done",
    ]);
    await session.says("ready");
    process.kill(session.pids.agent, "SIGSTOP");
    await until(() => findProcess(session.pids.agent)?.state === "T" || undefined, "a stop");
    await endByFile(session.dir, 10_000);
    expect((await session.ended()).agent).toMatchObject({ code: 6, signal: null });
  });

  test("asks a program whose first thread has left, which looks like a zombie", async () => {
    await using session = await startSession([program("first_thread")], { graceMs: 2000 });
    await session.says("ready");
    await until(
      () => findProcess(session.pids.agent)?.state === "Z" || undefined,
      "its first thread to leave",
    );
    await endByFile(session.dir, 2000);
    expect(await session.ended()).toMatchObject({ agent: { code: 7 }, reason: "asked", tree: { killed: 0 } });
  });

  test("is one end, however many ask", async () => {
    await using session = await startSession([program("stubborn")]);
    await session.says("ready");
    const clients = await Promise.all(Array.from({ length: 10 }, () => session.connect()));
    for (const client of clients) client.holder.end(100);
    const words = await Promise.all(clients.map((client) => client.has("tree")));
    expect(new Set(words.map((word) => JSON.stringify(word))).size).toBe(1);
    expect(words[0]?.exit).toMatchObject({ reason: "asked", tree: { state: "empty", killed: 1 } });
    await Promise.all(clients.map((client) => client.closed()));
  });

  test("is not put off by a longer grace, only brought nearer by a shorter one", async () => {
    await using session = await startSession([program("stubborn")]);
    await session.says("ready");
    await using client = await session.connect();
    client.holder.end(60_000);
    client.holder.end(50);
    client.holder.end(90_000);
    expect((await session.ended()).tree.state).toBe("empty");
  });

  test("waits as long as it is asked to, however long that is", async () => {
    const slow = "trap 'sleep 0.2; exit 5' TERM; echo ready; while :; do sleep 0.05; done";
    await using session = await startSession(["sh", "-c", slow]);
    await session.says("ready");
    await endByFile(session.dir, Number.MAX_SAFE_INTEGER * 9999);
    expect(await session.ended()).toMatchObject({ agent: { code: 5 }, reason: "asked", tree: { killed: 0 } });
  });

  test("comes through although the client that asked is dead", async () => {
    await using session = await startSession([program("stubborn")], { graceMs: 100 });
    await session.says("ready");
    const script = `const f=Buffer.alloc(5);f.write("E");const h=Buffer.from('{"role":"control"}');
      const g=Buffer.alloc(5);g.write("H");g.writeUInt32LE(h.length,1);
      require("net").connect(${JSON.stringify(join(session.dir, "socket"))}).write(Buffer.concat([g,h,f]),()=>process.kill(process.pid,"SIGKILL"))`;
    spawn(process.execPath, ["-e", script], { stdio: "ignore" });
    expect((await session.ended()).reason).toBe("asked");
  });

  test("takes in one that is asked for before the start", async () => {
    const dir = mkdtempSync(join(tmpdir(), "rh-"));
    await endByFile(dir, 0);
    await using session = await startSession([program("stubborn")], { dir });
    expect(await session.ended()).toMatchObject({ reason: "asked", tree: { state: "empty" } });
  });

  test("leaves decoys alone that look like the session's own", async () => {
    await using session = await startSession([program("stubborn")]);
    await session.says("ready");
    // The same marker, program and folder, but another parent.
    const env = { ...process.env, ROLLCALL_SESSION: session.marker };
    const decoys = [1, 2, 3].map(() => spawn(program("stubborn"), { env, stdio: "ignore", cwd: tmpdir() }));
    try {
      await endByFile(session.dir, 0);
      await session.left();
      expect(decoys.map((decoy) => isAlive(decoy.pid as number))).toEqual([true, true, true]);
    } finally {
      for (const decoy of decoys) decoy.kill("SIGKILL");
      await until(() => decoys.every((d) => !isAlive(d.pid as number)) || undefined, "the decoys' end");
    }
  });

  test("leaves children that are to be kept, and names them, until it is asked for", async () => {
    await using session = await startSession(["sh", "-c", `${program("stubborn")} & exit 3`], {
      keepChildren: true,
    });
    const exit = await session.ended("kept");
    await session.says("ready");
    expect(exit).toMatchObject({ agent: { code: 3 }, reason: "exited", tree: { killed: 0 } });
    expect(exit.tree.remaining.map(isAlive)).toEqual([true]);
    await endByFile(session.dir, 0);
    expect(await session.ended()).toMatchObject({
      agent: { code: 3 },
      reason: "exited",
      tree: { killed: 1 },
    });
  });

  test("is told as soon as kept children leave by themselves", async () => {
    await using session = await startSession(["sh", "-c", "sleep 0.2 & exit 0"], { keepChildren: true });
    expect(await session.ended()).toMatchObject({ reason: "exited", tree: { killed: 0, remaining: [] } });
  });

  test("ends two hundred processes of one session", async () => {
    const many = `i=0; while [ $i -lt 200 ]; do sleep 60 & i=$((i+1)); done; echo ready; wait`;
    await using session = await startSession(["sh", "-c", many], { graceMs: 5000 });
    await session.says("ready");
    await endByFile(session.dir, 5000);
    expect((await session.ended()).tree).toMatchObject({ killed: 0, remaining: [] });
  });
});

const isRoot = process.getuid?.() === 0;
if (!isRoot)
  process.stdout.write("not run: the end that is blocked needs root, to make a process out of reach\n");

describe.skipIf(!hasCompiler || !isRoot)("an end that cannot be proven", () => {
  test("says so with the pids, and is tried again until it is", async () => {
    const dir = mkdtempSync(join(tmpdir(), "rh-"));
    const tool = join(mkdtempSync(join(tmpdir(), "rh-")), "out-of-reach");
    copyFileSync(program("probe"), tool);
    chmodSync(join(tool, ".."), 0o755);
    chmodSync(tool, 0o4755);
    chownSync(dir, 65534, 65534);
    const holder = join(tool, "..", "holder");
    copyFileSync(process.env.ROLLCALL_HOLDER ?? join(program("probe"), "..", "rollcall-holder"), holder);
    const asNobody = ["setpriv", "--reuid=65534", "--clear-groups", holder];
    const args = ["--dir", dir, "--host", "pipe", "--grace-ms", "0", "--", tool, "become-root"];
    const child = spawn(asNobody[0] as string, [...asNobody.slice(1), ...args], {
      stdio: "ignore",
      cwd: "/",
    });
    await until(() => child.exitCode ?? undefined, "the start");
    try {
      await endByFile(dir, 0);
      const blocked = await until(() => {
        const exit = findExitFile(dir);
        return exit?.tree.state === "blocked" ? exit : undefined;
      }, "the word that it is blocked");
      expect(blocked).toMatchObject({ agent: { code: null, signal: null, at: null }, reason: "asked" });
      expect(blocked.tree.remaining.filter(isAlive)).toHaveLength(1);
      const told = new Set<string>();
      await until(() => told.add(findExitFile(dir)?.tree.at ?? "").size > 2 || undefined, "two more tries");
      process.kill(blocked.tree.remaining[0] as number, "SIGKILL");
      const exit = await until(() => {
        const final = findExitFile(dir);
        return final?.tree.state === "empty" ? final : undefined;
      }, "the proof");
      expect(exit).toMatchObject({ agent: { signal: "SIGKILL" }, reason: "asked", tree: { remaining: [] } });
    } finally {
      rmSync(dir, { recursive: true, force: true });
      rmSync(join(tool, ".."), { recursive: true, force: true });
    }
  });
});
