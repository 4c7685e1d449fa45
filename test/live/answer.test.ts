import { describe, expect, test } from "vitest";
import { asking, atPrompt, dataOf, eventsOf, reachAfter, said, turn } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

/** The one whose answer is under way when it goes on to its prompt. */
async function answered(user: LiveUser, id: string, ...args: readonly string[]) {
  const { seq } = (await user.ok([...args, "--json"])).json;
  return reachAfter(user, id, Number(seq), "waiting_input");
}

describe("in a terminal", () => {
  test("a permission is approved, and the agent goes on with its tool", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const { waiting } = await asking(user, id, 'ask Bash {"command":"ls"}');
    expect(waiting).toMatchObject({ for: "permission", tool: "Bash", input: { command: "ls" } });
    expect(await answered(user, id, "approve", id)).toMatchObject({ waiting: { for: "prompt" } });
    const { entries } = await dataOf(user, id);
    expect(entries.map(({ kind }) => kind)).toContain("tool_result");
  });

  test("a permission is denied", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await asking(user, id, "ask Bash");
    await answered(user, id, "deny", id);
    expect(await said(user, id, "assistant")).toEqual(["Bash was denied."]);
  });

  test("a reason for which the dialog has no place is refused in one sentence, and nothing is sent", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const asked = await asking(user, id, "ask Bash");
    const refused = await user.rollcall(["deny", id, "--reason", "not on a Friday"]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toMatch(/^rollcall: [^\n]*no place for a reason[^\n]*\.\n/);
    expect(await user.get(id)).toMatchObject({ seq: asked.seq, waiting: asked.waiting });
  });

  test("a question is answered by number, by text, or in one's own words", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    for (const [question, choice] of [
      ["question Which? red | green", "2"],
      ["question Which? red | green", "red"],
      ["question Why?", "because of $(this) ;"],
    ] as const) {
      await asking(user, id, question);
      await answered(user, id, "answer", id, choice);
    }
    expect(await said(user, id, "assistant")).toEqual([
      "You chose: green",
      "You chose: red",
      "You chose: because of $(this) ;",
    ]);
  });

  test("a choice that is not offered, and a verb that does not fit, send nothing", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const asked = await asking(user, id, "question Which? red | green");
    for (const [args, code] of [
      [["answer", id, "blue"], 2],
      [["answer", id, "3"], 2],
      [["approve", id], 4],
      [["deny", id], 4],
    ] as const)
      expect([args[0], (await user.rollcall(args)).code]).toEqual([args[0], code]);
    expect(await user.get(id)).toMatchObject({ seq: asked.seq, waiting: asked.waiting });
  });

  test("an answer with control characters is refused, and no key is pressed", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const asked = await asking(user, id, "question Why?");
    for (const choice of ["be\u0003cause", "\u001b", "a\rb", "\u009b1m"]) {
      const answer = await user.rollcall(["answer", id, "--json", "--", choice]);
      expect(answer).toMatchObject({ code: 2, error: { code: "bad_input" } });
    }
    expect(await user.get(id)).toMatchObject({ seq: asked.seq, waiting: asked.waiting });
  });

  test("an answer for another request is refused with 4, and nothing is sent", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const asked = await asking(user, id, "ask Bash ; ask Edit");
    const first = (asked.waiting as { request_id: string }).request_id;
    const wrong = await user.rollcall(["approve", id, "--request", "another", "--json"]);
    expect(wrong).toMatchObject({ code: 4, error: { code: "request_changed" } });
    expect(await user.get(id)).toMatchObject({ seq: asked.seq, waiting: asked.waiting });
    const second = await answered(user, id, "approve", id, "--request", first);
    expect(second.waiting).toMatchObject({ tool: "Edit" });
    const late = await user.rollcall(["approve", id, "--request", first, "--json"]);
    expect(late).toMatchObject({ code: 4, error: { code: "request_changed" } });
    expect(await user.get(id)).toMatchObject({ seq: second.seq, waiting: second.waiting });
  });

  test("an answer that comes too late, or to no request, is refused with 4", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    expect(await user.rollcall(["approve", id, "--json"])).toMatchObject({
      code: 4,
      error: { code: "no_request" },
    });
    const asked = await asking(user, id, "ask Bash");
    const request = (asked.waiting as { request_id: string }).request_id;
    await until(async () => ((await dataOf(user, id)).screen ?? "").includes("Allow Bash"), "the dialog");
    await user.ok(["keys", id, "n"]);
    await until(async () => (await said(user, id, "assistant")).length === 1, "the denial");
    const late = await user.rollcall(["approve", id, "--request", request, "--json"]);
    expect(late).toMatchObject({ code: 4, error: { code: "no_request" } });
  });

  test("of ten answers at once one counts", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const asked = await asking(user, id, "ask Bash");
    const request = (asked.waiting as { request_id: string }).request_id;
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => user.rollcall(["approve", id, "--request", request])),
    );
    expect(answers.map(({ code }) => code).toSorted()).toEqual([0, ...Array<number>(9).fill(4)]);
    const given = (await eventsOf(user, id)).filter(({ body }) => body.by === "answer");
    expect(given).toHaveLength(1);
  });

  test("right after typing an answer waits until the agent takes it", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await asking(user, id, "ask Bash");
    await user.ok(["keys", id, "x"]);
    await answered(user, id, "approve", id);
    const given = (await eventsOf(user, id)).filter(({ kind }) => kind === "input_given");
    const [typed = 0, approved = 0] = given.slice(-2).map(({ at }) => Date.parse(at));
    expect(given.map(({ body }) => body.by)).toEqual(["send", "keys", "answer"]);
    expect(approved - typed).toBeGreaterThanOrEqual(1190);
  });

  test("a folder is trusted, or the agent leaves", async () => {
    await using user = newLiveUser();
    const first = await user.start(["scripted", "--", "--trust"]);
    expect(await user.reach(first.id, "waiting_input")).toMatchObject({ waiting: { for: "trust" } });
    expect(await answered(user, first.id, "approve", first.id)).toMatchObject({ waiting: { for: "prompt" } });
    const second = await user.start(["scripted", "--", "--trust"]);
    await user.reach(second.id, "waiting_input");
    await user.ok(["deny", second.id]);
    expect(await user.reach(second.id, "failed")).toMatchObject({ exit_code: 1 });
  });

  test("a login is only for who attaches", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", "--", "--login"]);
    expect(await user.reach(id, "waiting_input")).toMatchObject({ waiting: { for: "login" } });
    for (const args of [["approve"], ["deny"], ["answer", "code"]]) {
      const [verb = "", ...more] = args;
      const answer = await user.rollcall([verb, id, ...more, "--json"]);
      expect(answer).toMatchObject({ code: 4, error: { code: "wrong_state" } });
      expect(answer.error.hint).toContain("rollcall attach");
    }
    expect((await eventsOf(user, id)).filter(({ kind }) => kind === "input_given")).toEqual([]);
  });
});

test("an autonomous session is answered over its stream, with the reason", async () => {
  await using user = newLiveUser();
  const prompt = "ask Bash ; ask Edit ; question Which? red | green ; question Why?";
  const { id } = await user.start(["--kind", "autonomous", "scripted", prompt]);
  const first = await user.reach(id, "waiting_input").then(async (session) => {
    const isRequest = (session.waiting as { for: string }).for === "permission";
    return isRequest ? session : reachAfter(user, id, Number(session.seq), "waiting_input");
  });
  expect(first.waiting).toMatchObject({ for: "permission", tool: "Bash" });
  expect((await answered(user, id, "approve", id)).waiting).toMatchObject({ tool: "Edit" });
  const unfit = await user.rollcall(["deny", id, "--reason", "not\u001b[201~", "--json"]);
  expect(unfit).toMatchObject({ code: 2, error: { code: "bad_input" } });
  const third = await answered(user, id, "deny", id, "--reason", "not now");
  expect(third.waiting).toMatchObject({ for: "question", options: ["red", "green"] });
  expect((await answered(user, id, "answer", id, "2")).waiting).toMatchObject({ question: "Why?" });
  await user.ok(["answer", id, "just so"]);
  expect(await user.reach(id, "stopped")).toMatchObject({ outcome: "success" });
  expect(await said(user, id, "assistant")).toEqual([
    "Edit was denied: not now",
    "You chose: green",
    "You chose: just so",
  ]);
});

describe("an interrupt", () => {
  test.each([
    ["in the middle of a turn", "hang"],
    ["during a tool", "run sleep 1000"],
  ])("%s brings the agent back to its prompt", async (_, text) => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await user.ok(["send", id, text]);
    await user.reach(id, "running");
    const { seq } = (await user.ok(["interrupt", id, "--json"])).json;
    expect(await reachAfter(user, id, Number(seq), "waiting_input")).toMatchObject({
      waiting: { for: "prompt" },
    });
    expect(await turn(user, id, "say alive")).toMatchObject({ answer: "alive" });
  });

  test("at a request withdraws it", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await asking(user, id, "ask Bash");
    const { seq } = (await user.ok(["interrupt", id, "--json"])).json;
    expect(await reachAfter(user, id, Number(seq), "waiting_input")).toMatchObject({
      waiting: { for: "prompt" },
    });
  });

  test("at the prompt is refused with 4", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    expect(await user.rollcall(["interrupt", id, "--json"])).toMatchObject({
      code: 4,
      error: { code: "wrong_state" },
    });
  });

  test("in a dialog before the first prompt is refused with 4: the same key could mean to leave", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", "--", "--trust"]);
    await user.reach(id, "waiting_input");
    const answer = await user.rollcall(["interrupt", id, "--json"]);
    expect(answer).toMatchObject({ code: 4, error: { code: "wrong_state" } });
    expect(answer.error.message).toContain("trust");
  });

  test("of a command is what Ctrl-C is; without a terminal there is none", async () => {
    await using user = newLiveUser();
    const trap = "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.1; done";
    const { id } = await user.start(["--", "sh", "-c", trap]);
    await until(async () => (await user.ok(["logs", id])).stdout.includes("ready"), "the trap");
    await user.ok(["interrupt", id]);
    expect(await user.reach(id, "failed")).toMatchObject({ exit_code: 9 });
    const piped = await user.start(["--kind", "autonomous", "--", "sleep", "1000"]);
    expect(await user.rollcall(["interrupt", piped.id])).toMatchObject({ code: 4 });
  });
});

test("several words are no answer to a single question, and nothing is sent", async () => {
  await using user = newLiveUser();
  await user.start(["scripted", "--name", "planner", "question Who are you?"]);
  await until(async () => (await user.get("planner")).state === "waiting_input", "its question");
  const { code, stderr } = await user.rollcall(["answer", "planner", "two", "words"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("Put one answer of several words in quotes.")]);
  expect((await user.get("planner")).waiting).toMatchObject({ question: "Who are you?" });
});

test.each(["interactive", "autonomous"])(
  "approve --always lets an %s agent ask no more for the same tool",
  async (kind) => {
    await using user = newLiveUser();
    const text = "ask Bash ; ask Bash ; ask Edit ; say done";
    const { id } = await user.start(["scripted", text, "--kind", kind]);
    expect(await user.reach(id, "waiting_input")).toMatchObject({ waiting: { tool: "Bash" } });
    const { seq } = (await user.ok(["approve", id, "--always", "--json"])).json;
    expect(await reachAfter(user, id, Number(seq), "waiting_input")).toMatchObject({
      waiting: { tool: "Edit" },
    });
  },
);

test("approve --always is refused with 4 where the agent offers no such choice, and nothing is sent", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["scripted", "--", "--trust"]);
  await user.reach(id, "waiting_input");
  const answer = await user.rollcall(["approve", id, "--always", "--json"]);
  expect(answer).toMatchObject({ code: 4, error: { code: "not_offered" } });
  expect(answer.error.hint).toContain("without --always");
  expect(await user.get(id)).toMatchObject({ state: "waiting_input", waiting: { for: "trust" } });
});
