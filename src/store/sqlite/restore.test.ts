import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { created } from "../../testing/events.ts";
import { killAtRandom } from "../../testing/kill-at-random.ts";
import { type SqlitePlace, sqlitePlace } from "../../testing/sqlite-place.ts";
import { append, codeOf } from "../contract/place.ts";
import type { Store } from "../store.ts";
import { restoreDatabase } from "./restore.ts";
import { openSqliteStore } from "./store.ts";

describe("restoring a backup", () => {
  test("puts it in the place of the store and keeps what was there as a backup beside it", async () => {
    using place = sqlitePlace();
    const backup = await backupOf(place, "old");
    await addTo(place.path, "new");
    const report = await restoreDatabase(place.path, backup, "stamp");
    expect(report).toEqual({ sessions: 1, events: 1, before: `${place.path}.before-restore-stamp` });
    expect([await idsIn(place.path), await idsIn(report.before as string)]).toEqual([
      ["old"],
      ["new", "old"],
    ]);
  });

  test("is seen by who has the store open, and who can go on writing", async () => {
    using place = sqlitePlace();
    const backup = await backupOf(place, "old");
    await using open = place.open();
    await append(open, "new", created());
    await restoreDatabase(place.path, backup, "stamp");
    expect(await idsOf(open)).toEqual(["old"]);
    expect(await codeOf(append(open, "newer", created()))).toBe("done");
    expect((await open.verify()).problems).toEqual([]);
    expect(await idsIn(place.path)).toEqual(["newer", "old"]);
  });

  test("is followed by who reads the feed: what comes after it has cursors behind those before", async () => {
    using place = sqlitePlace();
    const backup = await backupOf(place, "old");
    await using open = place.open();
    for (const id of ["a", "b", "c"]) await append(open, id, created());
    const before = await open.feedEnd();
    await restoreDatabase(place.path, backup, "stamp");
    await append(open, "newer", created());
    expect((await open.feed(before, 10)).events.map(({ sessionId }) => sessionId)).toEqual(["newer"]);
    expect(readdirSync(dirname(place.path)).filter((name) => name.includes("partial"))).toEqual([]);
  });

  test("begins a new log, in which no number of a change comes again", async () => {
    using place = sqlitePlace();
    await using open = place.open();
    const { logId } = await open.claim("machine-a");
    const backup = await backupOf(place, "old");
    for (const id of ["a", "b", "c"]) await append(open, id, created());
    const { changed } = await open.log();
    await restoreDatabase(place.path, backup, "stamp");
    expect(await open.log()).toMatchObject({
      machineId: "machine-a",
      logId: expect.not.stringContaining(logId),
    });
    await append(open, "newer", created());
    expect((await open.changedSessions(changed, 10)).map(({ sessionId }) => sessionId)).toEqual(["newer"]);
    expect((await open.verify()).problems).toEqual([]);
  });

  test("begins a new log also where there was no store", async () => {
    using place = sqlitePlace();
    await using open = place.open();
    const { logId } = await open.claim("machine-a");
    const backup = await backupOf(place, "old");
    const path = place.file("fresh.db");
    await restoreDatabase(path, backup, "stamp");
    await using fresh = openSqliteStore({ path });
    expect((await fresh.log()).logId).not.toBe(logId);
  });

  test("twice counts its events alone", async () => {
    using place = sqlitePlace();
    const backup = await backupOf(place, "old");
    await restoreDatabase(place.path, backup, "one");
    await restoreDatabase(place.path, backup, "two");
    await using store = place.open();
    expect(store.statistics().size()).toMatchObject({ sessions: 1, events: 1 });
    expect((await store.verify()).problems).toEqual([]);
  });

  test("makes a store where there was none", async () => {
    using place = sqlitePlace();
    const backup = await backupOf(place, "old");
    const path = place.file("fresh.db");
    expect(await restoreDatabase(path, backup, "stamp")).toMatchObject({ before: null });
    expect(await idsIn(path)).toEqual(["old"]);
  });

  test("moves a store that cannot be read aside, as it is", async () => {
    using place = sqlitePlace();
    const backup = await backupOf(place, "old");
    writeFileSync(place.path, "no database at all, but perhaps of use to somebody".repeat(100));
    const damaged = readFileSync(place.path);
    const { before } = await restoreDatabase(place.path, backup, "stamp");
    expect(readFileSync(before as string).equals(damaged)).toBe(true);
    expect(await idsIn(place.path)).toEqual(["old"]);
  });

  test("moves a store with damaged pages aside, as it is", async () => {
    using place = sqlitePlace();
    const backup = await backupOf(place, ...Array.from({ length: 100 }, (_, n) => `old-${n}`));
    const damaged = readFileSync(place.path);
    damaged.fill(0xaa, 8192, damaged.length - 4096);
    writeFileSync(place.path, damaged);
    const { before } = await restoreDatabase(place.path, backup, "stamp");
    expect([before, readFileSync(before as string).equals(damaged)]).toEqual([
      `${place.path}.damaged-stamp`,
      true,
    ]);
    expect(await idsIn(place.path)).toHaveLength(100);
  });

  test("never moves a sound store aside because the name for its copy is taken", async () => {
    using place = sqlitePlace();
    const backup = await backupOf(place, "old");
    writeFileSync(`${place.path}.before-restore-stamp`, "mine");
    expect(await codeOf(restoreDatabase(place.path, backup, "stamp"))).toBe("backup_failed");
    expect(existsSync(`${place.path}.damaged-stamp`)).toBe(false);
    expect(await idsIn(place.path)).toEqual(["old"]);
  });

  test.each([
    ["that is not there", (place: SqlitePlace) => place.file("nothing"), "not_found"],
    ["that is no database", textFile, "store_not_a_database"],
  ])("%s is refused and changes nothing", async (_what, from, code) => {
    using place = sqlitePlace();
    await addTo(place.path, "present");
    expect(await codeOf(restoreDatabase(place.path, from(place), "stamp"))).toBe(code);
    expect(await idsIn(place.path)).toEqual(["present"]);
    expect(existsSync(`${place.path}.before-restore-stamp`)).toBe(false);
  });

  test("that is damaged while its rows are looked at is refused in words", async () => {
    using place = sqlitePlace();
    const backup = await backupOf(place, "old");
    const restored = restoreDatabase(place.path, backup, "stamp", (findRow) => {
      writeFileSync(backup, "no database any more ".repeat(1000));
      findRow("old");
    });
    expect(await codeOf(restored)).toBe("store_not_a_database");
    expect(await idsIn(place.path)).toEqual(["old"]);
  });

  test("that is killed half way leaves the old store or the new one, whole", async () => {
    using place = sqlitePlace();
    const backup = await backupOf(place, ...Array.from({ length: 300 }, (_, n) => `old-${n}`));
    await addTo(place.path, "present");
    const whole = [await idsIn(place.path), await idsIn(backup)].map((ids) => ids.length);
    for (let round = 0; round < 6; round++) {
      await killAtRandom(restoreScript(place, backup, `stamp-${round}`), round / 6);
      await using store = place.open();
      expect(whole).toContain((await idsOf(store)).length);
      expect((await store.verify()).problems).toEqual([]);
    }
  });

  test("leaves no half-made file behind", async () => {
    using place = sqlitePlace();
    const backup = await backupOf(place, "old");
    await restoreDatabase(place.path, backup, "stamp");
    expect(readdirSync(place.file(".")).filter((name) => name.includes("partial"))).toEqual([]);
  });
});

async function backupOf(place: SqlitePlace, ...ids: readonly string[]): Promise<string> {
  await addTo(place.path, ...ids);
  await using store = place.open();
  return (await store.backup(place.file("backup"))).path;
}

async function addTo(path: string, ...ids: readonly string[]): Promise<void> {
  await using store = openSqliteStore({ path });
  await Promise.all(ids.map((id) => append(store, id, created())));
}

async function idsIn(path: string): Promise<string[]> {
  await using store = openSqliteStore({ path });
  return idsOf(store);
}

async function idsOf(store: Store): Promise<string[]> {
  return (await store.list({ limit: 0 })).items.map(({ row }) => row.id).sort();
}

function textFile(place: SqlitePlace): string {
  writeFileSync(place.file("notes"), "notes".repeat(1000));
  return place.file("notes");
}

function restoreScript({ path }: SqlitePlace, backup: string, stamp: string): string {
  const module = `${import.meta.dirname}/restore.ts`;
  return `
    const { restoreDatabase } = await import(${JSON.stringify(module)});
    console.log("ready");
    await restoreDatabase(${[path, backup, stamp].map((text) => JSON.stringify(text)).join(", ")});
    console.log("done");`;
}
