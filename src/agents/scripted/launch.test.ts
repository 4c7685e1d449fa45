import { expect, test } from "vitest";
import type { LaunchRequest } from "../agent.ts";
import { plan } from "./launch.ts";

const REQUEST: LaunchRequest = {
  sessionId: "s",
  kind: "interactive",
  args: [],
  cwd: "/project",
  model: null,
  env: {},
  freshId: "fresh",
  continues: null,
  answering: [],
  hookScript: "/home/run/hook.sh",
  folder: "/run/s",
  home: "/state",
  node: "/bin/node",
  programs: { scripted: "/lib/scripted-agent.cjs" },
};

test("an interactive session has a terminal, an id of ours and a transcript", () => {
  expect(plan(REQUEST)).toEqual({
    command: ["/bin/node", "/lib/scripted-agent.cjs", "--session-id", "fresh"],
    env: { SCRIPTED_AGENT_HOME: "/state/scripted" },
    host: "pty",
    nativeId: "fresh",
    transcript: "/state/scripted/sessions/fresh.jsonl",
  });
});

test("an autonomous session has pipes, and its stream is its only record", () => {
  expect(plan({ ...REQUEST, kind: "autonomous" })).toMatchObject({
    command: ["/bin/node", "/lib/scripted-agent.cjs", "--session-id", "fresh", "--print"],
    host: "pipe",
    transcript: null,
  });
});

test("a model and more arguments are passed on", () => {
  const { command } = plan({ ...REQUEST, model: "big-1", args: ["--trust", "say hi"] });
  expect(command.slice(4)).toEqual(["--model", "big-1", "--trust", "say hi"]);
});

test("a resumed session keeps its id", () => {
  const planned = plan({ ...REQUEST, continues: { nativeId: "old", how: "resume" } });
  expect(planned.command.slice(2)).toEqual(["--resume", "old"]);
  expect(planned).toMatchObject({ nativeId: "old", transcript: "/state/scripted/sessions/old.jsonl" });
});

test("a forked session has a new id", () => {
  const planned = plan({ ...REQUEST, continues: { nativeId: "old", how: "fork" } });
  expect(planned.command.slice(2)).toEqual(["--fork", "old", "--session-id", "fresh"]);
  expect(planned).toMatchObject({ nativeId: "fresh", transcript: "/state/scripted/sessions/fresh.jsonl" });
});

test("the caller's folder for transcripts is used", () => {
  const planned = plan({ ...REQUEST, env: { SCRIPTED_AGENT_HOME: "/mine" } });
  expect(planned).toMatchObject({
    env: { SCRIPTED_AGENT_HOME: "/mine" },
    transcript: "/mine/sessions/fresh.jsonl",
  });
});

test("a kind that it does not have is refused", () => {
  expect(() => plan({ ...REQUEST, kind: "acp" })).toThrow(expect.objectContaining({ code: "bad_usage" }));
});
