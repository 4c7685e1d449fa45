import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type OUTCOMES, Session } from "../index.ts";
import { refusalOf, tempWorld } from "../testing/temp-rollcall.ts";

/** The acceptance criteria of document 002, one by one, through the class itself. */
describe("a Session", () => {
  test("generates a unique id of the form session-20251208-143052-abc123", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const [one, two] = [await Session.create({}, { rollcall }), await Session.create({}, { rollcall })];
    expect(one.id).toMatch(/^session-\d{8}-\d{6}-[0-9a-f]{6}$/);
    expect(one.id).not.toBe(two.id);
  });

  test("persists to the sessions folder of its workspace", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await Session.create({}, { rollcall });
    expect(world.readFile(session.id)).toMatchObject({ id: session.id });
  });

  test("records role, model, chain, task and when it began and ended", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await Session.create(
      { role: "control", model: "m", chainId: "C", taskId: "T" },
      { rollcall },
    );
    const begun = world.clock.instant;
    world.clock.advance({ minutes: 4, seconds: 20 });
    await session.end("success");
    const expected = {
      role: "control",
      model: "m",
      chainId: "C",
      taskId: "T",
      startTime: begun,
      endTime: world.clock.instant,
    };
    expect(session).toMatchObject(expected);
    expect(world.readFile(session.id)).toMatchObject(expected);
  });

  test("records messages in order, with their tool calls and names", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await Session.create({}, { rollcall });
    const messages = [
      { role: "system", content: "You are…" },
      { role: "assistant", content: "I look.", toolCalls: [{ some_key: 1, someKey: 2 }] },
      { role: "tool", name: "chain:status", content: "ok" },
    ];
    for (const message of messages) await session.addMessage(message);
    expect(session.messages).toEqual(messages);
    expect(world.readFile(session.id).messages).toEqual(messages);
  });

  test("records tool calls with times and results, and has saved them when the call returns", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await Session.create({}, { rollcall });
    for (const name of ["first", "second"]) {
      await session.recordToolCall({
        name,
        params: { chainId: "C" },
        result: { success: true },
        governanceResult: { allowed: true },
      });
      expect((world.readFile(session.id).toolCalls as unknown[]).at(-1)).toEqual({
        timestamp: world.clock.instant,
        name,
        params: { chainId: "C" },
        result: { success: true },
        governanceResult: { allowed: true },
      });
    }
    expect(session.toolCalls.map(({ name }) => name)).toEqual(["first", "second"]);
  });

  test("records token usage, which adds up: input with cache, so that total = input + output", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await Session.create({}, { rollcall });
    await session.addUsage({ input: 100, output: 20, cacheRead: 1000, cacheWrite: 10, reasoning: 5 });
    await session.addUsage({ input: 1, output: 2 });
    expect(session.tokenUsage).toEqual({ input: 1111, output: 22, total: 1133 });
    await session.save();
    expect(world.readFile(session.id).tokenUsage).toEqual({ input: 1111, output: 22, total: 1133 });
  });

  test("says null for usage that nobody measured, here, in the file and after it was read again", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await Session.create({}, { rollcall });
    const unknown = { input: null, output: null, total: null };
    expect([session.tokenUsage, world.readFile(session.id).tokenUsage]).toEqual([unknown, unknown]);
    await session.addUsage({ output: 2 });
    await session.save();
    const partly = { input: null, output: 2, total: 2 };
    expect([session.tokenUsage, world.readFile(session.id).tokenUsage]).toEqual([partly, partly]);
    const other = await world.open({ home: join(world.home, "other") });
    expect((await Session.load(session.id, { rollcall: other })).tokenUsage).toEqual(partly);
    await other.close();
  });

  test("counts a request once, by its key", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await Session.create({}, { rollcall });
    for (const output of [1, 7]) await session.addUsage({ requestKey: "r", input: 10, output });
    expect(session.tokenUsage).toEqual({ input: 10, output: 7, total: 17 });
  });

  test.each(["success", "failure", "interrupted"] as const satisfies typeof OUTCOMES)(
    "records the outcome %s, once and for all",
    async (outcome) => {
      using world = tempWorld();
      await using rollcall = await world.open();
      const session = await Session.create({}, { rollcall });
      await session.end(outcome);
      await session.end(outcome);
      expect([session.outcome, world.readFile(session.id).outcome]).toEqual([outcome, outcome]);
      const other = outcome === "success" ? "failure" : "success";
      expect(await refusalOf(session.end(other))).toBe("finalized");
    },
  );

  test("is loaded from the store as it was", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await filled(await Session.create({ role: "control" }, { rollcall }));
    const loaded = await Session.load(session.id, { rollcall });
    expect(faceOf(loaded)).toEqual(faceOf(session));
  });

  test("is loaded from its file where the store has lost it, and goes on", async () => {
    using world = tempWorld();
    const before = await world.open();
    const session = await filled(await Session.create({ role: "control" }, { rollcall: before }));
    await before.close();
    rmSync(world.home, { recursive: true });
    await using rollcall = await world.open();
    const loaded = await Session.load(session.id, { rollcall });
    expect(faceOf(loaded)).toEqual(faceOf(session));
    await loaded.recordToolCall({ name: "after" });
    expect(loaded.toolCalls).toHaveLength(2);
  });

  test("that is neither in the store nor in a file cannot be loaded", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    expect(await refusalOf(Session.load("session-20260108-180530-abc123", { rollcall }))).toBe(
      "session_not_found",
    );
    expect(await refusalOf(Session.load("../../etc/passwd", { rollcall }))).toBe("bad_id");
  });

  test("hands out copies: what a caller does to them changes nothing", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await filled(await Session.create({}, { rollcall }));
    const before = structuredClone([session.messages, session.toolCalls]);
    session.messages.length = 0;
    (session.toolCalls[0] as { params: { a: number } }).params.a = 99;
    session.tokenUsage.input = 99;
    expect([session.messages, session.toolCalls]).toEqual(before);
    expect(session.tokenUsage.input).toBe(3);
  });

  test("refuses a role, an outcome or a count that is none", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await Session.create({}, { rollcall });
    expect(await refusalOf(session.addMessage({ role: "ghost", content: "" }))).toBe("bad_input");
    expect(await refusalOf(session.end("great" as never))).toBe("bad_input");
    expect(await refusalOf(session.addUsage({ input: -1 }))).toBe("bad_input");
    expect(session.record.seq).toBe(1);
  });

  test("keeps its file pretty-printed for people", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await filled(await Session.create({}, { rollcall }));
    const text = readFileSync(world.filePath(session.id), "utf8");
    expect(text.split("\n").slice(0, 3)).toEqual(["{", `  "id": "${session.id}",`, `  "role": null,`]);
    expect(text.endsWith("}\n")).toBe(true);
  });

  test("of many calls at once keeps every one", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await Session.create({}, { rollcall });
    await Promise.all(Array.from({ length: 50 }, (_, n) => session.recordToolCall({ name: `call-${n}` })));
    const names = (await Session.load(session.id, { rollcall })).toolCalls.map(({ name }) => name);
    expect(new Set(names).size).toBe(50);
    expect((world.readFile(session.id).toolCalls as unknown[]).length).toBe(50);
  });
});

test("git ignores the folder of record files", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await rollcall.create();
  expect(readFileSync(join(world.workspace, ".rollcall", ".gitignore"), "utf8")).toBe("*\n");
});

async function filled(session: Session): Promise<Session> {
  await session.addMessage({ role: "user", content: "hello" });
  await session.recordToolCall({ name: "t", params: { a: 1 }, result: null });
  await session.addMessage({ role: "assistant", content: "done" });
  await session.addUsage({ input: 3, output: 4, cacheRead: 0, cacheWrite: 0 });
  await session.save();
  return session;
}

function faceOf({ id, role, model, startTime, endTime, outcome, tokenUsage, messages, toolCalls }: Session) {
  return { id, role, model, startTime, endTime, outcome, tokenUsage, messages, toolCalls };
}
