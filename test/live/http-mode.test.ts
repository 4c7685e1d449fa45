import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asking, atPrompt, dataOf, eventsOf, reachAfter, said, statesOf, turn } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

/** The scripted agent with its own server, at its first prompt. */
async function served(user: LiveUser, ...args: readonly string[]): Promise<string> {
  return atPrompt(user, ...args, "--", "--serve");
}

/** The file in which the program itself keeps its only conversation. */
function transcriptOf(user: LiveUser): string {
  const folder = join(user.state, "scripted", "sessions");
  return readFileSync(join(folder, readdirSync(folder)[0] as string), "utf8");
}

/** A shell command that waits for a file. */
function untilThere(path: string): string {
  return `until [ -e ${path} ]; do sleep 0.02; done`;
}

async function answered(user: LiveUser, id: string, ...args: readonly string[]) {
  const { seq } = (await user.ok([...args, "--json"])).json;
  return reachAfter(user, id, Number(seq), "waiting_input");
}

async function textsOf(user: LiveUser, id: string): Promise<(string | null)[]> {
  const { entries } = await dataOf(user, id, "--tail", "1000");
  return entries.map(({ text }) => text);
}

describe("an agent over HTTP", () => {
  test("gets its first text, works on it, and waits at its prompt, all by its events", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", "say hi", "--", "--serve"]);
    await user.ok(["wait", id]);
    expect(await user.get(id)).toMatchObject({
      state: "waiting_input",
      waiting: { for: "prompt" },
      state_source: "protocol",
      model: "scripted-1",
      agent_version: "1.0.0",
      usage: { tokens_input: 100, tokens_output: 20 },
    });
    expect(await textsOf(user, id)).toEqual(["say hi", "hi"]);
    const events = await eventsOf(user, id);
    const sources = events.flatMap(({ body }) => body.evidence?.source ?? []);
    expect(sources).not.toContain("terminal");
    expect(sources).not.toContain("hook");
  });

  test("answers send --wait with the answer of its turn, however short the turn", async () => {
    await using user = newLiveUser();
    const id = await served(user);
    for (const number of [1, 2, 3, 4, 5])
      expect(await turn(user, id, `say answer ${number}`)).toMatchObject({ answer: `answer ${number}` });
    expect(await said(user, id, "assistant")).toEqual([1, 2, 3, 4, 5].map((number) => `answer ${number}`));
    expect(await user.get(id)).toMatchObject({ usage: { turns: 5, tokens_input: 500 } });
  });

  test("is approved, denied with a reason, and approved always", async () => {
    await using user = newLiveUser();
    const id = await served(user);
    const { waiting } = await asking(user, id, 'ask Bash {"command":"ls"}');
    expect(waiting).toMatchObject({ for: "permission", tool: "Bash", input: { command: "ls" } });
    expect(await answered(user, id, "approve", id)).toMatchObject({ waiting: { for: "prompt" } });
    expect((await dataOf(user, id)).entries.map(({ kind }) => kind)).toContain("tool_result");
    await asking(user, id, "ask Bash");
    await answered(user, id, "deny", id, "--reason", "not on a Friday");
    expect((await said(user, id, "assistant")).at(-1)).toBe("Bash was denied: not on a Friday");
    await asking(user, id, "ask Bash ; ask Bash ; say done");
    expect(await answered(user, id, "approve", id, "--always")).toMatchObject({ waiting: { for: "prompt" } });
    expect((await said(user, id, "assistant")).at(-1)).toBe("done");
  });

  test("is answered by number, by text, or in one's own words, and only what it asks", async () => {
    await using user = newLiveUser();
    const id = await served(user);
    for (const [question, choice] of [
      ["question Which? red | green", "2"],
      ["question Which? red | green", "red"],
      ["question Why?", "because of $(this) ; é"],
    ] as const) {
      const asked = await asking(user, id, question);
      expect((await user.rollcall(["approve", id])).code).toBe(4);
      expect(await user.get(id)).toMatchObject({ waiting: asked.waiting });
      await answered(user, id, "answer", id, choice);
    }
    expect(await said(user, id, "assistant")).toEqual([
      "You chose: green",
      "You chose: red",
      "You chose: because of $(this) ; é",
    ]);
  });

  test("is interrupted in mid-turn and at a permission", async () => {
    await using user = newLiveUser();
    const id = await served(user);
    const { seq } = (await user.ok(["send", id, "hang", "--json"])).json;
    await reachAfter(user, id, Number(seq), "running");
    await user.ok(["interrupt", id]);
    expect(await user.get(id)).toMatchObject({
      waiting: { for: "prompt" },
      turn: { outcome: "interrupted" },
    });
    await asking(user, id, "ask Bash");
    await user.ok(["interrupt", id]);
    expect(await user.get(id)).toMatchObject({
      waiting: { for: "prompt" },
      turn: { outcome: "interrupted" },
    });
    expect(await turn(user, id, "say alive")).toMatchObject({ answer: "alive" });
  });

  test("tells the error of a turn that failed", async () => {
    await using user = newLiveUser();
    const id = await served(user);
    const failed = await user.rollcall(["send", id, "fail no more credit", "--wait", "--json"]);
    expect(failed.code).toBe(1);
    expect(await user.get(id)).toMatchObject({ turn: { outcome: "failure", error: "no more credit" } });
    expect(await turn(user, id, "say alive")).toMatchObject({ answer: "alive" });
  });

  test("keeps a text that comes in mid-turn for a turn of its own", async () => {
    await using user = newLiveUser();
    const id = await served(user);
    const gate = join(user.folder, "gate");
    const { seq } = (await user.ok(["send", id, `run ${untilThere(gate)}`, "--json"])).json;
    await reachAfter(user, id, Number(seq), "running");
    const later = turn(user, id, "say later");
    await until(async () => ((await dataOf(user, id)).screen ?? "").includes("(queued)"), "the queued text");
    writeFileSync(gate, "");
    expect(await later).toMatchObject({ answer: "later", turn: { number: 2 } });
  });

  test("is ended politely, resumed in the same mode, and forked", async () => {
    await using user = newLiveUser();
    const id = await served(user);
    await turn(user, id, "say before");
    const first = await user.get(id);
    await user.ok(["end", id]);
    expect(await user.get(id)).toMatchObject({ state: "stopped", exit_code: 0, outcome: "success" });
    await user.ok(["resume", id, "-d"]);
    expect(await user.reach(id, "waiting_input")).toMatchObject({
      native_id: first.native_id,
      generation: 2,
    });
    expect(await turn(user, id, "say after")).toMatchObject({ answer: "after" });
    expect(await said(user, id, "assistant")).toEqual(["before", "after"]);
    const fork = (await user.ok(["fork", id, "-d", "--json"])).json;
    await user.reach(fork.id, "waiting_input");
    expect((await dataOf(user, fork.id)).screen).toContain("forked, 2 turns");
    expect(await turn(user, fork.id, "say forked")).toMatchObject({ answer: "forked" });
    expect(await said(user, fork.id, "assistant")).toEqual(["forked"]);
    expect(await user.get(fork.id)).toMatchObject({ state_source: "protocol", usage: { tokens_input: 100 } });
  });

  test("is paused and goes on, and its state is known again", async () => {
    await using user = newLiveUser();
    const id = await served(user);
    await user.ok(["pause", id]);
    await user.ok(["continue", id]);
    expect(await user.reach(id, "waiting_input")).toMatchObject({ waiting: { for: "prompt" } });
    expect(await turn(user, id, "say alive")).toMatchObject({ answer: "alive" });
  });

  test("says its last words before it leaves", async () => {
    await using user = newLiveUser();
    const id = await served(user);
    // More than is read before its process is gone.
    const texts = Array.from({ length: 100 }, (_, number) => `word ${number}`);
    await user.ok(["send", id, `${texts.map((text) => `say ${text}`).join(" ; ")} ; exit 3`]);
    expect(await user.reach(id, "failed", "stopped")).toMatchObject({ exit_code: 3 });
    expect(await said(user, id, "assistant")).toEqual(texts);
    expect(await user.get(id)).toMatchObject({ usage: { tokens_input: 100 } });
  });
});

describe("the event stream of an agent", () => {
  test("is resumed after each cut, in mid-turn and at a request, without loss or doubles", async () => {
    await using user = newLiveUser();
    const id = await served(user);
    const steps = [1, 2, 3, 4, 5, 6].flatMap((number) => [`say ${number}`, "drop-events"]);
    await asking(user, id, `${steps.join(" ; ")} ; ask Bash ; drop-events ; say end ; drop-events`);
    expect(await answered(user, id, "approve", id)).toMatchObject({ waiting: { for: "prompt" } });
    expect(await said(user, id, "assistant")).toEqual(["1", "2", "3", "4", "5", "6", "end"]);
    expect(await user.get(id)).toMatchObject({ usage: { turns: 1, tokens_input: 100 }, turn: { number: 1 } });
    expect(await turn(user, id, "drop-events ; say again")).toMatchObject({ answer: "again" });
    // Each state was told once.
    expect(await statesOf(user, id)).toEqual([
      ...["running", "waiting_input", "running", "running", "waiting_input", "running", "waiting_input"],
      ...["running", "running", "waiting_input"],
    ]);
  });

  test("is resumed by the daemon that comes after one that was killed, and nothing is doubled or lost", async () => {
    await using user = newLiveUser();
    const id = await served(user);
    await turn(user, id, "say before");
    const gate = join(user.folder, "gate");
    await user.ok(["send", id, `say one ; run ${untilThere(gate)} ; say two ; say three`]);
    await until(async () => (await said(user, id, "assistant")).includes("one"), "the first words");
    await user.killDaemon();
    writeFileSync(gate, "");
    await until(() => transcriptOf(user).includes('"text":"three"'), "the end of the turn");
    await user.ok(["up"]);
    await user.ok(["wait", id]);
    expect(await said(user, id, "assistant")).toEqual(["before", "one", "two", "three"]);
    expect(await user.get(id)).toMatchObject({
      waiting: { for: "prompt" },
      turn: { number: 2, outcome: "success" },
      usage: { turns: 2, tokens_input: 200 },
    });
    expect(await turn(user, id, "say after")).toMatchObject({ answer: "after" });
  });

  test("says the same of an agent that works, asks or rests to the daemon that comes after a killed one", async () => {
    await using user = newLiveUser();
    const [rests, works, asks] = [await served(user), await served(user), await served(user)];
    await user.ok(["send", works, "hang"]);
    await user.reach(works, "running");
    const asked = await asking(user, asks, "ask Bash ; say done");
    await user.killDaemon();
    await user.ok(["up"]);
    expect(await user.get(rests)).toMatchObject({ waiting: { for: "prompt" } });
    expect(await user.get(works)).toMatchObject({ state: "running" });
    expect(await user.get(asks)).toMatchObject({ state: "waiting_input", waiting: asked.waiting });
    expect(await answered(user, asks, "approve", asks)).toMatchObject({ waiting: { for: "prompt" } });
    expect(await said(user, asks, "assistant")).toEqual(["done"]);
    // It was not taken for answered in between.
    const requests = (await eventsOf(user, asks)).filter(({ body }) => body.waiting?.for === "permission");
    expect(requests).toHaveLength(1);
    await user.ok(["interrupt", works]);
    expect(await turn(user, rests, "say alive")).toMatchObject({ answer: "alive" });
  });
});

test("an agent whose server hangs is given up after a time limit, and the session goes on", async () => {
  await using user = newLiveUser();
  const id = await served(user);
  await turn(user, id, "stop-reading ; say deaf");
  const sent = await user.rollcall(["send", id, "say hi", "--json"]);
  expect(sent).toMatchObject({ code: 1, error: { code: "not_delivered" } });
  expect(sent.error?.message).toContain("its server does not answer");
});
