import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Answer, LAUNCHER, run } from "../cli/rollcall.ts";
import { type ModelServer, startModelServer } from "./model-server/server.ts";
import { newPlace, type Place } from "./place.ts";
import { installProgram, type Program } from "./programs.ts";

let claude: Program;
beforeAll(async () => {
  claude = await installProgram("claude");
});

/** A user of Claude Code with our hooks in their own settings. */
interface Lab extends AsyncDisposable {
  readonly place: Place;
  readonly server: ModelServer;
  rollcall(...args: string[]): Promise<Answer>;
  /** A session for Claude's sub-agent, in a phase. */
  session(phase: string): Promise<string>;
  claude(prompt: string, env?: Readonly<Record<string, string>>): Promise<Answer>;
  /** What reached the model beside the conversation itself. */
  contexts(): string[];
  /** The events that sessions outside reported, in order. */
  reported(): string[];
}

async function newLab(): Promise<Lab> {
  const server = await startModelServer();
  const place = newPlace(["claude"], { modelUrl: server.url, retries: 0 });
  const options = { env: place.env, cwd: place.project };
  const rollcall: Lab["rollcall"] = (...args) => run(process.execPath, [LAUNCHER, ...args], options);
  const spool = join(place.home, ".rollcall/run/hooks");
  expect(await rollcall("hooks", "install", "claude")).toMatchObject({ code: 0 });
  return {
    place,
    server,
    rollcall,
    session: async (phase) => {
      const flags = ["--agent", "general-purpose", "--metadata", '{"plan_file":"plan.json"}'];
      const { stdout } = await rollcall("create", ...flags);
      await rollcall("update", stdout.trim(), "--phase", phase);
      return stdout.trim();
    },
    claude: (prompt, env = {}) =>
      run(claude.path, ["-p", prompt], { ...options, env: { ...place.env, ...env } }),
    contexts: () =>
      server.requests.flatMap(
        ({ body }) => /hook additional context: ((?:[^"\\]|\\.)*)/.exec(body)?.[1] ?? [],
      ),
    reported: () =>
      readdirSync(spool)
        .sort()
        .map((name) => name.split(".").at(-1) as string),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

/** A prompt by which the model calls its sub-agent tool. */
function delegate(prompt: string, more: object = {}): string {
  const input = { description: "scripted", prompt, subagent_type: "general-purpose", ...more };
  return `[[call:Agent ${JSON.stringify(input)}]]`;
}

test.each([
  ["in the background", {}],
  ["in the foreground", { run_in_background: false }],
  ["without a type", { subagent_type: undefined }],
])("the session of a sub-agent %s is finalised when it stops", async (_how, more) => {
  await using lab = await newLab();
  const id = await lab.session("executing");
  const said = await lab.claude(delegate(`[[text:It is planned.]] agent_id: ${id}`, more));
  expect(said).toMatchObject({ code: 0, stderr: "" });
  expect(lab.contexts()[0]).toContain(`session ${id} cannot be taken up (phase_not_resumable)`);
  const { json } = await lab.rollcall("get", id, "--json");
  expect(json).toMatchObject({ phase: "completed", outcome: "success", summary: "It is planned." });
});

test("what is known of a session reaches the model that delegates, and one that waits for approval stays open", async () => {
  await using lab = await newLab();
  const id = await lab.session("approval");
  await lab.claude(delegate(`[[text:Shall I?]] agent_id: ${id}`));
  expect(lab.contexts()[0]).toContain(`session ${id} can be taken up. What is known of it:`);
  expect(lab.contexts()[0]).toContain("plan.json");
  expect((await lab.rollcall("get", id, "--json")).json).toMatchObject({
    phase: "approval",
    status: "active",
  });
});

test("sessions that could be taken up are offered to the model, once", async () => {
  await using lab = await newLab();
  const id = await lab.session("planning");
  await lab.claude(delegate("[[text:fine]]"));
  expect(lab.contexts()[0]).toContain(`- ${id}: phase planning`);
  const { json } = await lab.rollcall("stats", "--resume", "--json");
  expect(json.resume).toMatchObject({ delegations: 1 });
});

test("a sub-agent that fails is not said to have stopped, and its session stays as it was", async () => {
  await using lab = await newLab();
  const id = await lab.session("executing");
  await lab.claude(delegate(`[[err:400]] agent_id: ${id}`));
  expect(lab.contexts()[0]).toContain(id);
  expect((await lab.rollcall("get", id, "--json")).json).toMatchObject({ phase: "executing" });
});

test("a session outside reports itself by the hooks, a carried one does not, and without them nothing does", async () => {
  await using lab = await newLab();
  const turn = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"];
  await lab.claude("[[text:hello]]");
  expect(lab.reported()).toEqual(turn);
  await lab.claude("[[text:hello]]", { ROLLCALL_SESSION: "0".repeat(32) });
  expect(lab.reported()).toEqual(turn);
  await lab.rollcall("hooks", "remove", "claude");
  await lab.claude("[[text:hello]]");
  expect(lab.reported()).toEqual(turn);
});
