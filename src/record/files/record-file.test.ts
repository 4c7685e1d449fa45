import { existsSync, mkdirSync, readdirSync, rmSync, statSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { NewEntry, Rollcall } from "../../index.ts";
import { request } from "../../testing/events.ts";
import { refusalOf, tempWorld, type World } from "../../testing/temp-rollcall.ts";

const LARGE = 1_200_000;

describe("a record file", () => {
  test("has the fields of document 002 first, then the rest of the record", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    const session = await rollcall.create({ id: "s" });
    const names = Object.keys(world.readFile("s"));
    expect(names.slice(0, 11)).toEqual([
      "id",
      "role",
      "model",
      "chainId",
      "taskId",
      "startTime",
      "endTime",
      "outcome",
      "tokenUsage",
      "messages",
      "toolCalls",
    ]);
    expect(names).toEqual(expect.arrayContaining(Object.keys(session)));
  });

  test("follows every change before the change is answered", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await rollcall.update("s", { phase: "planning", metadata: { snake_key: 1 } });
    expect(world.readFile("s")).toMatchObject({ phase: "planning", metadata: { snake_key: 1 }, seq: 2 });
    await rollcall.finalize("s", "completed");
    expect(world.readFile("s")).toMatchObject({ outcome: "success", seq: 3 });
  });

  test("is written once for many requests of usage, and shows them all", async () => {
    using world = tempWorld();
    const rollcall = await world.open();
    await rollcall.create({ id: "s" });
    const written = new Set<number>();
    for (let made = 0; made < 50; made++) {
      await rollcall.recordUsage("s", [request(`r${made}`)]);
      written.add(statSync(world.filePath("s")).mtimeMs);
    }
    // The second that they share may be over on a slow machine, but not at each of them.
    expect(written.size).toBeLessThan(25);
    await rollcall.close();
    expect(world.readFile("s")).toMatchObject({ tokenUsage: { input: 500, output: 250, total: 750 } });
  });

  test("stands at the git root of the working folder, else in that folder, else where it is told", async () => {
    using world = tempWorld();
    mkdirSync(join(world.workspace, ".git"));
    writeFileSync(join(world.workspace, ".git", "HEAD"), "ref: refs/heads/main\n");
    // What is empty is no repository, whoever made it.
    mkdirSync(join(world.workspace, "deep", "er", ".git"), { recursive: true });
    await using rollcall = await world.open({ cwd: join(world.workspace, "deep", "er") });
    await rollcall.create({ id: "root" });
    expect(world.readFile("root")).toMatchObject({ workspacePath: world.workspace });
    const told = await rollcall.create({ id: "told", workspace: ".." });
    expect(told.workspacePath).toBe(join(world.workspace, "deep"));
    expect(existsSync(join(world.workspace, "deep", ".rollcall", "sessions", "told.json"))).toBe(true);
  });

  test("is not kept where none is wanted", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s", file: false });
    expect(existsSync(join(world.workspace, ".rollcall"))).toBe(false);
  });

  test("can be read by its owner only, and leaves nothing half written beside it", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    await Promise.all(Array.from({ length: 20 }, () => rollcall.update("s", { error: "e" })));
    expect(statSync(world.filePath("s")).mode & 0o077).toBe(0);
    expect(readdirSync(dirname(world.filePath("s")))).toEqual(["s.json"]);
  });

  test("of a session written by two at once shows the last seq", async () => {
    using world = tempWorld();
    await using one = await world.open();
    await using two = await world.open();
    await one.create({ id: "s" });
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 2 ? one : two).update("s", { error: `${n}` })),
    );
    expect(world.readFile("s")).toMatchObject({ seq: 41, errorCount: 40 });
  });
});

describe("where no record file can be kept", () => {
  test.each(["home", "root"])(
    "(the %s folder) none is made, one warning is given and nothing fails",
    async (which) => {
      using world = tempWorld();
      const homeBefore = process.env.HOME;
      process.env.HOME = world.workspace;
      try {
        await using rollcall = await world.open();
        const workspace = which === "home" ? world.workspace : "/";
        for (const id of ["a", "b"]) await rollcall.create({ id, workspace });
        await rollcall.update("a", { phase: "planning" });
        expect(world.warnings).toEqual([expect.stringMatching(/^No record file can be kept in /)]);
        expect([readdirSync(world.workspace), existsSync("/.rollcall/sessions/a.json")]).toEqual([[], false]);
      } finally {
        process.env.HOME = homeBefore;
      }
    },
  );

  test("because the workspace is gone it is not made anew", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    rmSync(world.workspace, { recursive: true });
    for (const error of ["one", "two"]) await rollcall.update("s", { error });
    expect([existsSync(world.workspace), world.warnings.length]).toEqual([false, 1]);
    expect((await rollcall.get("s")).errorCount).toBe(2);
  });

  test("because a file stands in the way nothing fails", async () => {
    using world = tempWorld();
    writeFileSync(join(world.workspace, ".rollcall"), "mine");
    await using rollcall = await world.open();
    expect((await rollcall.create({ id: "s" })).id).toBe("s");
    expect(world.warnings).toHaveLength(1);
  });

  test("who opens the store later is not warned again of what was said before", async () => {
    using world = tempWorld();
    await using first = await world.open();
    await first.create({ id: "s" });
    rmSync(world.workspace, { recursive: true });
    await first.update("s", { error: "e" });
    world.warnings.length = 0;
    await using _second = await world.open({ cwd: world.home });
    expect(world.warnings).toEqual([]);
  });
});

describe("a record file that lags behind its record", () => {
  test("is repaired by whoever opens the store next", async () => {
    using world = tempWorld();
    await leaveBehind(world);
    expect(world.readFile("s")).toMatchObject({ seq: 1 });
    await using _rollcall = await world.open();
    expect(world.readFile("s")).toMatchObject({ seq: 2, phase: "planning" });
  });

  test("is left alone by whoever only opens the store where it is large, and mended by the doctor", async () => {
    using world = tempWorld();
    await leaveBehind(world, "x".repeat(LARGE));
    await using rollcall = await world.open();
    expect(world.readFile("s")).toMatchObject({ seq: 1 });
    expect(readdirSync(dirname(world.filePath("s")))).toEqual(["s.json"]);
    const { files, config } = rollcall.context;
    await files.repair(config.machine, { mostBytes: Number.POSITIVE_INFINITY, isDaemonAlive: false });
    expect(world.readFile("s")).toMatchObject({ seq: 2, phase: "planning" });
  });

  test("of a damaged record keeps nobody from opening the store", async () => {
    using world = tempWorld();
    await leaveBehind(world);
    const db = new Database(join(world.home, "rollcall.db"));
    db.exec("UPDATE sessions SET body = '{'");
    db.close();
    await using rollcall = await world.open();
    expect(await refusalOf(rollcall.get("s"))).toBe("corrupt");
    expect(await rollcall.page()).toMatchObject({ sessions: [], corrupt: ["s"] });
    expect((await rollcall.shouldResume("s")).reason).toBe("corrupt");
  });
});

describe("a record file of more than a megabyte", () => {
  test("follows later, within a second or so, without being asked", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await largeSession(rollcall);
    const shown = renameOf(world);
    await rollcall.addEntry("s", text("later"));
    expect(world.readFile("s")).toMatchObject({ seq: 2 });
    await shown;
    expect(world.readFile("s")).toMatchObject({ seq: 3 });
  });

  test("follows at the latest when the store is closed, or when it is saved", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await largeSession(rollcall);
    await rollcall.addEntry("s", text("saved"));
    await rollcall.saveFile("s");
    expect(world.readFile("s")).toMatchObject({ seq: 3 });
    await rollcall.addEntry("s", text("closed"));
    await rollcall.close();
    expect(world.readFile("s")).toMatchObject({ seq: 4 });
  });
});

function text(content: string): NewEntry {
  return { role: "assistant", kind: "text", text: content, tool: null };
}

async function largeSession(rollcall: Rollcall): Promise<void> {
  await rollcall.create({ id: "s" });
  await rollcall.addEntry("s", text("x".repeat(LARGE)));
}

/** The next time that the file is put in its place. */
function renameOf(world: World): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(dirname(world.filePath("s")), (_kind, name) => name === "s.json" && resolve());
  return promise.finally(() => watcher.close());
}

/** As a crash between the commit and the file would: changed in the store behind the keeper's back. */
async function leaveBehind(world: World, error?: string): Promise<void> {
  await using rollcall = await world.open();
  await rollcall.create({ id: "s" });
  const event = {
    id: "e",
    at: world.clock.instant,
    channel: null,
    body: { kind: "updated", phase: "planning", ...(error === undefined ? {} : { error }) },
  } as const;
  await rollcall.context.store.change("s", () => [event]);
}
