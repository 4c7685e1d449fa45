import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asking, atPrompt, dataOf, eventsOf, said, turn } from "./scripted.ts";
import { newLiveUser, until } from "./user.ts";

const TEXTS = [
  `it's "quoted" \`so\``,
  `$(touch oops) \${HOME} $HOME !!`,
  "-rf --help",
  "ends with ;",
  "ünïcödé → 漢字 🙂",
  "a\ttab",
  "one\ntwo\n\nfour",
  " blanks around ",
  "back\\slash \\n %s",
];

describe("a text", () => {
  test("arrives byte for byte at a command without a terminal", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["--kind", "autonomous", "--", "sh", "-c", "exec cat > got"]);
    const texts = [...TEXTS, `${"0123456789abcdef".repeat(6400)} ende`];
    for (const text of texts) await user.ok(["send", id, "-"], { input: `${text}\n` });
    const wanted = texts.map((text) => `${text}\n`).join("");
    const got = () => readFileSync(join(user.workspace, "got"), "utf8");
    await until(() => got().length >= wanted.length, "the last text");
    expect(got()).toBe(wanted);
  });

  test("arrives character for character at an agent, in one turn each", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const texts = [...TEXTS.map((text) => text.trim()), "long ".repeat(20_000).trim()];
    for (const text of texts) {
      const { session, answer } = await turn(user, id, text);
      expect(session).toMatchObject({ state: "waiting_input" });
      expect(answer).toBe(`You said: ${text}`);
    }
    const events = await eventsOf(user, id);
    const given = events.filter(({ kind }) => kind === "input_given").map(({ body }) => body.text);
    expect(given).toEqual(texts);
  });

  test("of many lines is pasted where the program takes a paste, and typed where it does not", async () => {
    await using user = newLiveUser();
    const show = "stty raw -echo; printf 'ready\\r\\n'; exec cat -v";
    for (const [before, wanted] of [
      ["printf '\\033[?2004h'; ", "^[[200~one\ntwo^[[201~^M"],
      ["", "one^Mtwo^M"],
    ] as const) {
      const { id } = await user.start(["--", "sh", "-c", before + show]);
      const screen = async () => (await dataOf(user, id)).screen ?? "";
      await until(async () => (await screen()).includes("ready"), "the program");
      await user.ok(["send", id, "one\ntwo"]);
      const flat = (text: string) => text.replace(/\s+/g, " ");
      await until(async () => flat(await screen()).includes(flat(wanted)), wanted);
    }
  });

  test("with control characters is refused, and nothing is sent", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    for (const text of ["a\u0003b", "\u001b[A", "\u007f", "\u009b1m", "a\rb"]) {
      const answer = await user.rollcall(["send", id, "--json", "--", text]);
      expect(answer).toMatchObject({ code: 2, error: { code: "bad_input" } });
    }
    expect((await eventsOf(user, id)).filter(({ kind }) => kind === "input_given")).toEqual([]);
  });

  test("of two senders at once is never mixed with another", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["--kind", "autonomous", "--", "sh", "-c", "exec cat > got"]);
    const texts = ["a", "b", "c", "d", "e", "f"].map((letter) => letter.repeat(30_000));
    await Promise.all(texts.map((text) => user.ok(["send", id, "-"], { input: text })));
    const got = () => readFileSync(join(user.workspace, "got"), "utf8");
    await until(() => got().length >= 6 * 30_001, "all of them");
    expect(got().trim().split("\n").sort()).toEqual(texts);
  });

  test("of twelve senders at once is pasted and sent off whole, before the next one is", async () => {
    await using user = newLiveUser();
    const take = "stty raw -echo; printf '\\033[?2004hready\\r\\n'; exec cat > got";
    const { id } = await user.start(["--", "sh", "-c", take]);
    await until(async () => ((await dataOf(user, id)).screen ?? "").includes("ready"), "the program");
    const letters = Array.from("abcdefghijkl");
    await Promise.all(letters.map((letter) => user.ok(["send", id, `${letter}\n${letter}`])));
    const pasted = letters.map((letter) => `\u001b[200~${letter}\n${letter}\u001b[201~\r`);
    const got = () => readFileSync(join(user.workspace, "got"), "utf8");
    await until(() => got().length >= pasted.join("").length, "the last text");
    expect(
      got()
        .split(/(?<=\r)/)
        .toSorted(),
    ).toEqual(pasted);
  });

  test("to a busy agent waits for its turn", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await user.ok(["send", id, "work 1s ; say first"]);
    await Promise.all([user.ok(["send", id, "say second"]), user.ok(["send", id, "say third"])]);
    await until(async () => (await said(user, id, "assistant")).length === 3, "three answers");
    expect((await said(user, id, "assistant")).toSorted()).toEqual(["first", "second", "third"]);
    expect((await said(user, id, "assistant"))[0]).toBe("first");
  });
});

describe("a text is refused, and nothing is sent,", () => {
  test("into a dialog", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const asked = await asking(user, id, "ask Bash");
    const answer = await user.rollcall(["send", id, "yes", "--json"]);
    expect(answer).toMatchObject({ code: 4, error: { code: "wrong_state" } });
    expect(answer.error.hint).toContain(`rollcall get ${id}`);
    expect((await user.ok(["get", id])).stdout).toContain("rollcall approve");
    expect(await user.get(id)).toMatchObject({ seq: asked.seq, waiting: asked.waiting });
  });

  test("while the agent is starting", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", "--", "--slow-start", "5000"]);
    const answer = await user.rollcall(["send", id, "hi", "--json"]);
    expect(answer).toMatchObject({ code: 4, error: { code: "wrong_state" } });
  });

  test("to a session that has ended, was never carried, or is not there", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["--", "true"]);
    await user.reach(id, "stopped");
    expect(await user.rollcall(["send", id, "hi", "--json"])).toMatchObject({
      code: 4,
      error: { code: "wrong_state" },
    });
    const record = await user.create();
    expect(await user.rollcall(["send", record, "hi", "--json"])).toMatchObject({
      code: 4,
      error: { code: "not_carried" },
    });
    expect(await user.rollcall(["send", "nobody", "hi"])).toMatchObject({ code: 3 });
  });
});

test("a text that an agent does not take is an error", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await turn(user, id, "stop-reading ; say deaf");
  const answer = await user.rollcall(["send", id, "hello?", "--json"]);
  expect(answer).toMatchObject({ code: 1, error: { code: "not_delivered" } });
  expect(await said(user, id, "assistant")).toEqual(["deaf"]);
});

test.each([["interactive"], ["autonomous"]])(
  "send --wait in mid-turn of an %s agent waits for the turn of its own text",
  async (kind) => {
    await using user = newLiveUser();
    const prompt = "run until [ -e gate ]; do sleep 0.02; done ; say first";
    const { id } = await user.start(["scripted", "--kind", kind, "--prompt", prompt]);
    await user.reach(id, "running");
    await until(async () => (await said(user, id, "user")).length === 1, "the first turn");
    const sending = user.rollcall(["send", id, "say second", "--wait"]);
    const given = async () => (await eventsOf(user, id)).filter(({ kind: what }) => what === "input_given");
    await until(async () => (await given()).length === 2, "the second text to be given");
    writeFileSync(join(user.workspace, "gate"), "");
    expect(await sending).toMatchObject({ code: 0, stdout: "second\n" });
  },
);

test("the turn of a text is never missed by a wait that begins when it is over", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  for (let round = 1; round <= 5; round++) {
    const { seq } = (await user.ok(["send", id, `say ${round}`, "--json"])).json;
    await until(async () => (await said(user, id, "assistant")).length === round, "the answer");
    const wait = ["wait", id, "--after", String(seq), "--timeout", "5s", "--json"];
    expect((await user.ok(wait)).only).toMatchObject({ reached: "waiting_input" });
  }
});

test.each([
  ["say good", 0],
  ["fail badly", 1],
  ["ask Bash", 4],
  ["exit 0", 0],
  ["crash", 1],
])("send --wait exits by the turn of %j", async (text, code) => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await turn(user, id, "say before");
  const answer = await user.rollcall(["send", id, text, "--wait"]);
  expect(answer.code).toBe(code);
  expect(answer.stdout).toBe(text === "say good" ? "good\n" : "");
});

test("of many agents that leave at once at the end of a good turn none was interrupted", async () => {
  await using user = newLiveUser();
  const ids = await Promise.all(Array.from({ length: 10 }, () => atPrompt(user)));
  const answers = await Promise.all(
    ids.map(async (id) => user.rollcall(["send", id, "say good ; exit 0", "--wait"])),
  );
  expect(answers.map(({ code, stdout }) => [code, stdout])).toEqual(ids.map(() => [0, "good\n"]));
  for (const id of ids) expect(await user.reach(id, "stopped")).toMatchObject({ outcome: "success" });
});

test("keys are pressed as they are named, and refused whole where one is unknown", async () => {
  await using user = newLiveUser();
  const { id } = await user.start(["--", "sh", "-c", "stty raw -echo; printf 'ready\\r\\n'; exec cat -v"]);
  const screen = async () => (await dataOf(user, id)).screen ?? "";
  await until(async () => (await screen()).includes("ready"), "the program");
  const refused = await user.rollcall(["keys", id, "x", "Nokey"]);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain("Nokey");
  await user.ok(["keys", id, "C-c", "Up", "M-x", "é", "Enter", "Escape"]);
  await until(async () => (await screen()).includes("^C^[[A^[xM-CM-)^M^["), "the keys");
  const piped = await user.start(["--kind", "autonomous", "--", "cat"]);
  expect(await user.rollcall(["keys", piped.id, "Enter"])).toMatchObject({ code: 4 });
});
