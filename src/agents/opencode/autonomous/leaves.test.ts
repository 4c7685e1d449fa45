import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { LEAVES_AT_END_OF_INPUT } from "./leaves.ts";

function run(command: string) {
  const args = ["-c", LEAVES_AT_END_OF_INPUT, "sh", "sh", "-c", command];
  return spawn("sh", args, { stdio: ["pipe", "pipe", "ignore"] });
}

describe("the script around the server of OpenCode", () => {
  test("ends it and leaves with 0 when its input ends", async () => {
    const child = run("trap 'echo told; exit 143' TERM; echo up; while :; do sleep 0.05; done");
    const said: string[] = [];
    child.stdout.on("data", (bytes) => said.push(String(bytes)));
    await once(child.stdout, "data");
    child.stdin.end();
    expect(await once(child, "close")).toEqual([0, null]);
    expect(said.join("")).toBe("up\ntold\n");
  });

  test("passes a signal on, and its exit code", async () => {
    const child = run("trap 'exit 7' TERM; echo up; while :; do sleep 0.05; done");
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([7, null]);
  });

  test("leaves as it does when it leaves by itself", async () => {
    expect(await once(run("exit 3"), "close")).toEqual([3, null]);
  });
});
