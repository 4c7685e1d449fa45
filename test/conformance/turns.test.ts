import { expect, test } from "vitest";
import { newLab } from "./lab.ts";
import { matrix, slowTest, TO_THE_END, toATurn } from "./matrix.ts";
import { begin, unasked } from "./turn.ts";

/** One that each knows and does not take by itself. */
const OTHER_MODELS = {
  claude: "claude-haiku-4-5",
  codex: "gpt-5.4-mini",
  gemini: "gemini-2.5-flash",
  opencode: "scripted/other-model",
} as const;

matrix(({ program, kind }) => {
  test("turn running and done", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[gate:first]][[text:hello there]]");
    await lab.model.asked("first");
    await session.at("turn running", "running", { via: toATurn(kind) });
    const causeMs = Date.now();
    lab.model.open("first");
    if (kind === "interactive") await session.at("turn done", "waiting_input:prompt", { causeMs });
    else await session.at("turn done", "stopped", { via: TO_THE_END, causeMs });
    expect((await session.entries()).filter((entry) => entry.kind !== "notice")).toMatchObject([
      { role: "user", kind: "text", text: "[[gate:first]][[text:hello there]]" },
      { role: "assistant", kind: "text", text: "hello there" },
    ]);
    expect(await session.get()).toMatchObject({
      // Gemini CLI says it on its screen alone.
      agent_version: program === "gemini" ? null : lab.program.version,
      native_id: expect.any(String),
      usage: { turns: 1 },
      outcome: kind === "interactive" ? null : "success",
    });
  });

  test("thinking, a tool and its result", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[think:hm]][[tool:echo from-the-tool]]", ...unasked(program));
    const isOver = kind === "interactive" ? "waiting_input:prompt" : "stopped";
    await session.at("turn with a tool done", isOver, { via: [...toATurn(kind), ...TO_THE_END] });
    const entries = (await session.entries()).filter(({ kind }) => kind !== "notice");
    expect(entries.map(({ role, kind }) => `${role} ${kind}`)).toEqual([
      "user text",
      "assistant thinking",
      "assistant tool_call",
      "tool tool_result",
      "assistant text",
    ]);
    expect(entries[1]).toMatchObject({ text: "hm" });
    expect(JSON.stringify(entries[2]?.tool)).toContain("echo from-the-tool");
    expect(JSON.stringify(entries[3]?.tool)).toContain("from-the-tool");
  });

  test("model chosen", async () => {
    await using lab = await newLab(program);
    const model = OTHER_MODELS[program];
    const session = await begin(lab, kind, "[[text:hello]]", "--model", model);
    const isOver = kind === "interactive" ? "waiting_input:prompt" : "stopped";
    await session.at("turn done", isOver, { via: [...toATurn(kind), ...TO_THE_END] });
    expect(model.endsWith(lab.lastTurn()?.model ?? "nothing asked")).toBe(true);
    expect(await session.get()).toMatchObject({ model });
  });

  slowTest("slow answer of 10 s", async () => {
    await using lab = await newLab(program);
    const session = await begin(lab, kind, "[[slow:10]][[text:late]]");
    await session.at("waiting for a slow answer", "running", { via: toATurn(kind) });
    await session.stays("still waiting for it", "running", 7000);
    const isOver = kind === "interactive" ? "waiting_input:prompt" : "stopped";
    await session.at("slow answer done", isOver, { via: ["running", ...TO_THE_END] });
  });
});

matrix(
  ({ program, kind }) => {
    test("typing by a person without a turn", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[text:hello]]");
      await session.at("turn done", "waiting_input:prompt", { via: toATurn(kind) });
      await lab.ok(["keys", session.id, "n", "o", "t", "h", "i", "n", "g"]);
      await session.stays("someone typed", "waiting_input:prompt", 2500);
      await session.send("[[gate:next]][[text:again]]");
      await lab.model.asked("next");
      await session.at("the next turn", "running");
      lab.model.open("next");
      await session.at("the next turn done", "waiting_input:prompt");
      expect((await session.entries()).at(-2)).toMatchObject({ text: "[[gate:next]][[text:again]]" });
    });

    test("two turns, the second with a text of many lines", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[text:one]]");
      await session.at("first turn done", "waiting_input:prompt", { via: toATurn(kind) });
      const text = "first line\n\n  'quotes' \"and\" $(so on);\n[[text:two]]";
      await session.send(text);
      await session.at("second turn done", "waiting_input:prompt", { via: ["running"] });
      expect(lab.lastTurn()?.prompt).toBe(text);
    });

    test("text in mid-turn", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[gate:first]][[text:one]]");
      await lab.model.asked("first");
      await session.at("turn running", "running", { via: toATurn(kind) });
      const queued = await session.queue("[[gate:second]][[text:two]]");
      await session.stays("a text behind the running turn", "running", 500);
      lab.model.open("first");
      await lab.model.asked("second");
      // Gemini CLI says for a moment that it is ready.
      const via = program === "gemini" ? ["waiting_input:prompt"] : [];
      await session.stays("turn of that text", "running", 500, { via });
      lab.model.open("second");
      await session.at("both turns done", "waiting_input:prompt");
      expect(await queued.turn).toBe(Number(((await session.get()).turn as { number: number }).number));
      const said = (await session.entries()).filter(({ kind }) => kind === "text");
      const [first, second] = ["[[gate:first]][[text:one]]", "[[gate:second]][[text:two]]"];
      // Codex drops an answer that has not begun, and asks anew with both texts; OpenCode has both at once.
      const order = {
        claude: [first, "one", second, "two"],
        codex: [first, second, "two"],
        gemini: [first, "one", second, "two"],
        opencode: [first, second, "one", "two"],
      }[program];
      expect(said.map(({ text }) => text)).toEqual(order);
    });

    test("a command that the program does not know", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[text:one]]");
      await session.at("first turn done", "waiting_input:prompt", { via: toATurn(kind) });
      // Claude takes it and says so; Codex and OpenCode leave it in their box; for Gemini CLI it is a text like any other.
      const { code } = await lab.rollcall(["send", session.id, "/nosuchcommand"]);
      expect(code).toBe(["codex", "opencode"].includes(program) ? 1 : 0);
      await lab.ok(["wait", session.id, "--until", "waiting_input"]);
      await session.send("[[text:two]]");
      await session.at("second turn done", "waiting_input:prompt", { via: ["running"] });
      expect(lab.lastTurn()?.prompt).toBe("[[text:two]]");
    });

    test("a new conversation begun in the program", async () => {
      await using lab = await newLab(program);
      const session = await begin(lab, kind, "[[text:one]]");
      const before = await session.at("first turn done", "waiting_input:prompt", { via: toATurn(kind) });
      await lab.ok(["send", session.id, program === "claude" ? "/clear" : "/new"]);
      // The command is a turn of its own.
      const via = ["running"];
      await session.stays("a conversation with nothing in it", "waiting_input:prompt", 1500, { via });
      await session.send("[[gate:new]][[text:two]]");
      await lab.model.asked("new");
      await session.at("its first turn", "running");
      lab.model.open("new");
      const after = await session.at("its first turn done", "waiting_input:prompt");
      expect(lab.lastTurn()?.prompts).not.toContain("[[text:one]]");
      expect(after.native_id).not.toBe(before.native_id);
      expect(after.native_id).toBe(lab.lastTurn()?.conversationId);
      expect((await session.entries()).at(-1)).toMatchObject({ role: "assistant", text: "two" });
    });
  },
  { kinds: ["interactive"] },
);
