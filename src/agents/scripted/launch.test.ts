import { expect, test } from "vitest";
import { launchRequest } from "../../testing/agents/launch-request.ts";
import { findMode } from "../agent.ts";
import { scripted } from "./adapter.ts";
import { autonomous } from "./autonomous/mode.ts";
import { http } from "./http/mode.ts";
import { interactive } from "./interactive/mode.ts";

const { plan } = interactive;

test("an interactive session of scripted has an id of ours and a transcript", () => {
  expect(plan(launchRequest())).toEqual({
    command: ["/bin/node", "/lib/scripted-agent.cjs", "--session-id", "fresh"],
    env: { SCRIPTED_AGENT_HOME: "/state/scripted" },
    nativeId: "fresh",
    transcript: "/state/scripted/sessions/fresh.jsonl",
  });
});

test("an autonomous session of scripted has its stream as its only record", () => {
  expect(autonomous.plan(launchRequest())).toMatchObject({
    command: ["/bin/node", "/lib/scripted-agent.cjs", "--session-id", "fresh", "--print"],
    transcript: null,
  });
});

test("scripted is given a model and more arguments", () => {
  const { command } = plan(launchRequest({ model: "big-1", args: ["--trust", "say hi"] }));
  expect(command.slice(4)).toEqual(["--model", "big-1", "--trust", "say hi"]);
});

test("a resumed session of scripted keeps its id", () => {
  const planned = plan(launchRequest({ continues: { nativeId: "old", how: "resume" } }));
  expect(planned.command.slice(2)).toEqual(["--resume", "old"]);
  expect(planned).toMatchObject({ nativeId: "old", transcript: "/state/scripted/sessions/old.jsonl" });
});

test("a forked session of scripted has a new id", () => {
  const planned = plan(launchRequest({ continues: { nativeId: "old", how: "fork" } }));
  expect(planned.command.slice(2)).toEqual(["--fork", "old", "--session-id", "fresh"]);
  expect(planned).toMatchObject({ nativeId: "fresh", transcript: "/state/scripted/sessions/fresh.jsonl" });
});

test("scripted writes to the caller's folder for transcripts", () => {
  const planned = plan(launchRequest({ env: { SCRIPTED_AGENT_HOME: "/mine" } }));
  expect(planned).toMatchObject({
    env: { SCRIPTED_AGENT_HOME: "/mine" },
    transcript: "/mine/sessions/fresh.jsonl",
  });
});

test("a session of scripted over HTTP has its password in the environment alone", () => {
  const server = { port: 4711, password: "the-password" };
  const planned = http.plan(launchRequest({ server, args: ["--serve"] }));
  expect(planned).toMatchObject({
    env: { SCRIPTED_AGENT_PORT: "4711", SCRIPTED_AGENT_PASSWORD: "the-password" },
    transcript: null,
    server: { ...server, user: "scripted" },
  });
  expect(planned.command.slice(4)).toEqual(["--serve", "--serve"]);
});

test.each([
  [["--serve"], "http"],
  [["--trust", "--serve"], "http"],
  [[], "interactive"],
  [["say --serve"], "interactive"],
])("the arguments %j of scripted ask for its mode %s", (args, name) => {
  expect(findMode(scripted, "interactive", args)?.name).toBe(name);
  expect(findMode(scripted, "autonomous", args)?.name).toBe("autonomous");
});
