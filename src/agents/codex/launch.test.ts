import { describe, expect, test } from "vitest";
import { launchRequest } from "../../testing/agents/launch-request.ts";
import type { LaunchRequest } from "../launch.ts";
import { autonomous } from "./autonomous/mode.ts";
import { lockOf, sockets } from "./home.ts";
import { interactive } from "./interactive/mode.ts";

const { plan } = interactive;
const REQUEST = launchRequest({ env: { HOME: "/home/user" } });

describe("an interactive session of Codex", () => {
  test("runs its tools itself, has no id yet, and leaves the user's files alone", () => {
    expect(plan(REQUEST)).toEqual({
      command: ["codex", "-c", "features.daemon_auto_start=false"],
      env: {},
      nativeId: null,
      transcript: null,
      transcripts: "/home/user/.codex/sessions",
      makes: { folder: "/home/user/.codex", name: String.raw`^state_\d+\.sqlite$` },
    });
  });

  test("stays out of a shared server that runs", () => {
    const answering = sockets(REQUEST.env);
    expect(answering).toEqual(["/home/user/.codex/app-server-control/app-server-control.sock"]);
    expect(plan({ ...REQUEST, answering }).command).toEqual(["codex", "--no-daemon"]);
  });

  test.each(["resume", "fork"] as const)("is taken up by %s, with a model and its own options", (how) => {
    const planned = plan({
      ...REQUEST,
      continues: { nativeId: "old", how },
      model: "m",
      args: ["-s", "read-only"],
    });
    expect(planned.command).toEqual([
      ...["codex", how, "old", "-c", "features.daemon_auto_start=false"],
      ...["--model", "m", "-s", "read-only"],
    ]);
    expect(planned.nativeId).toBe(how === "resume" ? "old" : null);
  });

  test("is looked for where the user keeps it", () => {
    const env = { HOME: "/home/user", CODEX_HOME: "/elsewhere" };
    expect(plan({ ...REQUEST, env }).transcripts).toBe("/elsewhere/sessions");
    expect(lockOf(env, "id")).toBe("/elsewhere/thread-writer-locks/id.lock");
  });
});

describe("an autonomous session of Codex", () => {
  const opened = (request: Partial<LaunchRequest>) =>
    (autonomous.plan({ ...REQUEST, ...request }).opening ?? "")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  test("speaks to the app server, which opens the conversation at once", () => {
    expect(autonomous.plan({ ...REQUEST, args: ["-c", "a=1"] })).toMatchObject({
      command: ["codex", "app-server", "-c", "a=1"],
    });
    expect(opened({})).toEqual([
      expect.objectContaining({ method: "initialize" }),
      { method: "initialized" },
      { id: "open", method: "thread/start", params: { cwd: "/project" } },
    ]);
  });

  test.each(["resume", "fork"] as const)("is taken up by %s, without its history", (how) => {
    expect(opened({ continues: { nativeId: "old", how }, model: "m" }).at(-1)).toEqual({
      id: "open",
      method: `thread/${how}`,
      params: { threadId: "old", excludeTurns: true, cwd: "/project", model: "m" },
    });
  });
});

describe("an argument for Codex", () => {
  test.each([
    [["-c", "resume=1", "--model", "exec", "--search"]],
    [["--config=a=b", "-s", "read-only", "--full-auto"]],
    [[]],
  ])("of %j is given on", (args) => {
    expect(plan({ ...REQUEST, args }).command.slice(3)).toEqual(args);
  });

  test.each([
    ["resume", "id"],
    ["exec"],
    ["-s", "read-only", "do it"],
    ["--", "x"],
    ["-C", "/"],
    ["--remote=unix://"],
  ])("such as %s is refused", (...args) => {
    expect(() => plan({ ...REQUEST, args })).toThrow(
      expect.objectContaining({ code: "bad_usage", hint: expect.any(String) }),
    );
  });
});
