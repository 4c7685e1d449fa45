import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseStream } from "../autonomous/stream.ts";
import { parseTranscript } from "../interactive/transcript.ts";
import { PipedAgent, start } from "./piped-bench.ts";

describe("the stream", () => {
  test("begins with who it is and that it is ready", async () => {
    await using agent = start(["--session-id", "n", "--model", "big-1"]);
    await agent.hears("state");
    expect(agent.lines).toMatchObject([
      { type: "init", session_id: "n", model: "big-1", version: "1.0.0", turns: 0 },
      { type: "state", state: "idle" },
    ]);
  });

  test("refuses what it does not understand", async () => {
    await using agent = start();
    agent.child.stdin.write('nonsense\n{"type":"dance"}\n{"type":"user"}\n');
    await agent.hears("refused", 3);
    expect(await agent.turn("say fine")).toContain("result good fine");
  });

  test("and the transcript tell the adapter the same", async () => {
    await using agent = start(["--session-id", "n"]);
    await agent.turn("think a ; say b ; tool T ; usage 1 2 ; usage 3 4 ; fail c");
    const lines = readFileSync(join(agent.home, "sessions", "n.jsonl"), "utf8")
      .trim()
      .split("\n");
    const parsed = (all: readonly string[], read: typeof parseStream) =>
      all
        // How a turn ends is told by another signal in each.
        .map((line) => ({ ...read(line), signal: undefined, isTurnRead: undefined }))
        .filter((one) => Object.keys(one).length > 2);
    expect(parsed(agent.texts, parseStream)).toEqual(parsed(lines, parseTranscript));
  });

  test("starts late when asked to", async () => {
    const before = Date.now();
    await using agent = start(["--slow-start", "500"]);
    await agent.hears("init");
    expect(Date.now() - before).toBeGreaterThanOrEqual(500);
  });
});

describe("the transcript", () => {
  const continuing = async (home: string, args: readonly string[]) => {
    await using agent = new PipedAgent(home, [...args, "say more"]);
    await agent.hears("result");
    return agent.hears("init");
  };

  test("is made with the first turn", async () => {
    await using agent = start(["--session-id", "n"]);
    const path = join(agent.home, "sessions", "n.jsonl");
    await agent.hears("state");
    expect(existsSync(path)).toBe(false);
    await agent.turn("say hi");
    expect(readFileSync(path, "utf8")).toContain('"text":"say hi"');
  });

  test("is gone when lost, and stays so", async () => {
    await using agent = start(["--session-id", "n"]);
    await agent.turn("lose-transcript ; say on");
    expect(existsSync(join(agent.home, "sessions", "n.jsonl"))).toBe(false);
  });

  test("is gone on with by a resume", async () => {
    await using agent = start(["--session-id", "n"]);
    await agent.turn("say hi");
    expect(await continuing(agent.home, ["--resume", "n"])).toMatchObject({ session_id: "n", turns: 1 });
    expect(await continuing(agent.home, ["--resume", "n"])).toMatchObject({ turns: 2 });
    const keys = readFileSync(join(agent.home, "sessions", "n.jsonl"), "utf8").match(/n\/\d\/1/g);
    expect(keys).toEqual(["n/1/1", "n/2/1", "n/3/1"]);
  });

  test("is copied by a fork, which counts only its own", async () => {
    await using agent = start(["--session-id", "n"]);
    await agent.turn("say hi");
    expect(await continuing(agent.home, ["--fork", "n", "--session-id", "f"])).toMatchObject({ turns: 1 });
    const lines = readFileSync(join(agent.home, "sessions", "f.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(lines[1]).toContain('"text":"say hi"');
    const usage = lines.flatMap((line) => parseTranscript(line).usage ?? []);
    expect(usage.map(({ requestKey }) => requestKey)).toEqual(["f/2/1"]);
  });

  test.each([
    ["--resume", "n"],
    ["--fork", "n"],
    ["--resume", "../n"],
    ["--resume", "n", "--fork", "n"],
    ["--slow-start", "soon"],
    ["--dance"],
  ])("that is missing or wrongly asked for (%s %s) ends it at once", async (...args) => {
    await using agent = start(args);
    expect(await agent.exited).toEqual([1, null]);
    expect(agent.errors).toMatch(/^scripted-agent: .+\n$/);
  });
});
