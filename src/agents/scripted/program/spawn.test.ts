import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  findProcess,
  hasCompiler,
  isAlive,
  readOrEmpty,
  startSession,
  until,
} from "../../../host/holder-bench.ts";

const PROGRAM = join(import.meta.dirname, "main.ts");

/** Starts the program under a real holder, which ends whatever it leaves. */
async function startIn(host: "pipe" | "pty", prompt: string) {
  const dir = mkdtempSync(join(tmpdir(), "rh-"));
  const args = host === "pipe" ? ["--print"] : [];
  return startSession([process.execPath, PROGRAM, ...args, prompt], {
    host,
    dir,
    env: { SCRIPTED_AGENT_HOME: join(dir, "agent"), SHAPE_OF: "test" },
    graceMs: 0,
  });
}

/** What tells one shape from another, as the system sees it. */
function look(pid: number, agent: number): Record<string, unknown> {
  const facts = findProcess(pid);
  const ignored = BigInt(`0x${/SigIgn:\s*(\w+)/.exec(readOrEmpty(`/proc/${pid}/status`))?.[1] ?? "0"}`);
  const group = Number(readOrEmpty(`/proc/${pid}/stat`).replace(/.*\) /s, "").split(" ")[2]);
  return {
    command: readOrEmpty(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim(),
    isChild: facts?.parent === agent,
    ownGroup: group !== agent,
    ownSession: facts?.session !== agent,
    ignores: [1, 2, 15].filter((signal) => (ignored >> BigInt(signal - 1)) & 1n),
    hasEnv: readOrEmpty(`/proc/${pid}/environ`).includes("SHAPE_OF=test"),
  };
}

const PLAIN = {
  command: "sleep 300",
  isChild: true,
  ownGroup: false,
  ownSession: false,
  ignores: [],
  hasEnv: true,
};
const APART = { ...PLAIN, ownGroup: true, ownSession: true };

describe.skipIf(!hasCompiler)("a spawned process", () => {
  test.each([
    ["plain", PLAIN],
    ["disown", { ...PLAIN, isChild: false, ownGroup: true }],
    ["nohup", { ...PLAIN, ignores: [1] }],
    ["stubborn", { ...PLAIN, ignores: [1, 2, 15] }],
    ["setsid", APART],
    ["double-fork", { ...APART, isChild: false, ignores: expect.anything() as number[] }],
    ["detached", APART],
    ["env-i", { ...APART, hasEnv: false }],
    ["daemon", { ...APART, isChild: false, hasEnv: false, ignores: expect.anything() as number[] }],
  ])("of the shape %s is one, and ends with its session", async (shape, facts) => {
    await using session = await startIn("pipe", `spawn ${shape}`);
    await session.says(`Spawned ${shape}`);
    const pid = Number(/with pid (\d+)\./.exec(session.spooled().toString())?.[1]);
    await until(
      () => (look(pid, session.pids.agent).command === "sleep 300" ? true : undefined),
      "the sleep",
    );
    await until(
      () => (look(pid, session.pids.agent).isChild === facts.isChild ? true : undefined),
      "its parent",
    );
    expect(look(pid, session.pids.agent)).toEqual(facts);
    await using client = await session.connect();
    client.holder.end(0);
    await session.ended();
    expect(isAlive(pid)).toBe(false);
  });
});
describe.skipIf(!hasCompiler)("a spawned server", () => {
  test("answers on its port until its session ends", async () => {
    await using session = await startIn("pty", "spawn server");
    await session.says("on port");
    const port = Number(/on port (\d+)\./.exec(session.spooled().toString())?.[1]);
    const [data] = (await once(connect(port, "127.0.0.1"), "data")) as [Buffer];
    expect(data.toString()).toBe("hello\n");
    await using client = await session.connect();
    client.holder.end(0);
    await session.ended();
    const refused = await once(connect(port, "127.0.0.1"), "connect").catch((error: Error) => error.message);
    expect(refused).toContain("ECONNREFUSED");
  });
});
