import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { signalMarked } from "./holder.ts";
import { hasCompiler, holderBinary } from "./holder-bench.ts";

const NOBODY = 65534;
const MARKER = "0123456789abcdef0123456789abcdef";

describe.skipIf(!hasCompiler)("a signal by the marker", () => {
  test("reaches the process of the launch", async () => {
    await using sleeper = await startSleeper({ ROLLCALL_SESSION: MARKER });
    await signalMarked(holderBinary, "KILL", { marker: MARKER, processes: [sleeper] });
    expect(await sleeper.ended).toBe("SIGKILL");
  });

  test.each([
    ["another start time", { ROLLCALL_SESSION: MARKER }, "1"],
    ["no marker", {}, undefined],
    ["the marker of another launch", { ROLLCALL_SESSION: MARKER.replace("0", "f") }, undefined],
    ["a marker that only begins the same", { ROLLCALL_SESSION: `${MARKER}0` }, undefined],
    ["the marker in another variable", { MY_ROLLCALL_SESSION: MARKER }, undefined],
  ] as const)("leaves a process alone with %s", async (_, env, startTime) => {
    await using sleeper = await startSleeper(env);
    const processes = [{ pid: sleeper.pid, startTime: startTime ?? sleeper.startTime }];
    await signalMarked(holderBinary, "KILL", { marker: MARKER, processes });
    expect(sleeper.isAlive()).toBe(true);
  });

  test("is not disturbed by one that is gone", async () => {
    await using sleeper = await startSleeper({ ROLLCALL_SESSION: MARKER });
    await signalMarked(holderBinary, "TERM", {
      marker: MARKER,
      processes: [{ pid: 4_000_000, startTime: "1" }, sleeper],
    });
    expect(await sleeper.ended).toBe("SIGTERM");
  });
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) process.stdout.write("not run: a process of another user with our marker needs root\n");

test.skipIf(!hasCompiler || !isRoot)(
  "a process of another user is left alone, whatever it carries",
  async () => {
    await using sleeper = await startSleeper({ ROLLCALL_SESSION: MARKER }, NOBODY);
    await signalMarked(holderBinary, "KILL", { marker: MARKER, processes: [sleeper] });
    expect(sleeper.isAlive()).toBe(true);
  },
);

async function startSleeper(env: Record<string, string>, uid?: number) {
  const owner = uid === undefined ? {} : { uid, gid: uid };
  const all = { PATH: process.env.PATH, ...env };
  const child = spawn("sleep", ["60"], { stdio: "ignore", env: all, ...owner });
  await once(child, "spawn");
  const pid = child.pid as number;
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const ended = once(child, "exit").then(([, signal]) => signal as string);
  return {
    pid,
    startTime: stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] as string,
    ended,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
