import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  findProcess,
  hasCompiler,
  markedProcesses,
  program,
  readOrEmpty,
  startSession,
  until,
} from "./holder-bench.ts";
import { findExitFile, findHolderFile } from "./holder-files.ts";

describe.skipIf(!hasCompiler)("a holder that starts", () => {
  test.each(["pty", "pipe", "acp"] as const)("answers once the command runs (%s)", async (host) => {
    await using session = await startSession([program("stubborn")], { host });
    expect(session.start).toEqual({
      ok: true,
      guard: expect.any(Number),
      holder: expect.any(Number),
      agent: expect.any(Number),
    });
    const { guard, holder, agent } = session.pids;
    expect([findProcess(holder)?.parent, findProcess(agent)?.parent]).toEqual([guard, holder]);
    expect(findHolderFile(session.dir)).toMatchObject({ version: 1, host, guard: { pid: guard } });
  });

  test("has left its caller's session, terminal, folder and descriptors", async () => {
    await using session = await startSession([program("stubborn")]);
    for (const pid of [session.pids.guard, session.pids.holder]) {
      expect(findProcess(pid)).toMatchObject({ session: session.pids.guard, terminal: 0 });
      expect(readlinkSync(`/proc/${pid}/cwd`)).toBe("/");
      const target = (fd: string) => readlinkSync(`/proc/${pid}/fd/${fd}`);
      expect(["0", "1", "2"].map(target)).toEqual(["/dev/null", "/dev/null", "/dev/null"]);
      const others = readdirSync(`/proc/${pid}/fd`).filter((fd) => Number(fd) > 2);
      const foreign = others
        .map(target)
        .filter((path) => path.startsWith("/") && !path.startsWith(session.dir));
      expect(foreign).toEqual([]);
    }
  });

  test("writes files that only their owner can read, before the command runs", async () => {
    await using session = await startSession(["sh", "-c", 'ls "$DIR"'], {
      dir: join(tmpdir(), `rh-${process.pid}-files`),
      env: { DIR: join(tmpdir(), `rh-${process.pid}-files`) },
    });
    await session.left();
    expect(session.spooled().toString()).toContain("holder.json");
    const modes = readdirSync(session.dir).map((name) => statSync(join(session.dir, name)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));
  });

  // A command that did not wait would be quicker than the failure only in some of them.
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    "does not run the command where it cannot write who carries it (%i)",
    async () => {
      const dir = mkdtempSync(join(tmpdir(), "rh-"));
      const inTheWay = join(dir, "holder.json");
      mkdirSync(inTheWay);
      await using session = await startSession(["touch", join(dir, "ran")], { dir });
      rmSync(inTheWay, { recursive: true });
      // Nothing written names them, so that the end of the block could not wait for them.
      await until(() => markedProcesses(session.marker).length === 0 || undefined, "all to leave");
      expect(session.start).toMatchObject({ ok: false, step: "holder.json" });
      expect(existsSync(join(dir, "ran"))).toBe(false);
    },
  );

  test("has a socket that only its owner can use", async () => {
    await using session = await startSession([program("stubborn")]);
    expect(statSync(join(session.dir, "socket")).mode & 0o777).toBe(0o600);
  });

  test("gives the agent the caller's folder and environment, and a session of its own", async () => {
    await using session = await startSession(["sh", "-c", "pwd; echo $GREETING; umask; ps -o sid= -p $$"], {
      cwd: "/usr",
      env: { GREETING: "it's me" },
    });
    await session.ended();
    const [folder, greeting, mask, leader] = session.spooled().toString().split("\n");
    expect([folder, greeting]).toEqual(["/usr", "it's me"]);
    expect(Number.parseInt(mask as string, 8)).toBe(process.umask());
    expect(Number(leader)).toBe(session.pids.agent);
  });

  test.each(["pty", "pipe"] as const)("gives the agent three descriptors and no more (%s)", async (host) => {
    await using session = await startSession([program("probe"), "descriptors"], { host });
    await session.ended();
    expect(session.spooled().toString().trim().split(" ").sort()).toEqual(["0", "1", "2"]);
  });

  test("says why a command could not be run", async () => {
    await using session = await startSession(["/nowhere/to/be/found"]);
    expect(session.start).toEqual({ ok: false, error: "ENOENT", step: "exec" });
    expect(findExitFile(session.dir)).toMatchObject({
      agent: { code: null, signal: null },
      reason: "exec_failed",
      error: "ENOENT",
      tree: { state: "empty", remaining: [] },
    });
  });

  test("says why a command could not be run that is no program", async () => {
    await using session = await startSession(["/etc"], { host: "pty" });
    expect(session.start).toEqual({ ok: false, error: "EACCES", step: "exec" });
  });

  test("says that the folder of the agent is not there", async () => {
    await using session = await startSession(["true"], { cwd: "/nowhere" });
    expect(session.start).toEqual({ ok: false, error: "ENOENT", step: "cwd" });
  });

  test("works in a folder whose path is longer than a socket's address", async () => {
    const long = join(tmpdir(), `rh-${process.pid}-${"long".repeat(30)}`);
    onTestFinished(() => rmSync(long, { recursive: true, force: true }));
    const dir = join(long, "deep");
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    await using session = await startSession([program("probe"), "echo"], { dir });
    await using client = await session.connect();
    client.holder.input("over the socket\n");
    await client.shows("over the socket");
  });
});

describe.skipIf(!hasCompiler)("the exit of an agent", () => {
  test.each([0, 1, 42, 127, 255])("keeps the code %i", async (code) => {
    await using session = await startSession([program("probe"), "leave", String(code)]);
    expect(await session.ended()).toMatchObject({
      agent: { code, signal: null, at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) },
      reason: "exited",
      error: null,
    });
  });

  test.each(["SIGHUP", "SIGINT", "SIGSEGV", "SIGKILL", "SIGTERM", "SIGUSR1"])(
    "keeps %s apart from codes",
    async (signal) => {
      await using session = await startSession(["sh", "-c", `kill -${signal.slice(3)} $$`]);
      expect((await session.ended()).agent).toMatchObject({ code: null, signal });
    },
  );

  test("is exact, with all output, for a hundred that leave at once", async () => {
    const codes = Array.from({ length: 100 }, (_, i) => i);
    const seen: [number | null, string][] = [];
    // Ten at a time, on both kinds of streams.
    for (let first = 0; first < 100; first += 10) {
      const ten = codes.slice(first, first + 10).map(async (code) => {
        const host = code % 2 === 0 ? "pty" : "pipe";
        await using session = await startSession([program("probe"), "leave", String(code)], { host });
        const exit = await session.ended();
        seen.push([exit.agent.code, session.spooled().toString().trim()]);
      });
      await Promise.all(ten);
    }
    seen.sort(([a], [b]) => Number(a) - Number(b));
    expect(seen).toEqual(codes.map((code) => [code, "said before leaving"]));
  });

  test("leaves no trace of a reaped process", async () => {
    await using session = await startSession([program("probe"), "orphans", "300"]);
    await session.says("done");
    const path = `/proc/${session.pids.holder}/task/${session.pids.holder}/children`;
    const isAlone = () => readOrEmpty(path).trim() === String(session.pids.agent) || undefined;
    expect(await until(isAlone, "the last orphan to be reaped")).toBe(true);
  });
});
