import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { LAUNCHER } from "../cli/rollcall.ts";
import { atPrompt, said, statesOf } from "./scripted.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

/** Every change to `waiting_input` at the prompt. */
async function prompts(user: LiveUser, id: string): Promise<number> {
  return (await statesOf(user, id)).filter((state) => state === "waiting_input").length;
}

describe("a text that a session begins with", () => {
  test("a session is about its first text before the text is given, and without the caller's secrets", async () => {
    await using user = newLiveUser();
    const env = { MY_API_KEY: "tulip-vase-42-tulip" };
    const text = `say Mend the parser\nwith ${env.MY_API_KEY} ${"and more ".repeat(100)}`;
    const { id } = await user.start(["scripted", text, "--", "--trust"], { env });
    await user.reach(id, "waiting_input");
    expect(await user.get(id)).toMatchObject({ waiting: { for: "trust" }, turn: { state: "pending" } });
    expect((await user.get(id)).about).toMatch(/^say Mend the parser with \[REDACTED.*…$/);
    expect((await user.ok(["list"])).stdout).toContain("say Mend the parser");
    expect(await user.everything()).not.toContain(env.MY_API_KEY);
  });

  test.each([
    ["start", async (user: LiveUser) => (await user.start(["scripted", "say one"])).id],
    [
      "resume",
      async (user: LiveUser) => {
        const { id } = await user.start(["scripted", "say zero"]);
        await user.ok(["wait", id]);
        await user.ok(["end", id]);
        await user.ok(["resume", id, "say one", "-d"]);
        return id;
      },
    ],
    [
      "fork",
      async (user: LiveUser) => {
        const { id } = await user.start(["scripted", "say zero"]);
        await user.ok(["wait", id]);
        return String((await user.ok(["fork", id, "say one", "-d", "--json"])).json.id);
      },
    ],
  ] as const)(
    "given by %s is over when wait returns, and never shows a prompt before that",
    async (how, begin) => {
      await using user = newLiveUser();
      const id = await begin(user);
      const before = how === "resume" ? 1 : 0;
      const waited = (await user.ok(["wait", id, "--timeout", "30s", "--json"])).json;
      expect(JSON.stringify(waited)).toContain('"for":"prompt"');
      expect((await said(user, id, "assistant")).at(-1)).toBe("one");
      expect(await prompts(user, id)).toBe(before + 1);
      const number = how === "resume" ? 2 : 1;
      expect(await user.get(id)).toMatchObject({
        turn: { number, state: "done", outcome: "success", error: null },
        usage: { turns: number },
      });
    },
  );

  test("of an autonomous session leads to its end without a prompt", async () => {
    await using user = newLiveUser();
    const { id, turn } = await user.start(["scripted", "say one", "--kind", "autonomous"]);
    expect(turn).toMatchObject({ number: 1, state: "pending" });
    expect((await user.ok(["wait", id, "--json"])).stdout).toContain('"state":"stopped"');
    expect(await prompts(user, id)).toBe(0);
    expect(await said(user, id, "assistant")).toEqual(["one"]);
  });

  test("that is never taken is a failed turn, also when the daemon dies in between", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", "say one", "--", "--deaf"]);
    await until(
      async () => (await user.ok(["events", id, "--json"])).stdout.includes('"input_given"'),
      "the text",
    );
    await user.killDaemon();
    await user.ok(["up"]);
    await user.ok(["wait", id, "--turn", "1", "--timeout", "30s"]);
    expect(await user.get(id)).toMatchObject({
      turn: { number: 1, state: "done", outcome: "failure", error: "not_delivered" },
      last_error: { message: "not_delivered" },
      error_count: 0,
    });
    const given = (await user.ok(["events", id, "--json"])).stdout.match(/"input_given"/g);
    expect(given).toHaveLength(1);
  });
});

describe("wait --turn", () => {
  test("returns for a turn that is long over, for one in progress and at a request", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    await user.ok(["send", id, "say one", "--wait"]);
    await user.ok(["send", id, "fail two", "--json"]);
    await user.ok(["wait", id, "--turn", "2"]);
    const first = (await user.ok(["wait", id, "--turn", "1", "--json"])).stdout;
    expect(first).toContain('"number":1');
    expect(first).toContain('"outcome":"success"');
    await user.ok(["send", id, "ask Bash"]);
    const asking = await user.rollcall(["wait", id, "--turn", "3", "--json"]);
    expect(asking.code).toBe(4);
    expect(asking.stdout).toContain('"state":"running"');
    await user.ok(["approve", id]);
    await user.ok(["wait", id, "--turn", "3"]);
  });

  test("of a session that ends in mid-turn tells the outcome of the session", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["scripted", "hang"]);
    await user.reach(id, "running");
    await user.ok(["end", id]);
    expect((await user.ok(["wait", id, "--turn", "1", "--json"])).stdout).toContain(
      '"outcome":"interrupted"',
    );
    expect((await user.rollcall(["wait", id, "--turn", "7"])).code).toBe(4);
  });

  test("is not offered for a plain command, and neither is send --wait without a pattern", async () => {
    await using user = newLiveUser();
    const { id } = await user.start(["--", "cat"]);
    expect(await user.get(id)).toMatchObject({ turn: null });
    const waited = await user.rollcall(["wait", id, "--turn", "1", "--json"]);
    const sent = await user.rollcall(["send", id, "hello", "--wait", "--json"]);
    expect([waited.code, waited.error.code, sent.code, sent.error.code]).toEqual([
      4,
      "not_offered",
      4,
      "not_offered",
    ]);
    expect((await user.ok(["send", id, "hello", "--json"])).json).toMatchObject({ turn: null });
  });

  test.each([
    ["--turn", "0"],
    ["--turn", "x"],
    ["--turn", "1", "--until", "stopped"],
  ])("refuses %s %s", async (...args) => {
    await using user = newLiveUser();
    await user.ok(["create", "--id", "a"]);
    expect((await user.rollcall(["wait", "a", ...args])).code).toBe(2);
  });
});

describe("send --wait", () => {
  test("prints its own answer, forty times in a row to four agents side by side", async () => {
    await using user = newLiveUser();
    const ids = await Promise.all([1, 2, 3, 4].map(async () => atPrompt(user)));
    await Promise.all(
      ids.map(async (id, agent) => {
        for (let count = 1; count <= 10; count++) {
          const answer = await user.rollcall([
            "send",
            id,
            `say ${agent}-${count}`,
            "--wait",
            "--timeout",
            "60s",
          ]);
          expect([answer.code, answer.stdout, answer.stderr]).toEqual([0, `${agent}-${count}\n`, ""]);
        }
      }),
    );
    for (const id of ids)
      expect(await user.get(id)).toMatchObject({ turn: { number: 10 }, usage: { turns: 10 } });
  });

  test("says so where a turn had no words", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const answer = await user.rollcall(["send", id, "work 10ms", "--wait"]);
    expect([answer.code, answer.stdout]).toEqual([0, ""]);
    expect(answer.stderr).toContain("ended its turn without words");
    expect((await user.ok(["send", id, "work 10ms", "--wait", "--json"])).json).toMatchObject({
      answer: null,
    });
  });

  test("gives up after --timeout, names the session, and the session goes on", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user, "--name", "slow");
    const answer = await user.rollcall(["send", "slow", "hang", "--wait", "--timeout", "300ms"]);
    expect(answer.code).toBe(5);
    expect(answer.stderr).toMatch(`rollcall: ${id} (slow): Timed out after 300 ms.`);
    expect(await user.get(id)).toMatchObject({ state: "running", turn: { number: 1, state: "running" } });
    expect((await user.rollcall(["send", id, "x", "--timeout", "1s"])).code).toBe(2);
  });

  test("names the session where the daemon dies in between", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user);
    const waiting = user.rollcall(["send", id, "hang", "--wait"]);
    await user.reach(id, "running");
    await user.killDaemon();
    const answer = await waiting;
    expect(answer.code).toBe(1);
    expect(answer.stderr).toMatch(`rollcall: ${id}: The daemon left before it answered.`);
  });

  test("says the reason on stderr where the turn failed, and the record keeps it", async () => {
    await using user = newLiveUser();
    const id = await atPrompt(user, "--name", "worker");
    const answer = await user.rollcall(["send", "worker", "fail no credit left", "--wait"]);
    expect([answer.code, answer.stderr]).toEqual([1, `${id} (worker): no credit left\n`]);
    expect(await user.get(id)).toMatchObject({
      turn: { outcome: "failure", error: "no credit left" },
      last_error: { message: "no credit left" },
      error_count: 0,
    });
  });
});

test.each([
  ["start --wait", async () => ["start", "--wait", "--name", "long", "scripted", "hang"]],
  [
    "send --wait",
    async (user: LiveUser) => {
      await atPrompt(user, "--name", "long");
      return ["send", "long", "hang", "--wait"];
    },
  ],
])("Ctrl-C in %s says that the session goes on, its name, and how to end it", async (_, prepare) => {
  await using user = newLiveUser();
  const args = await prepare(user);
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: user.workspace,
    env: user.env,
    stdio: "pipe",
  });
  let stderr = "";
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  // The command listens for Ctrl-C from before it asks the daemon for anything: once the turn runs, it does.
  await until(
    async () => (await user.rollcall(["wait", "long", "--until", "running", "--timeout", "1s"])).code === 0,
    "the turn to run",
  );
  child.kill("SIGINT");
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(130);
  expect(stderr).toMatch(/^Session \S+ \(long\) goes on; end it with: rollcall end long\n$/);
  expect(await user.get("long")).toMatchObject({ state: "running" });
});

describe("a key", () => {
  test("makes start and send do nothing twice, and answers as the first time", async () => {
    await using user = newLiveUser();
    const starts = await Promise.all(
      [1, 2, 3].map(async () => user.start(["scripted", "say one", "--key", "start 1"])),
    );
    expect(new Set(starts.map(({ id }) => id)).size).toBe(1);
    const id = starts[0]?.id ?? "";
    await user.ok(["wait", id]);
    const first = (await user.ok(["send", id, "say two", "--key", "k", "--json"])).json;
    await user.ok(["wait", id]);
    await user.killDaemon();
    expect((await user.ok(["send", id, "say two", "--key", "k", "--json"])).json).toEqual(first);
    expect((await user.ok(["send", id, "say two", "--key", "k", "--wait"])).stdout).toBe("two\n");
    expect(await said(user, id, "assistant")).toEqual(["one", "two"]);
    expect((await user.start(["scripted", "--key", "start 1"])).id).toBe(id);
    const answer = await user.rollcall(["send", id, "say", "--key", ""]);
    expect(answer.code).toBe(2);
  });
});

test("the time that a session waited for people is summed up, without the time at its prompt", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await user.ok(["send", id, "ask Bash"]);
  await user.reach(id, "waiting_input");
  expect(await user.get(id)).toMatchObject({ waited_ms: 0, waiting: { for: "permission" } });
  await user.ok(["approve", id]);
  await user.ok(["wait", id]);
  const { waited_ms: waited } = await user.get(id);
  expect(waited).toBeGreaterThan(0);
  await user.ok(["send", id, "say hi", "--wait"]);
  expect((await user.get(id)).waited_ms).toBe(waited);
});
