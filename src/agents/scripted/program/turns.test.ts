import { describe, expect, test } from "vitest";
import { start } from "./piped-bench.ts";

const TURNS: readonly (readonly [prompt: string, lines: readonly string[]])[] = [
  [
    "Good morning\nto you",
    ["assistant You said: Good morning\nto you", "result good You said: Good morning\nto you"],
  ],
  ["say one ; say two", ["assistant one", "assistant two", "result good two"]],
  ["say one\nhello", ["assistant one", "assistant You said: hello", "result good You said: hello"]],
  ["think hard", ["thinking hard", "result good"]],
  [
    "stream 3 1",
    ["delta the", "delta quick", "delta brown", "assistant the quick brown", "result good the quick brown"],
  ],
  ["work 10ms", ["result good"]],
  ['tool Bash {"command":"ls"}', ["tool_call", "tool_result", "result good"]],
  ["run echo $((6 * 7))", ["tool_call", "tool_result", "result good"]],
  ["background 50ms ; say sooner", ["helper", "assistant sooner", "helper", "result good sooner"]],
  ["fail 529 overloaded ; say never", ["result failed 529 overloaded"]],
  ["bell ; title Busy", ["result good"]],
  ["exit 0 ; say never", ["result good"]],
  ["tool Bash nonsense", [expect.stringContaining("result failed Not understood: SyntaxError") as string]],
  ["spawn nothing", [expect.stringContaining("nothing is not one of plain") as string]],
];

describe("a turn", () => {
  test.each(TURNS)("of %j goes as it says", async (prompt, lines) => {
    await using agent = start();
    expect(await agent.turn(prompt)).toEqual(lines);
  });

  test("carries parameters and results of its tools", async () => {
    await using agent = start();
    await agent.turn('tool Read {"path":"a"} ; run echo hello; exit 3');
    expect(agent.lines.filter(({ type }) => type.startsWith("tool"))).toEqual([
      expect.objectContaining({ name: "Read", params: { path: "a" } }),
      expect.objectContaining({ name: "Read", result: "ok" }),
      expect.objectContaining({ name: "run", params: { command: "echo hello; exit 3" } }),
      expect.objectContaining({ name: "run", result: { code: 3, output: "hello\n" } }),
    ]);
  });

  test("waits for the one before it", async () => {
    await using agent = start();
    agent.prompt("work 100ms ; say first");
    agent.prompt("say second");
    await agent.hears("result", 2);
    const order = agent.lines.map(({ type, text, state }) => `${type} ${text ?? state}`).slice(2);
    expect(order.filter((line) => /state|assistant/.test(line))).toEqual([
      ...["state working", "assistant first", "state idle", "state working", "assistant second"],
      ...(order.at(-1) === "state idle" ? ["state idle"] : []),
    ]);
  });

  test.each([
    "hang",
    "work 1h",
    "stream 1000 20",
    "background 1h",
    "flood 2000MB",
    "run sleep 60",
    "ask Bash",
  ])("of %j can be interrupted", async (prompt) => {
    await using agent = start();
    agent.prompt(prompt);
    await agent.hears("user");
    agent.tell({ type: "interrupt" });
    expect(await agent.hears("result")).toMatchObject({ turn: "aborted" });
    agent.prompt("say still here");
    expect(await agent.hears("result", 2)).toMatchObject({ turn: "good" });
  });

  test("floods with exactly as many bytes as asked for", async () => {
    await using agent = start();
    await agent.turn("flood 20MB");
    const noise = agent.lines.filter(({ type }) => type === "noise");
    expect(noise.reduce((sum, { text }) => sum + (text as string).length, 0)).toBe(20_000_000);
  });

  test.each([
    ["", [[100, 20, 0, 0, 0, 0.001]]],
    ["usage 5 6", [[5, 6, null, null, null, null]]],
    ["usage 5 6 3000 400 7 0.25", [[5, 6, 3000, 400, 7, 0.25]]],
    [
      "usage 5 6 - - 7 ; usage 1 2",
      [
        [5, 6, null, null, 7, null],
        [1, 2, null, null, null, null],
      ],
    ],
  ])("with %j tells at its end what it used", async (usage, requests) => {
    await using agent = start(["--session-id", "n", "--model", "big-1"]);
    await agent.turn(`say hi ; ${usage}`);
    const result = (await agent.hears("result")) as unknown as { usage: Record<string, unknown>[] };
    const used = result.usage.map((r) => [
      r.input,
      r.output,
      r.cache_read,
      r.cache_write,
      r.reasoning,
      r.cost_usd,
    ]);
    expect(used).toEqual(requests);
    expect(result.usage.map((r) => [r.request_key, r.model])).toEqual(
      requests.map((_, index) => [`n/1/${index + 1}`, "big-1"]),
    );
  });

  test("tells of each request at once, and of the same ones at its end", async () => {
    await using agent = start(["--session-id", "n", "--model", "big-1"]);
    await agent.turn("usage 5 6 ; spend 1 0");
    const told = [await agent.hears("usage"), await agent.hears("usage", 2), await agent.hears("result")];
    const [first, second, all] = told.map(({ usage }) => usage as unknown as object[]);
    expect([...(first ?? []), ...(second ?? [])]).toEqual(all);
    expect(all).toMatchObject([
      { request_key: "n/1/1", input: 5 },
      { request_key: "n/1/2", input: 900, cache_write: 1000, cost_usd: null },
    ]);
  });
});

describe("a request", () => {
  test.each([
    ['ask Bash {"a":1}', { decision: "approve" }, "tool_result"],
    ['ask Bash {"a":1}', { decision: "deny", reason: "too risky" }, "Bash was denied: too risky"],
    ["ask Bash", { decision: "deny" }, "Bash was denied."],
    ["question Which one? A | B", { choice: "B" }, "You chose: B"],
    ["question Your name?", { choice: "Bob" }, "You chose: Bob"],
  ])("of %j answered by %o goes on", async (prompt, answer, outcome) => {
    await using agent = start();
    agent.prompt(prompt);
    const { request_id } = await agent.hears("request");
    agent.tell({ type: "answer", request_id, ...answer });
    await agent.hears("result");
    expect(agent.lines.map(({ type, text }) => text ?? type)).toContain(outcome);
  });

  test.each<[{ readonly request_id?: string; readonly choice?: string; readonly decision?: string }]>([
    [{ request_id: "another", choice: "A" }],
    [{ choice: "A" }],
    [{ request_id: "this", choice: "C" }],
    [{ request_id: "this", decision: "approve" }],
  ])("is not answered by %o", async (answer) => {
    await using agent = start();
    agent.prompt("question Which? A | B");
    const { request_id } = await agent.hears("request");
    const meant = answer.request_id === "this" ? { request_id } : {};
    agent.tell({ type: "answer", ...answer, ...meant });
    await agent.hears("refused");
    agent.tell({ type: "answer", request_id, choice: "A" });
    expect(await agent.hears("result")).toMatchObject({ text: "You chose: A" });
  });

  test("is denied when nobody is there to ask", async () => {
    await using agent = start(["ask Bash ; question Which?"]);
    await agent.hears("request");
    agent.child.stdin.end();
    expect(await agent.exited).toEqual([0, null]);
    expect(agent.texts.join()).toContain("Bash was denied: nobody is there to ask");
    expect(await agent.hears("result")).toMatchObject({ text: "Nobody answered." });
  });
});
