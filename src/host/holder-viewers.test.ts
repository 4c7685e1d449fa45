import { describe, expect, test } from "vitest";
import { hasCompiler, program, startSession } from "./holder-bench.ts";

const size = [program("probe"), "size"];

describe.skipIf(!hasCompiler)("viewers", () => {
  test("the newest that types is the typist, and the next newest follows when it leaves", async () => {
    await using session = await startSession(size, { host: "pty", cols: 120, rows: 40 });
    await using first = await session.connect({ role: "view", types: true, cols: 80, rows: 24 });
    const { you: one } = await first.has("status");
    // Two changes that come before the agent has seen the first are one to it.
    await session.says("80x24\r\n");
    const second = await session.connect({ role: "view", types: true, cols: 100, rows: 30 });
    const { you: two } = await second.has("status");
    await first.has("typist", ({ typist }) => typist === two);
    await session.says("80x24\r\n100x30\r\n");
    await second[Symbol.asyncDispose]();
    await first.has("detached");
    expect(await first.status()).toMatchObject({ typist: one, cols: 80, rows: 24, viewers: 1 });
    await session.says("80x24\r\n100x30\r\n80x24");
  });

  test("one that only watches neither types nor resizes, until it takes over", async () => {
    await using session = await startSession(size, { host: "pty", cols: 120, rows: 40 });
    await using watcher = await session.connect({ role: "view", from: 0 });
    watcher.holder.input("x");
    watcher.holder.resize(50, 20);
    await watcher.has("refused", ({ frame }) => frame === "I");
    await watcher.has("refused", ({ frame }) => frame === "R");
    expect(await watcher.status()).toMatchObject({ typist: null, cols: 120, rows: 40, lastInputMsAgo: null });
    watcher.holder.takeOver();
    await watcher.has("resized", ({ cols, rows }) => cols === 50 && rows === 20);
    watcher.holder.resize(51, 21);
    await watcher.shows("51x21");
  });

  test("a size beyond 1000 columns and 500 rows is taken for that", async () => {
    await using session = await startSession(size, { host: "pty", cols: 65535, rows: 65535 });
    await using typist = await session.connect({
      role: "view",
      types: true,
      from: 0,
      cols: 20_000,
      rows: 20_000,
    });
    expect(await typist.status()).toMatchObject({ cols: 1000, rows: 500 });
    typist.holder.resize(65_535, 30);
    await typist.has("resized", ({ cols, rows }) => cols === 1000 && rows === 30);
  });

  test("the typist's size is the terminal's, also for those who watch", async () => {
    await using session = await startSession(size, { host: "pty" });
    await using watcher = await session.connect({ role: "view" });
    await using typist = await session.connect({ role: "view", types: true });
    expect((await typist.has("status")).cols).toBe(120);
    typist.holder.resize(77, 22);
    await watcher.has("resized", ({ cols, rows }) => cols === 77 && rows === 22);
    await session.says("77x22");
  });

  test("each gets what was spooled and then live bytes, without a gap", async () => {
    const script =
      'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done; echo end of lines; sleep 60';
    await using session = await startSession(["sh", "-c", script], { host: "pty" });
    const views = await Promise.all(
      [0, 0, 0, 100, 5000].map((from) => session.connect({ role: "view", from })),
    );
    for (const view of views) await view.shows("end of lines");
    const spooled = session.spooled();
    for (const [i, from] of [0, 0, 0, 100, 5000].entries()) {
      const output = views[i]?.messages.find((message) => message.type === "output");
      // A view may ask for what does not exist yet: it begins where the stream is.
      expect(output?.offset).toBeLessThanOrEqual(from);
      expect(views[i]?.output().equals(spooled.subarray(output?.offset))).toBe(true);
      await views[i]?.[Symbol.asyncDispose]();
    }
  });

  test("losing one is a detach and never an end", async () => {
    await using session = await startSession(size, { host: "pty" });
    const view = await session.connect({ role: "view", types: true });
    await view.has("status");
    await view[Symbol.asyncDispose]();
    await using client = await session.connect();
    expect(await client.status()).toMatchObject({
      agent: { alive: true },
      viewers: 0,
      typist: null,
      ending: false,
    });
  });

  test("those beyond sixty-four are turned away, the others go on", async () => {
    await using session = await startSession(size, { host: "pty" });
    const views = await Promise.all(Array.from({ length: 64 }, () => session.connect({ role: "view" })));
    await Promise.all(views.map((view) => view.has("status")));
    const late = await session.connect({ role: "view" });
    await late.closed();
    expect((await views[0]?.status())?.viewers).toBe(64);
    await Promise.all(views.map((view) => view[Symbol.asyncDispose]()));
  });

  test("may not end the session or let its output go", async () => {
    await using session = await startSession(size, { host: "pty" });
    await using view = await session.connect({ role: "view", types: true });
    view.holder.end(0);
    view.holder.acknowledge("out", 5);
    await view.has("refused", ({ frame }) => frame === "E");
    await view.has("refused", ({ frame }) => frame === "A");
    expect((await view.status()).ending).toBe(false);
  });
});
