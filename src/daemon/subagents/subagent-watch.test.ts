import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSession } from "../../record/create.ts";
import { usedDatabase, userMessage } from "../../testing/history/opencode/used-database.ts";
import { AT, request, subagentPlace, TASK } from "../../testing/session/subagent-place.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { EventHub } from "../feed/event-hub.ts";
import { SubagentEnds } from "./subagent-ends.ts";

describe("the sub-agents of a session", () => {
  test("are children with their own words, turns and usage, live and when they are done", async () => {
    await using at = await subagentPlace();
    const watch = at.watch();
    at.write("agent-a1", [TASK, request("m1", "tool_use")]);
    await watch.catchUp();
    const [working] = await at.children();
    expect(working).toMatchObject({
      ...{ agentType: "claude", agentName: "general-purpose", purpose: "agent-a1", nativeId: "a1" },
      ...{ kind: "autonomous", origin: "subagent", state: "running", turn: { number: 1, state: "running" } },
      usage: { tokensInput: 5, tokensOutput: 6, tokensCacheRead: 7, tokensCacheWrite: 8 },
    });
    at.write("agent-a1", [request("m2", "end_turn")]);
    await watch.catchUp();
    const [done] = await at.children();
    expect(done).toMatchObject({
      ...{ id: working?.id, state: "stopped", outcome: "success" },
      usage: { turns: 1, tokensInput: 10, tokensTotal: 52 },
    });
    const entries = await at.context.store.entries(done?.id ?? "", {});
    expect(entries.map(({ text }) => text)).toEqual(["do it", "word m1", "word m2"]);
  });

  test("count for their parent at every depth, and not as its own usage", async () => {
    await using at = await subagentPlace();
    at.write("agent-a1", [TASK, request("m1", "end_turn")]);
    at.write("workflows/w1/agent-a2", [TASK, request("m2", "end_turn")], { parentAgentId: "a1" });
    await at.watch().catchUp();
    const [child] = await at.children();
    expect(await at.children(child?.id)).toMatchObject([{ nativeId: "a2" }]);
    const { usage, usageWithChildren } = await at.rollcall.get(at.id);
    expect([usage.tokensTotal, usageWithChildren.tokensTotal, child?.usageWithChildren.tokensTotal]).toEqual([
      ...[null, 52, 52],
    ]);
  });

  test("are found in any order, each below the one that started it, also where two name each other", async () => {
    await using at = await subagentPlace();
    at.write("agent-a1", [TASK], { parentAgentId: "b1" });
    at.write("agent-b1", [TASK]);
    at.write("agent-c1", [TASK], { parentAgentId: "c2" });
    at.write("agent-c2", [TASK], { parentAgentId: "c1" });
    await at.watch().catchUp();
    const own = await at.children();
    const parent = own.find(({ nativeId }) => nativeId === "b1");
    expect(await at.children(parent?.id)).toMatchObject([{ nativeId: "a1" }]);
    const [one] = own.filter(({ nativeId }) => nativeId?.startsWith("c"));
    expect(await at.children(one?.id)).toHaveLength(1);
  });

  test("are neither doubled nor lost by a daemon that comes back", async () => {
    await using at = await subagentPlace();
    at.write("agent-a1", [TASK, request("m1", "tool_use")]);
    const first = at.watch();
    await first.catchUp();
    first.stop();
    at.write("agent-a1", [request("m2", "end_turn")]);
    at.write("agent-a3", [TASK]);
    await at.watch().catchUp();
    await at.watch().catchUp();
    const children = await at.children();
    const found = children.map(({ nativeId, state, usage }) => [nativeId, state, usage.tokensTotal]);
    expect(found.sort()).toEqual([
      ["a1", "stopped", 52],
      ["a3", "running", null],
    ]);
  });

  test("that are given another task go on in the same record", async () => {
    await using at = await subagentPlace();
    const watch = at.watch();
    at.write("agent-a1", [TASK, request("m1", "end_turn")]);
    await watch.catchUp();
    at.write("agent-a1", [TASK]);
    await watch.catchUp();
    expect(await at.children()).toMatchObject([{ state: "running", generation: 2, turn: { number: 2 } }]);
  });

  test("are found in a database, where their agent keeps them in one", async () => {
    await using at = await subagentPlace();
    using folder = tempFolder();
    const databases = join(folder.path, "opencode.db");
    using database = usedDatabase(databases);
    database.write([userMessage("msg_1", 1)]);
    database.write([userMessage("msg_2", 2)], { id: "ses_2", parentId: "ses_1" });
    await at.watch({ agent: "opencode", nativeId: "ses_1", databases }).catchUp();
    expect(await at.children()).toMatchObject([{ nativeId: "ses_2", state: "running" }]);
  });

  test("take the record that was made for them, instead of a second one", async () => {
    await using at = await subagentPlace();
    const made = await createSession(at.context, { agentName: "general-purpose", agentType: "claude" });
    await at.context.store.logDelegation({
      ...{ at: AT, agentName: "general-purpose", taskId: "toolu_1", sessionId: made, seq: 1 },
      ...{ resume: true, reason: "session_resumable" },
    });
    at.write("agent-a1", [TASK, request("m1", "tool_use")], { toolUseId: "toolu_1" });
    await at.watch().catchUp();
    expect(await at.children()).toMatchObject([{ id: made, nativeId: "a1", usage: { tokensTotal: 26 } }]);
  });

  test("are not made anew once their record was deleted", async () => {
    await using at = await subagentPlace();
    at.write("agent-a1", [TASK, request("m1", "end_turn")]);
    await at.watch().catchUp();
    const [child] = await at.children();
    await at.context.store.remove([child?.id ?? ""], AT);
    await at.watch().catchUp();
    expect(await at.children()).toEqual([]);
  });

  test("end with it, also where it ended while no daemon ran", async () => {
    await using at = await subagentPlace();
    at.write("agent-a1", [TASK]);
    at.write("agent-a2", [TASK], { parentAgentId: "a1" });
    await at.watch().catchUp();
    await at.rollcall.finalize(at.id, "completed");
    const ends = new SubagentEnds({ context: at.context, log: at.log, hub: new EventHub() });
    await ends.begin();
    const [child] = await at.children();
    expect([child, ...(await at.children(child?.id))]).toMatchObject([
      { state: "stopped", outcome: "interrupted" },
      { state: "stopped", outcome: "interrupted" },
    ]);
    await ends.end();
  });
});
