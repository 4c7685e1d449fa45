import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import { isAlive, processesOf, until } from "../live/user.ts";
import { freezer, whyNoFreezer } from "./cgroups.ts";
import { Decoys, processState } from "./decoys.ts";
import { type FaultUser, newFaultUser, reaches, whyNoCompiler } from "./fault-user.ts";
import { PATIENCE_MS, report, times } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const noCompiler = whyNoCompiler();
if (noCompiler !== undefined) report(`escaping children, fork bomb: not run: ${noCompiler}`);

const SHAPES = [
  "plain",
  "disown",
  "nohup",
  "stubborn",
  "setsid",
  "double-fork",
  "detached",
  "env-i",
  "daemon",
];

describe.skipIf(noCompiler !== undefined)("end", { concurrent: true }, () => {
  test("leaves none of nine children that try to escape, and says how many had to be killed", async () => {
    await using user = newFaultUser();
    const { session, pids } = await startEscapes(user);
    using decoys = new Decoys(user.holderOf(session).marker);
    const ended = (await user.ok(["end", session.id, "--grace", "500ms", "--json"])).only;
    // Eight heed TERM; one ignores it.
    expect(ended).toMatchObject({ session: { state: "stopped" }, killed: 1, remaining: [] });
    expect(pids().filter(isAlive)).toEqual([]);
    decoys.expectUntouched();
  });

  test("is not needed for them when their agent leaves by itself", async () => {
    await using user = newFaultUser();
    await user.ok(["config", "set", "end.grace", "500ms"]);
    const { session, pids } = await startEscapes(user, "leave");
    await reaches(user, session.id, { state: "stopped", outcome: "success", exit_code: 0 });
    expect(pids().filter(isAlive)).toEqual([]);
  });

  test("leaves none of what the scripted agent starts as its tools", async () => {
    await using user = newFaultUser();
    const { id } = await user.start(["scripted", SHAPES.map((shape) => `spawn ${shape}`).join(" ; ")]);
    await until(async () => (await spawned(user, id)).length === SHAPES.length, "nine children");
    const pids = await spawned(user, id);
    expect(pids.filter((pid) => !isAlive(pid))).toEqual([]);
    await user.ok(["end", id, "--grace", "500ms"]);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test.each(["50", "1000", "5000"])("catches a process that is another one every %s us", async (pause) => {
    await using user = newFaultUser();
    const lock = join(user.folder, "lock");
    const hop = `${user.program("hopper")} ${pause} ${lock}`;
    const session = await user.start(["--", "sh", "-c", `${hop} & exec sleep 600`]);
    await until(() => !isFree(lock), "the lock to be held");
    await user.ok(["end", session.id, "--grace", "200ms"]);
    expect(isFree(lock)).toBe(true);
    expect(others(user)).toEqual([]);
  });

  test("takes an agent that ignores every signal", async () => {
    await using user = newFaultUser();
    const session = await user.start(["--", user.program("stubborn")]);
    const ended = (await user.ok(["end", session.id, "--grace", "300ms", "--json"])).only;
    expect(ended).toMatchObject({ session: { state: "stopped", exit_signal: "SIGKILL" }, killed: 1 });
  });

  test("takes an agent that someone has stopped, within the grace", async () => {
    await using user = newFaultUser();
    const session = await user.start(["--", "sleep", "600"]);
    process.kill(pidOf(session), "SIGSTOP");
    const ended = (await user.ok(["end", session.id, "--grace", "5s", "--json"])).only;
    expect(ended).toMatchObject({ session: { exit_signal: "SIGTERM" }, killed: 0 });
  });

  test("takes an agent that hangs in a debugger", async () => {
    await using user = newFaultUser();
    const session = await user.start(["--", "sleep", "600"]);
    const tracer = spawn(user.program("tracer"), [String(pidOf(session))], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [said] = (await Promise.race([once(tracer.stdout, "data"), once(tracer, "exit")])) as [unknown];
    if (String(said).trim() !== "traced")
      return report(
        "traced agent: not run: the kernel does not let one process trace another (ptrace_scope)",
      );
    expect(processState(pidOf(session))).toBe("t");
    await user.ok(["end", session.id, "--grace", "300ms"]);
    expect(await user.get(session.id)).toMatchObject({ state: "stopped" });
    tracer.kill("SIGKILL");
  });
});

test.skipIf(noCompiler !== undefined)("a fork bomb is ended, and the daemon answers meanwhile", async () => {
  await using user = newFaultUser();
  const count = times(300, 2000);
  const bystander = await user.start(["--", "sleep", "600"]);
  const session = await user.start(["--kind", "autonomous", "--", user.program("bomb"), String(count)]);
  await until(() => bombs(user).length === count, `${count} processes`);
  const before = performance.now();
  const [answers, ended] = await Promise.all([
    timeAnswers(user, 20),
    user.ok(["end", session.id, "--grace", "500ms", "--json"]),
  ]);
  const tookMs = Math.round(performance.now() - before);
  expect(ended.only).toMatchObject({ session: { state: "stopped" }, killed: count, remaining: [] });
  expect(bombs(user)).toEqual([]);
  expect(await user.get(bystander.id)).toMatchObject({ state: "running" });
  report(
    `fork bomb: ${count} processes ended in ${tookMs} ms; the slowest answer took ${Math.max(...answers)} ms`,
  );
});

const noFreezer = whyNoFreezer();
if (noFreezer !== undefined) report(`a process that cannot be killed: not run: ${noFreezer}`);

test.skipIf(noFreezer !== undefined)(
  "a process that cannot be killed is named, never called ended, and ended once it can be",
  async () => {
    await using user = newFaultUser();
    const session = await user.start(["--", "sleep", "600"]);
    using frozen = freezer(pidOf(session));
    await until(() => processState(pidOf(session)) === "D", "the freeze");
    const answer = await user.rollcall(["end", session.id, "--grace", "200ms", "--json"]);
    expect(answer.code).toBe(4);
    expect(answer.only).toMatchObject({ is_proven: false, remaining: [pidOf(session)] });
    const said = await user.rollcall(["end", session.id, "--grace", "200ms"]);
    expect(said).toMatchObject({ code: 4, stdout: "" });
    expect(said.stderr).toContain(String(pidOf(session)));
    expect(await user.get(session.id)).toMatchObject({ state: "stopping" });
    frozen.thaw();
    await reaches(user, session.id, { state: "stopped", outcome: "interrupted" });
  },
);

async function startEscapes(
  user: FaultUser,
  ...more: string[]
): Promise<{ readonly session: Shown; readonly pids: () => number[] }> {
  const folder = join(user.folder, "shapes");
  mkdirSync(folder);
  const session = await user.start(["--", user.program("escapes"), folder, ...more]);
  const names = () => readdirSync(folder).filter((name) => !name.endsWith(".tmp"));
  await until(() => names().length === 9, "nine children");
  return { session, pids: () => names().map((name) => Number(readFileSync(join(folder, name), "utf8"))) };
}

async function spawned(user: FaultUser, id: string): Promise<number[]> {
  const { stdout } = await user.ok(["data", id, "--json"]);
  const { entries } = JSON.parse(stdout) as { entries: { role: string; text: string | null }[] };
  const said = entries.filter(({ role }) => role === "assistant").map(({ text }) => text ?? "");
  return [...said.join("\n").matchAll(/with pid (\d+)/g)].map(([, pid]) => Number(pid));
}

function pidOf(session: Shown): number {
  return (session.process as { pid: number }).pid;
}

/** Whether nobody has the lock on a file any more. */
function isFree(lock: string): boolean {
  return spawnSync("flock", ["-n", lock, "true"]).status === 0;
}

/** What is alive of this user beside the daemon. */
function others(user: FaultUser): string[] {
  return processesOf(user.folder)
    .map(({ command }) => command)
    .filter((command) => !command.includes("rollcall-daemon"));
}

function bombs(user: FaultUser): string[] {
  return others(user).filter((command) => command.startsWith(join(user.folder, "bomb")));
}

async function timeAnswers(user: FaultUser, count: number): Promise<number[]> {
  using client = await user.door();
  const tookMs: number[] = [];
  for (let n = 0; n < count; n++) {
    const before = performance.now();
    await client.call("get_status", {});
    tookMs.push(Math.round(performance.now() - before));
  }
  return tookMs;
}
