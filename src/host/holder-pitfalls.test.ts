// The nine pitfalls that the prototype met with the real agents (facts/holder.md, section 8), each a test of its name.
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { encodeFrame } from "./frames.ts";
import { endByFile } from "./holder.ts";
import {
  findProcess,
  floodBytes,
  hasCompiler,
  isAlive,
  program,
  startSession,
  until,
} from "./holder-bench.ts";

const probe = (...args: string[]) => [program("probe"), ...args];

/** Whether a process does nothing for a while: a spinning poll burns every tick. */
async function ticksIn(pid: number, ms: number): Promise<number> {
  const before = findProcess(pid)?.cpuTicks ?? 0;
  await delay(ms);
  return (findProcess(pid)?.cpuTicks ?? 0) - before;
}

describe.skipIf(!hasCompiler)("pitfall", () => {
  test("1: the answer to the status query is exactly ten bytes, without a NUL", async () => {
    const query = Buffer.from("\x1b]7501;?\x07").toString("hex");
    await using session = await startSession(probe("ask", query), { host: "pty" });
    await session.ended();
    const answer = Buffer.from("\x1b]7501;?1\x07").toString("hex");
    expect(answer).toHaveLength(20);
    expect(session.spooled().toString()).toContain(`heard ${answer}\r\n`);
  });

  test("2: output is told once per read, not once per escape sequence", async () => {
    const line = "\\033[1mx\\033[0m\\033]7501;state=idle\\007".repeat(20);
    const script = `read x; printf '${line}'; read y`;
    await using session = await startSession(["sh", "-c", script], { host: "pty" });
    await using client = await session.connect();
    client.holder.input("go\n");
    await until(
      () => (client.messages.filter(({ type }) => type === "report").length === 20 ? true : undefined),
      "reports",
    );
    // One for the echo, one or two for the line.
    expect(client.messages.filter(({ type }) => type === "output").length).toBeLessThanOrEqual(4);
  });

  test("3: a character or an escape split over two reads reaches spool and viewers unchanged, at once", async () => {
    const script =
      "stty -echo; printf '\\303'; sleep 0.05; printf '\\244 \\342\\234'; sleep 0.05; printf '\\263\\033'; read x; printf ']0;t\\007'; read y";
    await using session = await startSession(["sh", "-c", script], { host: "pty" });
    await using view = await session.connect({ role: "view", from: 0, types: true });
    // The lone ESC is not held back: nothing follows it until somebody types.
    await view.shows("ä ✳\x1b");
    view.holder.input("\n");
    await view.has("title", ({ title }) => title === "t");
    expect(view.output().equals(session.spooled())).toBe(true);
  });

  test("4: the agent gets every signal back to default, SIGPIPE too, and nothing blocked", async () => {
    for (const host of ["pty", "pipe"] as const) {
      await using session = await startSession(probe("signals"), { host });
      await session.ended();
      expect(
        session
          .spooled()
          .toString()
          .match(/[0-9a-f]{16}/g),
      ).toEqual(Array(2).fill("0".repeat(16)));
    }
    await using session = await startSession(["sh", "-c", "yes | head -1"]);
    await session.ended();
    expect([session.spooled("out").toString(), session.spooled("err").toString()]).toEqual(["y\n", ""]);
  });

  test("5: ending is a state of the loop: the terminal is drained and clients are served meanwhile", async () => {
    await using session = await startSession(probe("last-words"), { host: "pty" });
    await session.says("ready");
    await using client = await session.connect();
    client.holder.end(10_000);
    const exit = await session.ended();
    // 20,000 lines are more than any buffer between agent and holder takes.
    expect(exit).toMatchObject({ agent: { code: 7, signal: null }, reason: "asked", tree: { killed: 0 } });
    expect(session.spooled().toString().endsWith("last word 19999\r\n")).toBe(true);
    await client.closed();
    expect(client.output().toString().endsWith("last word 19999\r\n")).toBe(true);
  });

  test("5b: a status is answered in the middle of the grace", async () => {
    await using session = await startSession([program("stubborn")], { host: "pty" });
    await session.says("ready");
    await using client = await session.connect();
    client.holder.end(60_000);
    expect(await client.status()).toMatchObject({ ending: true, agent: { alive: true } });
  });

  test("6: a child that holds the terminal does not put off the end of the session", async () => {
    await using session = await startSession(probe("leave-child"), { host: "pty" });
    expect(await session.ended()).toMatchObject({
      agent: { code: 5, signal: null },
      reason: "exited",
      tree: { state: "empty", remaining: [] },
    });
    expect(session.spooled().toString()).toBe("leaving\r\n");
  });

  test("6b: the exit is written at once, while what is left still lives", async () => {
    await using session = await startSession(["sh", "-c", `${program("stubborn")} & sleep 0.1; exit 4`], {
      host: "pty",
      graceMs: 60_000,
    });
    const exit = await session.ended("ending");
    expect(exit).toMatchObject({ agent: { code: 4 }, reason: "exited" });
    await using client = await session.connect();
    expect(await client.status()).toMatchObject({ agent: { alive: false }, exit: { agent: { code: 4 } } });
  });

  test("7: TERM and CONT reach every descendant, whatever its group, and the proof is the last word", async () => {
    const child = `trap 'echo termed $0; exit' TERM; echo pid=$$; kill -STOP $$; while :; do sleep 0.01; done`;
    const starts = ["", "setsid", "setsid"].map((how, n) => `${how} sh -c "$1" ${n} &`).join(" ");
    await using session = await startSession(["sh", "-c", `${starts} wait; wait; wait`, "sh", child]);
    const stopped = await until(() => {
      const pids = [
        ...session
          .spooled()
          .toString()
          .matchAll(/pid=(\d+)\n/g),
      ].map(([, pid]) => Number(pid));
      return pids.length === 3 && pids.every((pid) => findProcess(pid)?.state === "T") ? pids : undefined;
    }, "three that are stopped");
    await endByFile(session.dir, 20_000);
    // One that TERM did not reach, or that CONT did not wake for it, would need KILL.
    expect((await session.ended()).tree).toMatchObject({ killed: 0, remaining: [] });
    expect(stopped.filter(isAlive)).toEqual([]);
    const said = session.spooled().toString().split("\n");
    expect(said.filter((line) => line.startsWith("termed")).toSorted()).toEqual(
      [0, 1, 2].map((n) => `termed ${n}`),
    );
  });

  test("8: a client that hangs up, half or whole, does not make the holder spin", async () => {
    await using session = await startSession([program("stubborn")], { host: "pty" });
    const half = connect({ path: join(session.dir, "socket"), allowHalfOpen: true });
    half.resume();
    half.end(encodeFrame("H", '{"role":"view"}'));
    const whole = connect(join(session.dir, "socket"));
    await new Promise((resolve) => whole.write(encodeFrame("H", '{"role":"view"}'), resolve));
    whole.destroy();
    expect(await ticksIn(session.pids.holder, 300)).toBeLessThanOrEqual(2);
    half.destroy();
  });

  test("8b: an agent that closes its terminal does not make the holder spin, and may open it again", async () => {
    await using session = await startSession(probe("close-terminal"), { host: "pty" });
    await session.says("closing");
    expect(await ticksIn(session.pids.holder, 300)).toBeLessThanOrEqual(2);
    process.kill(session.pids.agent, "SIGUSR1");
    await session.says("back");
    expect(isAlive(session.pids.agent)).toBe(true);
  });

  test("8c: a full pipe and a closed one do not make the holder spin", async () => {
    const megabyte = 1024 * 1024;
    await using full = await startSession(probe("flood", String(4 * megabyte)), { spoolBytes: megabyte });
    await until(() => (full.spooled().length === megabyte ? true : undefined), "a full spool");
    expect(await ticksIn(full.pids.holder, 300)).toBeLessThanOrEqual(2);
    await using closed = await startSession(["sh", "-c", "echo closing; exec <&- >&- 2>&-; sleep 60"]);
    await closed.says("closing");
    expect(await ticksIn(closed.pids.holder, 300)).toBeLessThanOrEqual(2);
  });

  test("9: a slow client is dropped and the agent is not slowed by it", async () => {
    const bytes = 8 * 1024 * 1024;
    const script = `read x; ${probe("flood", String(bytes)).join(" ")}; echo done; read y`;
    await using session = await startSession(["sh", "-c", script], { host: "pty" });
    await using client = await session.connect();
    const slow = connect(join(session.dir, "socket"));
    slow.pause();
    slow.write(encodeFrame("H", '{"role":"view"}'));
    await client.has("attached");
    client.holder.input("go\n");
    // All of it is written while the slow one has taken nothing.
    await client.shows("done");
    expect(client.output().includes(floodBytes(bytes))).toBe(true);
    await client.has("detached");
    slow.destroy();
  });
});
