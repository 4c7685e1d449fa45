import { describe, expect, test } from "vitest";
import { launchRequest } from "../../testing/agents/launch-request.ts";
import { acp } from "./acp/mode.ts";
import { autonomous } from "./autonomous/mode.ts";
import { interactive } from "./interactive/mode.ts";

const SERVER = { port: 4711, password: "the-password" };
const NATIVE = "ses_0123456789abcdef";

describe("the plan of OpenCode", () => {
  test("binds its server to loopback, with the password in the environment alone", () => {
    const { command, env, server } = interactive.plan(launchRequest({ server: SERVER }));
    expect(command).toEqual(["opencode", "--hostname", "127.0.0.1", "--port", "4711"]);
    expect(env).toMatchObject({
      OPENCODE_SERVER_PASSWORD: "the-password",
      OPENCODE_SERVER_USERNAME: "opencode",
    });
    expect(server).toEqual({ port: 4711, user: "opencode", password: "the-password" });
  });

  test("gives its parsers the model, the agent and the conversation", () => {
    const resumed = interactive.plan(
      launchRequest({
        server: SERVER,
        model: "lab/big",
        args: ["--agent", "plan"],
        continues: { nativeId: NATIVE, how: "resume" },
      }),
    );
    expect(resumed.memory).toEqual({ native: NATIVE, model: "lab/big", agent: "plan", hasTerminal: true });
    expect(resumed.command.slice(0, 5)).toEqual(["opencode", "--model", "lab/big", "--session", NATIVE]);
    const forked = autonomous.plan(
      launchRequest({ server: SERVER, continues: { nativeId: NATIVE, how: "fork" } }),
    );
    expect([forked.memory, forked.nativeId]).toEqual([{ forkOf: NATIVE }, null]);
  });

  test("makes a database, unless its user has named one", () => {
    const makes = (env: Record<string, string>) =>
      [interactive, autonomous, acp].map(
        ({ plan }) => plan(launchRequest({ server: SERVER, env })).makes?.folder,
      );
    const folder = "/home/user/.local/share/opencode";
    expect(makes({ HOME: "/home/user" })).toEqual([folder, folder, folder]);
    expect(makes({ OPENCODE_DB: ":memory:" })).toEqual([undefined, undefined, undefined]);
    expect(makes({ OPENCODE_DB: "/a.db" })).toEqual([undefined, undefined, undefined]);
  });

  test.each(["--port=1", "--hostname", "--session", "-c", "--fork", "--cors", "--prompt"])(
    "refuses %s, which would lead it elsewhere",
    (option) => {
      const plan = () => interactive.plan(launchRequest({ server: SERVER, args: [option] }));
      expect(plan).toThrow(expect.objectContaining({ code: "bad_usage" }));
    },
  );
});
