import { describe, expect, test } from "vitest";
import { hasCompiler } from "../../../host/holder-bench.ts";
import { TerminalAgent } from "./terminal-bench.ts";

describe.skipIf(!hasCompiler)("in a terminal, a turn", () => {
  test.each([
    ["say hi", "ready good", "> say hi\nhi\n>"],
    ["Good morning", "ready good", "You said: Good morning\n>"],
    ["think hm", "ready good", "(thinking) hm\n>"],
    ["stream 4 5", "ready good", "the quick brown fox\n>"],
    ["work 30ms ; say done", "ready good", "done\n>"],
    ['tool Bash {"a":1}', "ready good", '[Bash] {"a":1}\n[Bash] ok\n>'],
    ["run echo one; echo two; exit 3", "ready good", "[run] exit 3\none\ntwo\n>"],
    ["fail 529 overloaded", "ready failed", "Error: 529 overloaded\n>"],
    ["ignore SIGHUP", "ready good", "Ignoring SIGHUP.\n>"],
    ["lose-transcript", "ready good", "> lose-transcript\n>"],
    ["usage 1 2", "ready good", "> usage 1 2\n>"],
  ])("of %j is told and shown", async (prompt, end, shown) => {
    await using agent = await TerminalAgent.start();
    await agent.reaches("ready");
    agent.say(prompt);
    await agent.reaches(end);
    expect(agent.story()).toEqual(["ready", "working", end]);
    expect(await agent.shows((screen) => screen.endsWith(shown))).toContain("Scripted agent 1.0.0");
  });

  test.each([
    ["hang", "\x1b"],
    ["hang", "\x03"],
    ["stream 1000 5", "\x1b"],
    ["flood 4000MB", "\x1b"],
  ])("of %j ends as aborted by %j", async (prompt, key) => {
    await using agent = await TerminalAgent.start([prompt]);
    await agent.reaches("working");
    agent.type(key);
    await agent.reaches("ready aborted");
    await agent.shows((screen) => screen.endsWith("Interrupted.\n>"));
  });

  test("takes what is typed meanwhile as the next one", async () => {
    await using agent = await TerminalAgent.start(["work 300ms"]);
    await agent.reaches("working");
    agent.type("say ne");
    await agent.shows((screen) => screen.endsWith("working> say ne"));
    agent.type("xt\r");
    await agent.reaches("ready good", 2);
    expect(agent.story()).toEqual(["ready", "working", "ready good", "working", "ready good"]);
    await agent.shows((screen) => screen.endsWith("next\n>"));
  });

  test("of a paste with newlines is one", async () => {
    await using agent = await TerminalAgent.start();
    await agent.reaches("ready");
    agent.type("\x1b[200~two\r\nlines\x1b[201~");
    await agent.shows((screen) => screen.endsWith("> two↵lines"));
    agent.type("\r");
    await agent.reaches("ready good");
    await agent.shows((screen) => screen.includes("> two\n  lines\nYou said: two\nlines"));
  });

  test("waits for its helper, whose reports are not its own", async () => {
    await using agent = await TerminalAgent.start(["background 100ms"]);
    await agent.reaches("ready good");
    const helpers = agent.client.messages.filter((m) => m.type === "report" && m.fields.id === "helper-1");
    expect(helpers).toMatchObject([{ fields: { state: "working" } }, { fields: { state: "clear" } }]);
    expect(agent.story()).toEqual(["ready", "working", "ready good"]);
  });

  test("floods the terminal and comes back to the prompt", async () => {
    await using agent = await TerminalAgent.start(["flood 5MB"]);
    await agent.reaches("ready good");
    const { dropped, high } = (await agent.client.status()).out;
    expect(dropped).toBe(0);
    expect(high).toBeGreaterThan(5_000_000);
  });

  test("rings the bell and sets the title", async () => {
    await using agent = await TerminalAgent.start(["bell ; title Busy here"]);
    await agent.reaches("ready good");
    await agent.client.has("bell");
    await agent.client.has("title", ({ title }) => title === "Busy here");
  });

  test("that stops reading leaves the input where it is", async () => {
    await using agent = await TerminalAgent.start(["stop-reading"]);
    await agent.reaches("ready good");
    agent.say("say heard");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(agent.story().at(-1)).toBe("ready good");
  });
});
