import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { ROOT, run } from "../cli/rollcall.ts";
import { gone, isAlive, processesOf, until } from "../live/user.ts";
import { type FaultUser, newFaultUser } from "./fault-user.ts";
import { PATIENCE_MS, report } from "./scale.ts";
import { hasProgram } from "./sh.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const DAEMON = join(ROOT, "bin", "rollcall-daemon.cjs");

describe("twenty at once", () => {
  test("daemons beside a stale socket and lock: one runs, the others say so and exit 3", async () => {
    await using user = newFaultUser();
    await user.up();
    await user.killDaemon();
    expect(existsSync(join(user.state, "run", "daemon.sock"))).toBe(true);
    const daemons = Array.from({ length: 20 }, () => startDaemon(user));
    const said = await Promise.all(daemons.map(({ line }) => line));
    expect(said.filter((line) => line === "ready")).toHaveLength(1);
    const winner = daemons.find((_, n) => said[n] === "ready");
    expect(said.filter((line) => line === `running ${winner?.pid}`)).toHaveLength(19);
    const losers = daemons.filter((daemon) => daemon !== winner);
    expect(new Set(await Promise.all(losers.map(({ code }) => code)))).toEqual(new Set([3]));
    expect(await user.daemonPid()).toBe(winner?.pid);
  });

  test("commands without a daemon: all succeed, and there is one daemon", async () => {
    await using user = newFaultUser();
    await user.up();
    await user.killDaemon();
    const starts = Array.from({ length: 20 }, () => user.rollcall(["start", "-d", "--", "sleep", "600"]));
    const answers = await Promise.all(starts);
    expect(answers.filter(({ code }) => code !== 0)).toEqual([]);
    expect(daemonsOf(user)).toHaveLength(1);
    await user.ok(["end", "--all", "--grace", "1s"]);
  });

  test("commands while the daemon is leaving: all succeed", async () => {
    await using user = newFaultUser();
    await user.start(["--", "sleep", "600"]);
    const leaving = user.rollcall(["down"]);
    const answers = await Promise.all(Array.from({ length: 5 }, () => user.rollcall(["up"])));
    expect((await leaving).code).toBe(0);
    expect(answers.filter(({ code }) => code !== 0)).toEqual([]);
  });
});

function daemonsOf(user: FaultUser): number[] {
  const all = processesOf(user.folder).filter(({ command }) => command.includes("rollcall-daemon"));
  return all.map(({ pid }) => pid);
}

interface StartedDaemon {
  readonly pid: number;
  /** The first line that it says. */
  readonly line: Promise<string>;
  readonly code: Promise<number | null>;
}

function startDaemon(user: FaultUser): StartedDaemon {
  const child = spawn(process.execPath, [DAEMON], { env: user.env, stdio: ["ignore", "pipe", "inherit"] });
  const line = once(child.stdout, "data").then(([data]) => String(data).trim());
  const code = once(child, "exit").then(([given]) => given as number | null);
  return { pid: child.pid as number, line, code };
}

describe("a daemon that is told to stop", { concurrent: true }, () => {
  test.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)(
    "by %s leaves cleanly within 5 s; agents stay, and the next one finds them",
    async (signal) => {
      await using user = newFaultUser();
      const daemon = startDaemon(user);
      expect(await daemon.line).toBe("ready");
      const session = await user.start(["--", "sleep", "600"]);
      const before = performance.now();
      process.kill(daemon.pid, signal);
      expect(await daemon.code).toBe(0);
      expect(performance.now() - before).toBeLessThan(5000);
      expect(existsSync(join(user.state, "run", "daemon.sock"))).toBe(false);
      expect(isAlive((session.process as { pid: number }).pid)).toBe(true);
      await user.up();
      expect(await user.get(session.id)).toMatchObject({ state: "running" });
    },
  );

  const noScript = hasProgram("script") ? undefined : "script is missing (apt-get install bsdutils)";
  if (noScript !== undefined) report(`terminal closed: not run: ${noScript}`);
  test.skipIf(noScript !== undefined)(
    "does not mind that the terminal it was started from is closed",
    async () => {
      await using user = newFaultUser();
      const up = `${process.execPath} ${join(ROOT, "bin", "rollcall.cjs")} up; exec sleep 600`;
      const terminal = spawn("script", ["-qec", up, "/dev/null"], { env: user.env, stdio: "ignore" });
      await until(async () => (await user.daemonPid()) !== undefined, "the daemon");
      const daemon = (await user.daemonPid()) as number;
      terminal.kill("SIGKILL");
      await gone(terminal.pid as number);
      await user.ok(["status"]);
      expect(isAlive(daemon)).toBe(true);
      await until(
        () => processesOf(user.folder).every(({ pid }) => pid === daemon),
        "the terminal's shell to leave",
      );
    },
  );
});

test("a state folder that cannot be used is told in one sentence", async () => {
  await using user = newFaultUser();
  const home = join(user.folder, "a-file");
  writeFileSync(home, "");
  const answer = await run(process.execPath, [DAEMON], { env: { ...user.env, ROLLCALL_HOME: home } });
  expect(answer.code).toBe(1);
  expect(answer.stdout).toMatch(/^[^\n]+\n$/);
});
