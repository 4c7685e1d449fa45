import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asking, atPrompt, dataOf, eventsOf, reachAfter, said, statesOf, turn } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

/** The scripted agent over the Agent Client Protocol, at its first prompt. */
async function spoken(user: LiveUser, ...args: readonly string[]): Promise<string> {
  return atPrompt(user, "--kind", "acp", ...args);
}

async function answered(user: LiveUser, id: string, ...args: readonly string[]) {
  const { seq } = (await user.ok([...args, "--json"])).json;
  return reachAfter(user, id, Number(seq), "waiting_input");
}

async function kindsOf(user: LiveUser, id: string): Promise<string[]> {
  const { entries } = await dataOf(user, id, "--tail", "1000");
  return entries.map(({ kind, text }) => (text === null ? kind : `${kind} ${text}`));
}

/** A shell command that waits for a file. */
function untilThere(path: string): string {
  return `until [ -e ${path} ]; do sleep 0.02; done`;
}

describe("an agent over the Agent Client Protocol", () => {
  test("gets its first text, works on it, and waits at its prompt, all by the protocol", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", "think hm ; tool Bash ; say hi", "--kind", "acp"]);
    await user.ok(["wait", id]);
    expect(await user.get(id)).toMatchObject({
      kind: "acp",
      state: "waiting_input",
      waiting: { for: "prompt" },
      state_source: "protocol",
      turn: { number: 1, outcome: "success" },
      model: "scripted-1",
      agent_version: "1.0.0",
      usage: { turns: 1, tokens_input: 100, tokens_output: 20, cost_usd: 0.001, cost_source: "reported" },
    });
    const told = ["text think hm ; tool Bash ; say hi", "thinking hm", "tool_call", "tool_result", "text hi"];
    expect(await kindsOf(user, id)).toEqual(told);
    const sources = (await eventsOf(user, id)).flatMap(({ body }) => body.evidence?.source ?? []);
    expect(new Set(sources)).toEqual(new Set(["operator", "protocol"]));
  });

  test("answers send --wait with the answer of its turn, however short the turn", async () => {
    await using user = newLiveUser();
    const id = await spoken(user);
    for (const number of [1, 2, 3, 4, 5])
      expect(await turn(user, id, `say answer ${number}`)).toMatchObject({ answer: `answer ${number}` });
    expect(await said(user, id, "assistant")).toEqual([1, 2, 3, 4, 5].map((number) => `answer ${number}`));
    expect(await user.get(id)).toMatchObject({ usage: { turns: 5, tokens_input: 500, cost_usd: 0.005 } });
  });

  test("is approved, denied, and approved always", async () => {
    await using user = newLiveUser();
    const id = await spoken(user);
    const { waiting } = await asking(user, id, 'ask Bash {"command":"ls"}');
    expect(waiting).toMatchObject({
      for: "permission",
      tool: "Bash",
      input: { command: "ls" },
      options: ["Allow once", "Always allow", "Reject"],
    });
    expect(await answered(user, id, "approve", id)).toMatchObject({ waiting: { for: "prompt" } });
    expect((await kindsOf(user, id)).slice(-2)).toEqual(["tool_call", "tool_result"]);
    await asking(user, id, "ask Bash");
    await answered(user, id, "deny", id);
    expect((await said(user, id, "assistant")).at(-1)).toBe("Bash was denied.");
    await asking(user, id, "ask Bash ; ask Bash ; say done");
    expect(await answered(user, id, "approve", id, "--always")).toMatchObject({ waiting: { for: "prompt" } });
    expect((await said(user, id, "assistant")).at(-1)).toBe("done");
  });

  test("refuses a reason for a denial, which the protocol has no place for, and asks on", async () => {
    await using user = newLiveUser();
    const id = await spoken(user);
    const { waiting } = await asking(user, id, "ask Bash");
    const denied = await user.rollcall(["deny", id, "--reason", "not on a Friday", "--json"]);
    expect(denied).toMatchObject({ code: 4, error: { code: "not_offered" } });
    expect(await user.get(id)).toMatchObject({ waiting });
  });

  test("is interrupted in mid-turn and at a permission", async () => {
    await using user = newLiveUser();
    const id = await spoken(user);
    for (const text of ["hang", "ask Bash"]) {
      const { seq } = (await user.ok(["send", id, text, "--json"])).json;
      await reachAfter(user, id, Number(seq), text === "hang" ? "running" : "waiting_input");
      await user.ok(["interrupt", id]);
      const interrupted = { waiting: { for: "prompt" }, turn: { outcome: "interrupted" } };
      expect(await user.get(id)).toMatchObject(interrupted);
    }
    expect(await turn(user, id, "say alive")).toMatchObject({ answer: "alive" });
  });

  test("tells the error of a turn that failed", async () => {
    await using user = newLiveUser();
    const id = await spoken(user);
    const failed = await user.rollcall(["send", id, "fail no more credit", "--wait", "--json"]);
    expect(failed.code).toBe(1);
    const error = "Internal error: no more credit.";
    expect(await user.get(id)).toMatchObject({ turn: { outcome: "failure", error } });
    expect(await turn(user, id, "say alive")).toMatchObject({ answer: "alive" });
  });

  test("takes no second text in mid-turn, which the protocol does not queue", async () => {
    await using user = newLiveUser();
    const id = await spoken(user);
    const { seq } = (await user.ok(["send", id, "hang", "--json"])).json;
    await reachAfter(user, id, Number(seq), "running");
    expect(await user.rollcall(["send", id, "say more", "--json"])).toMatchObject({
      code: 4,
      error: { code: "wrong_state" },
    });
  });

  test("gets the model that it is asked for, or says that it does not take it", async () => {
    await using user = newLiveUser();
    expect(await user.get(await spoken(user, "--model", "scripted-2"))).toMatchObject({
      model: "scripted-2",
    });
    const other = await spoken(user, "--model", "no-such-model");
    expect(await user.get(other)).toMatchObject({ waiting: { for: "prompt" } });
    expect((await kindsOf(user, other)).join()).toContain('did not take the model "no-such-model"');
  });

  test("that has to be logged in waits for a person, and says how", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", "say hi", "--kind", "acp", "--", "--login"]);
    const { waiting } = await user.reach(id, "waiting_input");
    expect(waiting).toMatchObject({ for: "login", question: expect.stringContaining("A key") });
    const approved = await user.rollcall(["approve", id]);
    expect(approved).toMatchObject({ code: 4, stderr: expect.stringContaining(`rollcall end ${id}`) });
    expect((await user.ok([])).stdout).toContain(`rollcall end ${id.slice(-6)}\n`);
  });

  test.each([
    ["claude", "npm install -g @agentclientprotocol/claude-agent-acp"],
    ["codex", "npm install -g @agentclientprotocol/codex-acp"],
  ])("that needs an adapter which is missing says what to install (%s)", async (type, install) => {
    await using user = newLiveUser();
    const args = ["start", type, "--kind", "acp", "-d", "--json", "--env", `PATH=${user.folder}`];
    const answer = await user.rollcall(args);
    expect(answer).toMatchObject({ code: 1, error: { code: "start_failed" } });
    expect(answer.error.hint).toContain(install);
  });

  test("that leaves in mid-turn loses nothing of what it said", async () => {
    await using user = newLiveUser();
    const id = await spoken(user);
    await user.ok(["send", id, "say one ; exit 3"]);
    expect(await user.reach(id, "failed", "stopped")).toMatchObject({ exit_code: 3 });
    expect(await said(user, id, "assistant")).toEqual(["one"]);
  });
});

describe("an agent over the Agent Client Protocol ends", () => {
  test("politely at its prompt, in mid-turn and at a permission, each with its outcome", async () => {
    await using user = newLiveUser();
    for (const [text, outcome] of [
      ["say before", "success"],
      ["say begun ; hang", "interrupted"],
      ["ask Bash", "interrupted"],
    ] as const) {
      const id = await spoken(user);
      const { seq } = (await user.ok(["send", id, text, "--json"])).json;
      await reachAfter(user, id, Number(seq), text.endsWith("hang") ? "running" : "waiting_input");
      const ended = (await user.ok(["end", id, "--json"])).only;
      expect(ended).toMatchObject({ session: { state: "stopped", exit_code: 0, outcome }, killed: 0 });
    }
  });

  test("and is resumed in the same conversation, which says by which method", async () => {
    await using user = newLiveUser();
    for (const [offers, method] of [
      ["resume,load,close", "session/resume"],
      // It repeats the whole conversation, none of which is new.
      ["load", "session/load"],
    ] as const) {
      const id = await spoken(user, "--", "--offers", offers);
      await turn(user, id, "think hm ; tool Bash ; say before");
      const first = await user.get(id);
      await user.ok(["end", id]);
      await user.ok(["resume", id, "-d"]);
      expect(await user.reach(id, "waiting_input")).toMatchObject({
        native_id: first.native_id,
        generation: 2,
        waiting: { for: "prompt" },
      });
      expect((await kindsOf(user, id)).at(-1)).toBe(`notice The conversation was continued by ${method}.`);
      expect(await turn(user, id, "say after")).toMatchObject({ answer: "after", turn: { number: 2 } });
      expect(await said(user, id, "assistant")).toEqual(["before", "after"]);
      expect(await said(user, id, "user")).toEqual(["think hm ; tool Bash ; say before", "say after"]);
      expect(await user.get(id)).toMatchObject({ usage: { turns: 2, tokens_input: 200 } });
    }
  });

  test("and where it offers no way to continue or fork, says so and waits for its end", async () => {
    await using user = newLiveUser();
    const id = await spoken(user, "--", "--offers", "");
    await turn(user, id, "say before");
    const early = await user.rollcall(["fork", id, "-d", "--json"]);
    expect(early).toMatchObject({ code: 4, error: { code: "not_offered" } });
    await user.ok(["end", id]);
    await user.ok(["resume", id, "-d"]);
    const { waiting } = await user.reach(id, "waiting_input");
    expect(waiting).toMatchObject({
      for: "dialog",
      question: expect.stringContaining("neither session/resume nor session/load"),
    });
    const sent = await user.rollcall(["send", id, "say hi"]);
    expect(sent.code).toBe(4);
    expect(sent.stderr).toContain("asks something (dialog)");
    expect((await user.ok(["get", id])).stdout).toContain(`answer it with  rollcall end ${id.slice(-6)}`);
    const fork = (await user.ok(["fork", id, "-d", "--json"])).json;
    const asked = await user.reach(fork.id, "waiting_input");
    expect(asked.waiting).toMatchObject({ question: expect.stringContaining("does not offer session/fork") });
  });

  test("and is forked into a conversation of its own", async () => {
    await using user = newLiveUser();
    const id = await spoken(user);
    await turn(user, id, "say before");
    const fork = (await user.ok(["fork", id, "-d", "--json"])).json;
    await user.reach(fork.id, "waiting_input");
    expect(await turn(user, fork.id, "say forked")).toMatchObject({ answer: "forked", turn: { number: 1 } });
    const [first, second] = [await user.get(id), await user.get(fork.id)];
    expect(second.native_id).not.toBe(first.native_id);
    expect(await said(user, fork.id, "assistant")).toEqual(["forked"]);
  });
});

describe("after the daemon was killed an agent over the Agent Client Protocol", () => {
  test("is there as it was, at its prompt, at work and at a permission, and in one place each", async () => {
    await using user = newLiveUser();
    const [rests, works, asks] = [await spoken(user), await spoken(user), await spoken(user)];
    await user.ok(["send", works, "hang"]);
    await user.reach(works, "running");
    const asked = await asking(user, asks, "ask Bash ; say done");
    await user.killDaemon();
    await user.ok(["up"]);
    expect(await user.get(rests)).toMatchObject({ waiting: { for: "prompt" }, generation: 1 });
    expect(await user.get(works)).toMatchObject({ state: "running" });
    expect(await user.get(asks)).toMatchObject({ state: "waiting_input", waiting: asked.waiting });
    expect(await answered(user, asks, "approve", asks)).toMatchObject({ waiting: { for: "prompt" } });
    expect(await said(user, asks, "assistant")).toEqual(["done"]);
    await user.ok(["interrupt", works]);
    expect(await user.get(works)).toMatchObject({ turn: { outcome: "interrupted" } });
    expect(await turn(user, rests, "say alive")).toMatchObject({ answer: "alive" });
  });

  test("has gone on with its turn, and nothing of it is lost or doubled", async () => {
    await using user = newLiveUser();
    const id = await spoken(user);
    await turn(user, id, "say before");
    const [gate, over] = [join(user.folder, "gate"), join(user.folder, "over")];
    await user.ok([
      "send",
      id,
      `say one ; run ${untilThere(gate)} ; say two ; run touch ${over} ; say three`,
    ]);
    await until(async () => (await said(user, id, "assistant")).includes("one"), "the first words");
    await user.killDaemon();
    writeFileSync(gate, "");
    await until(() => existsSync(over), "the end of its turn");
    await user.ok(["up"]);
    await user.ok(["wait", id]);
    expect(await said(user, id, "assistant")).toEqual(["before", "one", "two", "three"]);
    expect(await said(user, id, "user")).toHaveLength(2);
    expect(await user.get(id)).toMatchObject({
      waiting: { for: "prompt" },
      turn: { number: 2, outcome: "success" },
      usage: { turns: 2, tokens_input: 200, cost_usd: 0.002 },
    });
    expect(await statesOf(user, id)).toEqual([
      "running",
      "waiting_input",
      "running",
      "running",
      "waiting_input",
      "running",
      "running",
      "waiting_input",
    ]);
  });
});
