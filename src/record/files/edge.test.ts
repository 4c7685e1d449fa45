import { existsSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { JsonObject, NewEntry } from "../../index.ts";
import { partialPath } from "../../machine/partial-file.ts";
import { request } from "../../testing/events.ts";
import { refusalOf, tempWorld } from "../../testing/temp-rollcall.ts";
import { writeRecordFile } from "./record-file.ts";

describe("what is wrong is refused where it comes in", () => {
  test.each([
    { metadata: [] },
    { metadata: "text" },
    { metadata: null },
    { resumeReady: "yes" },
    { error: 7 },
    { name: "../x" },
    { status: "done" },
  ])("in an update: %o", async (patch) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    expect(await refusalOf(rollcall.update("s", patch as never))).toMatch(/^bad_/);
    expect((await rollcall.get("s")).seq).toBe(1);
  });

  test.each([
    { tokensInput: -1 },
    { tokensOutput: 1.5 },
    { reportedNanoUsd: Number.NaN },
    { webSearches: -1 },
    { speed: "x".repeat(101) },
    { tokensCacheWrite: 3, tokensCacheWriteHour: 4 },
    { at: "soon" },
    { requestKey: "" },
  ])("in a request of the ledger: %o", async (wrong) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    expect(await refusalOf(rollcall.recordUsage("s", [request("good"), request("bad", wrong)]))).toBe(
      "bad_input",
    );
    expect((await rollcall.get("s")).usage.tokensInput).toBeNull();
  });

  test.each([{ role: "ghost" }, { kind: "song" }, { text: 7 }])("in an entry: %o", async (wrong) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s" });
    const entry = { role: "user", kind: "text", text: "x", tool: null, ...wrong } as NewEntry;
    expect(await refusalOf(rollcall.addEntry("s", entry))).toBe("bad_input");
  });
});

describe("strange content", () => {
  test.each([
    JSON.parse('{"__proto__": {"x": 1}, "constructor": 2, "toString": null}'),
    { "": { " ": ["\u0000", "\ud800", "🙂", "</script>"] } },
    { snake_key: { camelKey: { "kebab-key": 1e308 } } },
  ] as JsonObject[])("in metadata comes back as it went in: %j", async (metadata) => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s", metadata });
    expect(JSON.stringify((await rollcall.get("s")).metadata)).toBe(JSON.stringify(metadata));
    expect(JSON.stringify(world.readFile("s").metadata)).toBe(JSON.stringify(metadata));
    expect((await rollcall.verify()).problems).toEqual([]);
  });
});

describe("a damaged child", () => {
  test("hides neither its parent nor the list, and makes the sum partial", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "parent" });
    await rollcall.create({ id: "child", parentId: "parent" });
    await rollcall.recordUsage("parent", [request("r")]);
    const db = new Database(join(world.home, "rollcall.db"));
    db.exec("UPDATE sessions SET body = '{' WHERE id = 'child'");
    db.close();
    expect((await rollcall.get("parent")).usageWithChildren).toMatchObject({
      tokensInput: 10,
      partial: true,
    });
    expect(await rollcall.page()).toMatchObject({ sessions: [{ id: "parent" }], corrupt: ["child"] });
  });
});

describe("following the feed", () => {
  test("gives what was committed and then what is, until it is told to stop", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await using other = await world.open();
    await rollcall.create({ id: "a" });
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { sessionId } of rollcall.feed({ follow: true, signal: stop.signal })) {
      seen.push(sessionId);
      if (sessionId === "a") await other.create({ id: "b" });
      else stop.abort();
    }
    expect(seen).toEqual(["a", "b"]);
  });

  test("without following ends with what is there", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.upsert(Array.from({ length: 1200 }, (_, n) => ({ id: `s${n}` })));
    expect(await Array.fromAsync(rollcall.feed())).toHaveLength(1200);
  });
});

describe("events, entries and search", () => {
  test("are read in order however many there are", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s", file: false });
    await Promise.all(Array.from({ length: 1100 }, () => rollcall.update("s", {})));
    const seqs = (await Array.fromAsync(rollcall.events("s"))).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 1101 }, (_, n) => n + 1));
    expect((await Array.fromAsync(rollcall.events("s", { after: 3, limit: 700 }))).length).toBe(700);
  });

  test("say through which channel something was said", async () => {
    using world = tempWorld();
    await using rollcall = await world.open({ channel: "hook" });
    await rollcall.create({ id: "s" });
    expect(await Array.fromAsync(rollcall.events("s"))).toMatchObject([
      { channel: "hook", at: world.clock.instant },
    ]);
  });

  test("find sessions by what was said in them", async () => {
    using world = tempWorld();
    await using rollcall = await world.open();
    await rollcall.create({ id: "s", goal: "mend the café" });
    await rollcall.addEntry("s", { role: "user", kind: "text", text: "please mend it", tool: null });
    const { items } = await rollcall.search("mend", { limit: 10 });
    expect(items.map(({ seq }) => seq).sort()).toEqual([2, null].sort());
    expect((await rollcall.search("cafe")).items).toHaveLength(1);
    expect(await refusalOf(rollcall.search("?!"))).toBe("bad_input");
  });
});

describe("a record file that is written twice at once by one process", () => {
  test("is whole, and neither write fails", async () => {
    using world = tempWorld();
    await using one = await world.open();
    await using two = await world.open();
    await one.create({ id: "s" });
    const record = await one.get("s");
    const written = [one, two].map(({ context }) => writeRecordFile(context.store, { record, version: 1 }));
    expect(await Promise.all(written)).toEqual([
      statSync(world.filePath("s")).size,
      statSync(world.filePath("s")).size,
    ]);
    expect(world.readFile("s")).toMatchObject({ seq: 1 });
  });
});

describe("a writer that was killed", () => {
  test("leaves a file without a name that goes with the repair", async () => {
    using world = tempWorld();
    await using first = await world.open();
    await first.create({ id: "s" });
    const folder = join(world.filePath("s"), "..");
    const living = partialPath(world.filePath("s"));
    writeFileSync(living, "{");
    writeFileSync(living.replace(`-${process.pid}-`, "-999999999-"), "{");
    rmSync(world.filePath("s"));
    await first.context.store.change("s", () => ({ events: [], usage: [request("r")] }));
    await using _second = await world.open();
    expect(readdirSync(folder).sort()).toEqual(["s.json", basename(living)]);
  });
});

describe("a link to the home folder", () => {
  test("is the home folder: no record file is kept there", async () => {
    using world = tempWorld();
    const before = process.env.HOME;
    process.env.HOME = world.workspace;
    try {
      const link = `${world.workspace}-link`;
      symlinkSync(world.workspace, link);
      await using rollcall = await world.open();
      await rollcall.create({ id: "s", workspace: link });
      expect([existsSync(join(world.workspace, ".rollcall")), world.warnings.length]).toEqual([false, 1]);
    } finally {
      process.env.HOME = before;
    }
  });
});

test("a state folder that cannot be made is refused and never waited for", async () => {
  using world = tempWorld();
  expect(await refusalOf(world.open({ home: "/proc/rollcall/here" }))).toBe("store_unreadable");
});

test("a search for no results is refused", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  expect(await refusalOf(rollcall.search("x", { limit: 0 }))).toBe("bad_input");
});

test("an older reading of the usage never replaces a newer one in the record file", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await rollcall.create({ id: "s" });
  const old = await rollcall.get("s");
  await rollcall.recordUsage("s", [request("r", { tokensInput: 7 })]);
  await rollcall.saveFile("s");
  await writeRecordFile(rollcall.context.store, { record: old, version: 1 });
  expect(world.readFile("s")).toMatchObject({ usage: { tokensInput: 7 } });
});
