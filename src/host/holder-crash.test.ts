import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
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

const HAVE_NO_MARK = ["env-i", "daemon"];
const HAVE_A_MARK = ["plain", "disown", "nohup", "ignore", "setsid", "double-fork", "detached"];

async function startEscapes(host: "pty" | "pipe"): Promise<TestSession> {
  const dir = mkdtempSync(join(tmpdir(), "rh-"));
  mkdirSync(join(dir, "shapes"));
  const session = await startSession([program("escapes"), join(dir, "shapes")], { dir, graceMs: 200, host });
  await session.says("ready");
  return session;
}

function pidsOf(session: TestSession, shapes: readonly string[]): number[] {
  return shapes.map((shape) => Number(readFileSync(join(session.dir, "shapes", shape), "utf8")));
}

describe.skipIf(!hasCompiler)("after kill -9 of the holder", () => {
  test.each([
    ["pty", "SIGHUP"],
    ["pipe", "SIGTERM"],
  ] as const)("the guard ends all nine shapes and writes how the agent ended (%s)", async (host, signal) => {
    await using session = await startEscapes(host);
    const pids = pidsOf(session, [...HAVE_A_MARK, ...HAVE_NO_MARK]);
    process.kill(session.pids.holder, "SIGKILL");
    const exit = await session.ended();
    expect(exit).toMatchObject({ reason: "holder_lost", tree: { state: "empty", killed: 1, remaining: [] } });
    // The terminal hangs up when its holder dies, a moment before the guard asks.
    expect([signal, "SIGTERM"]).toContain(exit.agent.signal);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test("a stubborn agent is killed by the guard", async () => {
    await using session = await startSession([program("stubborn")], { graceMs: 100, host: "pty" });
    await session.says("ready");
    process.kill(session.pids.holder, "SIGKILL");
    expect(await session.ended()).toMatchObject({
      agent: { code: null, signal: "SIGKILL" },
      reason: "holder_lost",
      tree: { killed: 1 },
    });
  });

  test("an agent's own exit code is told by the guard", async () => {
    const script = "trap 'exit 9' TERM; echo ready; exec >/dev/null 2>&1; while :; do sleep 0.01; done";
    await using session = await startSession(["sh", "-c", script]);
    await session.says("ready");
    process.kill(session.pids.holder, "SIGKILL");
    expect(await session.ended()).toMatchObject({ agent: { code: 9, signal: null }, reason: "holder_lost" });
  });

  test("an exit that the holder had seen stays what it was", async () => {
    await using session = await startSession(["sh", "-c", `${program("stubborn")} & exit 3`], {
      keepChildren: true,
    });
    await session.ended("kept");
    await session.says("ready");
    process.kill(session.pids.holder, "SIGKILL");
    process.kill(session.pids.guard, "SIGTERM");
    // The grace of the guard is the session's; waiting for it is not this test's point.
    const [child] = (findExitFile(session.dir) ?? { tree: { remaining: [] } }).tree.remaining;
    await until(
      () => findProcess(child as number)?.parent === session.pids.guard || undefined,
      "the guard's turn",
    );
    process.kill(child as number, "SIGKILL");
    expect(await session.ended()).toMatchObject({ agent: { code: 3, signal: null }, reason: "exited" });
  });

  test("what it had spooled is there, byte for byte", async () => {
    await using session = await startSession(["sh", "-c", "echo before the crash; sleep 60"]);
    await session.says("before the crash");
    process.kill(session.pids.holder, "SIGKILL");
    await session.ended();
    expect(session.spooled().toString()).toBe("before the crash\n");
  });
});

describe.skipIf(!hasCompiler)("after kill -9 of the guard", () => {
  test("the session goes on and can be ended with proof", async () => {
    await using session = await startEscapes("pty");
    const pids = pidsOf(session, [...HAVE_A_MARK, ...HAVE_NO_MARK]);
    process.kill(session.pids.guard, "SIGKILL");
    await until(
      () => findProcess(session.pids.holder)?.parent !== session.pids.guard || undefined,
      "a new parent",
    );
    await using client = await session.connect();
    expect((await client.status()).agent.alive).toBe(true);
    await endByFile(session.dir, 200);
    expect(await session.ended()).toMatchObject({ reason: "asked", tree: { state: "empty", killed: 1 } });
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

describe.skipIf(!hasCompiler)("after kill -9 of guard and holder", () => {
  test("there is no exit file, and the marker finds all but the two without an environment", async () => {
    const session = await startEscapes("pipe");
    const marked = pidsOf(session, HAVE_A_MARK);
    const unmarked = pidsOf(session, HAVE_NO_MARK);
    try {
      process.kill(session.pids.guard, "SIGKILL");
      process.kill(session.pids.holder, "SIGKILL");
      await session.left();
      expect(findExitFile(session.dir)).toBeUndefined();
      expect(markedProcesses(session.marker).sort()).toEqual([session.pids.agent, ...marked].sort());
      expect(unmarked.filter(isAlive)).toEqual(unmarked);
    } finally {
      // Nothing of ours holds them any more: the test that made them ends them.
      const left = [...markedProcesses(session.marker), ...unmarked];
      for (const pid of left) process.kill(pid, "SIGKILL");
      await until(() => left.every((pid) => !isAlive(pid)) || undefined, "the end of the nine");
      rmSync(session.dir, { recursive: true, force: true });
    }
  });
});
