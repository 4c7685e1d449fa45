import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { matchScreen } from "../../../domain/screen/screen-rules.ts";
import type { Waiting } from "../../../domain/session/session.ts";
import { hasCompiler, until } from "../../../host/holder-bench.ts";
import { TARGET } from "../../../testing/agents/target.ts";
import { tempFolder } from "../../../testing/temp-folder.ts";
import { interactive } from "../interactive/mode.ts";
import { SCREEN_RULES } from "../interactive/screen.ts";
import { bytesOf, TerminalAgent } from "./terminal-bench.ts";

const { controls } = interactive;

describe.skipIf(!hasCompiler)("in a terminal, a request", () => {
  test("for permission is told whole and approved", async () => {
    await using agent = await TerminalAgent.start(['ask Bash {"command":"make"}']);
    const asked = await agent.asked();
    expect(asked).toMatchObject({ for: "permission", tool: "Bash", input: { command: "make" } });
    expect(asked.requestId).toMatch(/^[0-9a-f-]{36}$/);
    await agent.press(controls.approve(TARGET, asked));
    await agent.reaches("ready good");
    expect(agent.story()).toEqual(["ready", "working", "asking permission", "working", "ready good"]);
    expect(await agent.screen()).not.toContain("Allow");
  });

  test("for permission is denied", async () => {
    await using agent = await TerminalAgent.start(["ask Bash"]);
    await agent.press(controls.deny(TARGET, await agent.asked(), null));
    await agent.shows((screen) => screen.endsWith("Bash was denied.\n>"));
  });

  test.each(["B", "2"])("with options is answered by %j", async (choice) => {
    await using agent = await TerminalAgent.start(["question Which one? A | B"]);
    const asked = await agent.asked();
    expect(asked).toMatchObject({ for: "question", question: "Which one?", options: ["A", "B"] });
    await agent.press(controls.answer(TARGET, asked, choice));
    await agent.shows((screen) => screen.endsWith("You chose: B\n>"));
  });

  test("without options is answered by any text", async () => {
    await using agent = await TerminalAgent.start(["question Your name?"]);
    await agent.press(controls.answer(TARGET, await agent.asked(), "Bob"));
    await agent.shows((screen) => screen.endsWith("You chose: Bob\n>"));
  });

  test("is interrupted with its turn", async () => {
    await using agent = await TerminalAgent.start(["ask Bash"]);
    await agent.shows((screen) => screen.includes("Allow Bash"));
    agent.type(bytesOf(controls.interrupt(TARGET)));
    await agent.reaches("ready aborted");
    await agent.shows((screen) => screen.endsWith("Interrupted.\n>"));
  });

  test("leaves a key that comes too early in the prompt box", async () => {
    await using agent = await TerminalAgent.start();
    await agent.reaches("ready");
    agent.type("ask Bash\r");
    await agent.reaches("asking permission");
    agent.type("y");
    await agent.press(controls.approve(TARGET, await agent.asked()));
    await agent.reaches("ready good");
    await agent.shows((screen) => screen.endsWith("[Bash] ok\n> y"));
  });

  test("with an input too long for a report is asked without it", async () => {
    await using agent = await TerminalAgent.start();
    await agent.reaches("ready");
    agent.say(`ask Write {"text":"${"x".repeat(20_000)}"}`);
    const asked = await agent.asked();
    expect(asked).toMatchObject({ tool: "Write", input: null });
    await agent.press(controls.approve(TARGET, asked));
    await agent.reaches("ready good");
  });
});

describe.skipIf(!hasCompiler)("in a terminal, the program", () => {
  test("asks for trust before anything is told", async () => {
    await using agent = await TerminalAgent.start(["--trust"]);
    const screen = await agent.shows((text) => text.includes("Trust this folder?"));
    expect(matchScreen(SCREEN_RULES, screen)?.rule.for).toBe("trust");
    expect(agent.story()).toEqual([]);
    const trust: Waiting = {
      for: "trust",
      requestId: "r1",
      tool: null,
      input: null,
      question: null,
      options: null,
      since: "",
    };
    await agent.press(controls.approve(TARGET, trust));
    await agent.reaches("ready");
    expect(matchScreen(SCREEN_RULES, await agent.shows((text) => text.endsWith(">")))).toBeUndefined();
  });

  test("leaves where it is not trusted", async () => {
    await using agent = await TerminalAgent.start(["--trust"]);
    await agent.shows((screen) => screen.includes("Trust this folder?"));
    agent.type("n");
    expect(await agent.exit()).toEqual({ code: 1, signal: null });
  });

  test("stands at its login until there is a code", async () => {
    await using agent = await TerminalAgent.start(["--login"]);
    const screen = await agent.shows((text) => text.includes("Log in"));
    expect(matchScreen(SCREEN_RULES, screen)?.rule.for).toBe("login");
    agent.type("\r4711\r");
    await agent.reaches("ready");
  });

  test("says how many turns it resumes", async () => {
    using home = tempFolder();
    await using first = await TerminalAgent.start(["--session-id", "n", "say hi"], home.path);
    await first.reaches("ready good");
    await using second = await TerminalAgent.start(["--resume", "n"], home.path);
    await second.shows((screen) => screen.includes("session n (resumed, 1 turns)"));
    await using third = await TerminalAgent.start(["--fork", "n", "--session-id", "f"], home.path);
    await third.shows((screen) => screen.includes("session f (forked, 1 turns)"));
    expect(readFileSync(join(home.path, "sessions", "f.jsonl"), "utf8")).toContain('"inherited":true');
  });

  test("edits its line", async () => {
    await using agent = await TerminalAgent.start();
    await agent.reaches("ready");
    agent.type("wrong\x15say yesno\x7f\x7f");
    await agent.shows((screen) => screen.endsWith("> say yes"));
    agent.type("\r");
    await agent.shows((screen) => screen.endsWith("yes\n>"));
  });

  test.each(["\x03\x03", "\x04", bytesOf(controls.stop(TARGET))])("leaves by %j", async (keys) => {
    await using agent = await TerminalAgent.start();
    await agent.reaches("ready");
    agent.type(keys);
    expect(await agent.exit()).toEqual({ code: 0, signal: null });
    // Its last words come to whoever looks on a moment after its exit is written down.
    const last = () => agent.client.messages.findLast((m) => m.type === "report");
    await until(() => last()?.fields.state === "clear" || undefined, "its last report");
  });

  test.each(["hang", "ask Bash", "question Name?"])("leaves politely in the middle of %j", async (prompt) => {
    await using agent = await TerminalAgent.start([prompt]);
    await agent.reaches(
      prompt === "hang" ? "working" : `asking ${prompt === "ask Bash" ? "permission" : "question"}`,
    );
    agent.type("half a line");
    agent.type(bytesOf(controls.stop(TARGET)));
    expect(await agent.exit()).toEqual({ code: 0, signal: null });
  });

  test.each([
    ["exit 5", { code: 5, signal: null }],
    ["crash", { code: null, signal: "SIGSEGV" }],
  ])("ends by %j", async (prompt, exit) => {
    await using agent = await TerminalAgent.start([prompt]);
    expect(await agent.exit()).toEqual(exit);
  });

  test("leaves with 143 when it is ended", async () => {
    await using agent = await TerminalAgent.start(["hang"]);
    await agent.reaches("working");
    process.kill(agent.session.pids.agent, "SIGTERM");
    expect(await agent.exit()).toEqual({ code: 143, signal: null });
  });
});
