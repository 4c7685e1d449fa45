import { describe, expect, test } from "vitest";
import { launchRequest } from "../../testing/agents/launch-request.ts";
import { autonomous } from "./autonomous/mode.ts";
import { interactive } from "./interactive/mode.ts";

const { plan } = interactive;
const REQUEST = launchRequest({
  cwd: "/home/someone/my.project_1",
  env: { HOME: "/home/someone" },
  hookScript: "/state folder/it's/hook.sh",
});
const CONFIG = "/home/someone/.claude";
const FOLDER = `${CONFIG}/projects/-home-someone-my-project-1`;

describe("an interactive session of Claude", () => {
  test("has an id of ours, and settings for itself alone", () => {
    const { files, ...planned } = plan(REQUEST);
    expect(planned).toEqual({
      command: ["claude", "--session-id", "fresh", "--settings", "/run/s/settings.json"],
      env: {},
      nativeId: "fresh",
      transcript: `${FOLDER}/fresh.jsonl`,
      liveFiles: `${CONFIG}/sessions`,
    });
    expect(Object.keys(files ?? {})).toEqual(["settings.json"]);
  });

  test("has few hooks, which call the script whatever its path is", () => {
    const { hooks } = JSON.parse(plan(REQUEST).files?.["settings.json"] ?? "");
    expect(Object.keys(hooks)).toEqual(["SessionStart", "PermissionRequest", "SessionEnd"]);
    expect(hooks.SessionEnd[0].hooks[0].command).toBe(`'/state folder/it'\\''s/hook.sh' SessionEnd`);
  });

  test("reports, though the caller wants no titles", () => {
    const env = { ...REQUEST.env, CLAUDE_CODE_DISABLE_TERMINAL_TITLE: "1" };
    expect(plan({ ...REQUEST, env }).env).toEqual({ CLAUDE_CODE_DISABLE_TERMINAL_TITLE: "" });
  });
});

describe("an autonomous session of Claude", () => {
  test("speaks in lines of JSON both ways, and tells its states", () => {
    const { command, ...planned } = autonomous.plan(REQUEST);
    expect(command.slice(1, 8).join(" ")).toBe(
      "-p --input-format stream-json --output-format stream-json --verbose --permission-prompt-tool",
    );
    expect(planned).toMatchObject({
      env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" },
      transcript: `${FOLDER}/fresh.jsonl`,
    });
    expect(planned).not.toHaveProperty("liveFiles");
    expect(JSON.parse(planned.opening ?? "")).toMatchObject({ request: { subtype: "initialize" } });
  });
});

describe("the conversation of Claude", () => {
  test("is resumed under its id", () => {
    const planned = plan({ ...REQUEST, continues: { nativeId: "old", how: "resume" } });
    expect(planned.command.slice(1, 3)).toEqual(["--resume", "old"]);
    expect(planned).toMatchObject({ nativeId: "old", transcript: `${FOLDER}/old.jsonl` });
  });

  test("is copied into one with a new id", () => {
    const planned = plan({ ...REQUEST, continues: { nativeId: "old", how: "fork" } });
    expect(planned.command.slice(1, 6)).toEqual([
      "--resume",
      "old",
      "--fork-session",
      "--session-id",
      "fresh",
    ]);
    expect(planned).toMatchObject({ nativeId: "fresh", transcript: `${FOLDER}/fresh.jsonl` });
  });

  test.each([
    [{ CLAUDE_CONFIG_DIR: "/elsewhere", HOME: "/home/someone" }, "/elsewhere/sessions"],
    [{ CLAUDE_CONFIG_DIR: "mine" }, "/home/someone/my.project_1/mine/sessions"],
    [{ CLAUDE_CONFIG_DIR: "", HOME: "/h" }, "/h/.claude/sessions"],
  ])("is kept where the environment %o says", (env, liveFiles) => {
    expect(plan({ ...REQUEST, env }).liveFiles).toBe(liveFiles);
  });

  test("is looked for nowhere without a home", () => {
    expect(plan({ ...REQUEST, env: {} })).toMatchObject({ transcript: null });
  });
});

describe("arguments for Claude", () => {
  test("come last, behind the model", () => {
    const { command } = plan({ ...REQUEST, model: "opus", args: ["--permission-mode", "plan"] });
    expect(command.slice(-4)).toEqual(["--model", "opus", "--permission-mode", "plan"]);
  });

  test.each([
    ["-p"],
    ["--print"],
    ["-c"],
    ["--continue"],
    ["-r"],
    ["--resume"],
    ["--resume=x"],
    ["--session-id"],
    ["--fork-session"],
    ["--output-format=json"],
    ["--bg"],
  ])("with %s are refused in one sentence", (arg) => {
    expect(() => plan({ ...REQUEST, args: [arg] })).toThrow(
      expect.objectContaining({
        code: "bad_usage",
        message: expect.stringContaining(arg.split("=")[0] ?? ""),
      }),
    );
  });

  test.each([["--permission-mode"], ["--add-dir"], ["--dangerously-skip-permissions"], ["do --resume it"]])(
    "with %s are taken",
    (arg) => {
      expect(plan({ ...REQUEST, args: [arg] }).command.at(-1)).toBe(arg);
    },
  );

  test("with settings of their own stand in place of ours, and that is told", () => {
    const planned = plan({ ...REQUEST, args: ["--settings", "mine.json"] });
    expect(planned.command).toEqual(["claude", "--session-id", "fresh", "--settings", "mine.json"]);
    expect(planned).not.toHaveProperty("files");
    expect(planned.notice).toMatch(/without the input of the tool/);
  });
});
