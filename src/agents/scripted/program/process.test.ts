import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TARGET } from "../../../testing/agents/target.ts";
import { tempFolder } from "../../../testing/temp-folder.ts";
import { autonomous } from "../autonomous/mode.ts";
import { parseHook } from "../hook.ts";
import { start } from "./piped-bench.ts";

describe("the process", () => {
  test.each([
    ["exit 4", [4, null]],
    ["exit", [0, null]],
    ["crash", [null, "SIGSEGV"]],
    ["crash SIGTERM", [null, "SIGTERM"]],
    ["crash abrt", [null, "SIGABRT"]],
    ["crash 7", [7, null]],
  ])("ends by %j as it says", async (prompt, exit) => {
    await using agent = start([prompt]);
    expect(await agent.exited).toEqual(exit);
    expect(agent.lines.some(({ type }) => type === "result")).toBe(prompt.startsWith("exit"));
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("leaves at %s with %d", async (signal, code) => {
    await using agent = start();
    await agent.hears("state");
    agent.child.kill(signal);
    expect(await agent.exited).toEqual([code, null]);
  });

  test("leaves at SIGTERM in the middle of a turn", async () => {
    await using agent = start(["hang"]);
    await agent.hears("user");
    agent.child.kill("SIGTERM");
    expect(await agent.exited).toEqual([143, null]);
  });

  test("takes SIGINT in a turn for an interrupt", async () => {
    await using agent = start(["hang"]);
    await agent.hears("user");
    agent.child.kill("SIGINT");
    expect(await agent.hears("result")).toMatchObject({ turn: "aborted" });
  });

  test("ignores the signals it is told to", async () => {
    await using agent = start();
    await agent.turn("ignore SIGTERM hup");
    agent.child.kill("SIGTERM");
    agent.child.kill("SIGHUP");
    agent.prompt("say alive");
    expect(await agent.hears("result", 2)).toMatchObject({ text: "alive" });
  });

  test("stays when its input ends in a turn, and leaves after it", async () => {
    await using agent = start();
    agent.prompt("work 100ms ; say done");
    agent.prompt("say last");
    agent.child.stdin.end();
    expect(await agent.exited).toEqual([0, null]);
    expect(await agent.hears("result", 2)).toMatchObject({ text: "last" });
  });

  test("leaves when it is told to stop", async () => {
    await using agent = start(["hang"]);
    await agent.hears("user");
    agent.send(autonomous.controls.stop(TARGET));
    expect(await agent.exited).toEqual([0, null]);
  });

  test("hears nothing more once it has stopped reading", async () => {
    await using agent = start();
    await agent.turn("stop-reading ; say deaf");
    agent.prompt("say heard");
    agent.child.stdin.end();
    const isOver = await Promise.race([
      agent.exited,
      new Promise((resolve) => setTimeout(resolve, 300, "alive")),
    ]);
    expect(isOver).toBe("alive");
    expect(agent.texts.join()).not.toContain("heard");
  });
});

describe("the hook", () => {
  test("is called for every event, in order, also at SIGTERM", async () => {
    using folder = tempFolder();
    const script = join(folder.path, "hook");
    writeFileSync(script, `#!/bin/sh\nprintf '%s ' "$1" >>"$0.log"\ncat >>"$0.log"\necho >>"$0.log"\n`, {
      mode: 0o755,
    });
    await using agent = start(["--session-id", "n", "ask Bash"], { ROLLCALL_HOOK: script });
    const { request_id } = await agent.hears("request");
    agent.tell({ type: "answer", request_id, decision: "approve" });
    await agent.hears("result");
    agent.child.kill("SIGTERM");
    expect(await agent.exited).toEqual([143, null]);
    const calls = readFileSync(`${script}.log`, "utf8").trim().split("\n");
    const events = calls.map((call) => {
      const [event = "", json = "{}"] = call.split(/ (.*)/);
      const payload = JSON.parse(json) as { session_id: string };
      expect(payload.session_id).toBe("n");
      return [event, parseHook(event, payload).signal?.says];
    });
    expect(events).toEqual([
      ["session_start", "ready"],
      ["turn_start", "working"],
      ["request", "asking"],
      ["turn_end", "ready"],
      ["session_end", undefined],
    ]);
  });

  test("that is missing or fails changes nothing", async () => {
    await using agent = start([], { ROLLCALL_HOOK: "/nowhere/at/all" });
    expect(await agent.turn("say hi")).toContain("result good hi");
    agent.child.stdin.end();
    expect(await agent.exited).toEqual([0, null]);
  });
});
