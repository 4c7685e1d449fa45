import { expect, test } from "vitest";
import { dataOf, reachAfter } from "../live/scripted.ts";
import { newLiveUser } from "../live/user.ts";
import { installPackage } from "./programs.ts";

/** The example agent of the protocol's own SDK, in the last release that has one: no adapter of ours knows it. */
const EXAMPLE = {
  name: "acp-example",
  package: "@agentclientprotocol/sdk",
  version: "1.9.0",
  binary: () => "@agentclientprotocol/sdk/dist/examples/agent.js",
};

test("an agent that no adapter knows runs over the Agent Client Protocol, with turns, permissions and its end", async () => {
  await using user = newLiveUser();
  const agent = await installPackage(EXAMPLE);
  const { id } = await user.start(["--kind", "acp", "--prompt", "hello", "--", process.execPath, agent]);
  const asking = await user.reach(id, "waiting_input");
  expect(asking).toMatchObject({
    agent_type: "unknown",
    state_source: "protocol",
    waiting: {
      for: "permission",
      tool: "edit",
      question: "Modifying critical configuration file",
      options: ["Allow this change", "Skip this change"],
    },
  });
  const always = await user.rollcall(["approve", id, "--always", "--json"]);
  expect(always).toMatchObject({ code: 4, error: { code: "not_offered" } });
  const { seq } = (await user.ok(["approve", id, "--json"])).json;
  expect(await reachAfter(user, id, Number(seq), "waiting_input")).toMatchObject({
    waiting: { for: "prompt" },
    turn: { number: 1, outcome: "success" },
  });
  const { entries } = await dataOf(user, id);
  expect(entries.map(({ role, kind }) => `${role} ${kind}`)).toEqual([
    ...["user text", "assistant text", "assistant tool_call", "tool tool_result", "assistant text"],
    ...["assistant tool_call", "tool tool_result", "assistant text"],
  ]);
  const second = (await user.ok(["send", id, "again", "--json"])).json;
  expect(second.turn).toBe(2);
  expect((await reachAfter(user, id, Number(second.seq), "waiting_input")).waiting).toMatchObject({
    for: "permission",
  });
  await user.ok(["interrupt", id]);
  expect(await user.get(id)).toMatchObject({ turn: { number: 2, outcome: "interrupted" } });
  const ended = (await user.ok(["end", id, "--json"])).only;
  expect(ended).toMatchObject({ session: { state: "stopped", exit_code: 0 }, killed: 0, remaining: [] });
  // It keeps nothing, and says so.
  await user.ok(["resume", id, "-d"]);
  const { waiting } = await user.reach(id, "waiting_input");
  expect(waiting).toMatchObject({ for: "dialog", question: expect.stringContaining("neither") });
});
