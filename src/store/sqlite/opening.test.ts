import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import type { RollcallError } from "../../domain/errors.ts";
import { created, entryAdded } from "../../testing/events.ts";
import { runInChild } from "../../testing/run-in-child.ts";
import { type SqlitePlace, sqlitePlace } from "../../testing/sqlite-place.ts";
import { append, codeOf } from "../contract/place.ts";
import type { Store } from "../store.ts";
import type { ConnectionOptions } from "./connection.ts";
import { openSqliteStore } from "./store.ts";

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const MODULE = resolve(import.meta.dirname, "store.ts");

/** Opens a store first, so that everything is loaded: another user may not be able to read this folder. */
const BECOME_NOBODY = `
  const fs = process.getBuiltinModule("node:fs");
  const warm = fs.mkdtempSync(${JSON.stringify(join(tmpdir(), "rollcall-test-"))});
  await (await import(${JSON.stringify(MODULE)})).openSqliteStore({ path: warm + "/db" }).close();
  fs.rmSync(warm, { recursive: true });
  process.setgroups([]);
  process.setgid(${NOBODY});
  process.setuid(${NOBODY});`;

if (!isRoot) console.log("not run: the tests of a store of another user (run them as root)");

describe("a new store", () => {
  test("can be read by its owner only, folder included", async () => {
    using place = sqlitePlace();
    const path = place.file("home/rollcall.db");
    await using store = openAt(path);
    await append(store, "s", created());
    expect([path, `${path}-wal`, dirname(path)].map((name) => statSync(name).mode & 0o077)).toEqual([
      0, 0, 0,
    ]);
  });

  test("that others could read is closed to them when it is opened", async () => {
    using place = sqlitePlace();
    await place.open().close();
    chmodSync(place.path, 0o644);
    await place.open().close();
    expect(statSync(place.path).mode & 0o777).toBe(0o600);
  });
});

describe("a store that cannot be used", () => {
  test.each([
    [0x6969, "NFS"],
    [0x517b, "SMB"],
    [0xff534d42, "CIFS"],
    [0xff534d42 | 0, "CIFS"],
    [0x00c36400, "Ceph"],
  ])("because its file system is 0x%i (%s) is refused before anything is made", (type, name) => {
    using place = sqlitePlace();
    const error = errorOf(() => openAt(place.path, { filesystemType: () => type }));
    expect(error).toMatchObject({ code: "store_network_filesystem", message: expect.stringContaining(name) });
    expect(statSync(place.path, { throwIfNoEntry: false })).toBeUndefined();
  });

  test("because another program holds it says so, and works again afterwards", async () => {
    using place = sqlitePlace();
    await using store = openAt(place.path, { busyTimeoutMs: 20 });
    await append(store, "s", created());
    const other = new Database(place.path);
    other.exec("BEGIN EXCLUSIVE");
    expect(await codeOf(append(store, "s", entryAdded("x")))).toBe("store_locked");
    expect((await store.find("s"))?.row.seq).toBe(1);
    other.exec("ROLLBACK");
    other.close();
    expect((await append(store, "s", entryAdded("x"))).row.seq).toBe(2);
  });

  test("because another program holds it cannot be opened for writing, and is not damaged", async () => {
    using place = sqlitePlace();
    const other = new Database(place.path);
    other.exec("BEGIN EXCLUSIVE");
    expect(errorOf(() => openAt(place.path, { busyTimeoutMs: 20 }))).toMatchObject({ code: "store_locked" });
    other.exec("ROLLBACK");
    other.close();
    await openAt(place.path).close();
  });

  test("because it is damaged in the middle says so and is not made anew", async () => {
    using place = sqlitePlace();
    await fillAndClose(place);
    overwriteMiddle(place.path);
    const before = readFileSync(place.path);
    expect(await codeOfUse(place)).toBe("store_corrupt");
    expect(readFileSync(place.path).equals(before)).toBe(true);
  });

  test("because its head is destroyed says so and is not made anew", async () => {
    using place = sqlitePlace();
    await fillAndClose(place);
    const damaged = readFileSync(place.path).fill(0xaa, 0, 100);
    writeFileSync(place.path, damaged);
    expect(errorOf(() => place.open())).toMatchObject({ code: "store_not_a_database" });
    expect(readFileSync(place.path).equals(damaged)).toBe(true);
  });

  test("because a folder stands in its place says so", () => {
    using place = sqlitePlace();
    mkdirSync(place.path);
    expect(errorOf(() => place.open())).toMatchObject({ code: "store_unreadable" });
  });

  test("because a file stands in the place of its folder says so", () => {
    using place = sqlitePlace();
    writeFileSync(place.file("home"), "");
    expect(errorOf(() => openAt(place.file("home/rollcall.db")))).toMatchObject({ code: "store_unreadable" });
  });
});

describe("a store of another user", () => {
  test.runIf(isRoot)("is refused with both users named, and left alone", async () => {
    using place = sqlitePlace();
    await place.open().close();
    openToAll(place);
    expect(await openAsNobody(place.path)).toEqual({
      code: "store_wrong_owner",
      message: expect.stringMatching(/uid 0, you are 65534/),
    });
  });

  test.runIf(isRoot)("in a folder of one's own is refused too", async () => {
    using place = sqlitePlace();
    const path = place.file("theirs/rollcall.db");
    openToAll(place);
    await runInChild(`${BECOME_NOBODY}
      fs.mkdirSync(${JSON.stringify(dirname(path))});`);
    writeFileSync(path, "");
    expect(await openAsNobody(path)).toMatchObject({ code: "store_wrong_owner" });
  });

  test.runIf(isRoot)("whose folder cannot be entered says that it cannot be opened", async () => {
    using place = sqlitePlace();
    openToAll(place);
    mkdirSync(place.file("closed"), { mode: 0o700 });
    expect(await openAsNobody(place.file("closed/home/rollcall.db"))).toMatchObject({
      code: "store_unreadable",
    });
  });
});

describe("a read-only folder", () => {
  test("gives one clear sentence, and the store works again when it can be written", async () => {
    using place = sqlitePlace();
    const path = place.file("home/rollcall.db");
    openToAll(place);
    const script = `${isRoot ? BECOME_NOBODY : ""}
      const { chmodSync, mkdirSync } = process.getBuiltinModule("node:fs");
      const { openSqliteStore } = await import(${JSON.stringify(MODULE)});
      const path = ${JSON.stringify(path)}, folder = ${JSON.stringify(dirname(path))};
      const open = () => openSqliteStore({ path });
      const attempt = async () => { try { await open().close(); return "done"; } catch (error) { return error.code; } };
      mkdirSync(folder);
      chmodSync(folder, 0o500);
      const codes = [await attempt()];
      chmodSync(folder, 0o700);
      codes.push(await attempt());
      chmodSync(path, 0o400);
      chmodSync(folder, 0o500);
      codes.push(await attempt());
      chmodSync(folder, 0o700);
      chmodSync(path, 0o600);
      codes.push(await attempt());
      console.log(codes.join(" "));`;
    const printed = await runInChild(script);
    expect(printed.trim()).toBe("store_readonly done store_readonly done");
  });
});

function openAt(path: string, options: Partial<ConnectionOptions> = {}): Store {
  return openSqliteStore({ path, ...options });
}

/** So that a process of another user gets as far as the store itself. */
function openToAll(place: SqlitePlace): void {
  chmodSync(dirname(place.path), 0o777);
  // The folder of a whole test run is closed to others, who have to pass through it here.
  const { mode } = statSync(tmpdir());
  if ((mode & 0o001) === 0) chmodSync(tmpdir(), (mode & 0o777) | 0o001);
}

async function openAsNobody(path: string): Promise<unknown> {
  const printed = await runInChild(`${BECOME_NOBODY}
    const { openSqliteStore } = await import(${JSON.stringify(MODULE)});
    try { openSqliteStore({ path: ${JSON.stringify(path)} }); }
    catch ({ code, message }) { console.log(JSON.stringify({ code, message })); }`);
  return JSON.parse(printed);
}

async function fillAndClose(place: SqlitePlace): Promise<void> {
  await using store = place.open();
  for (let n = 0; n < 50; n++) await append(store, `s${n}`, created(), entryAdded("text ".repeat(500)));
}

function overwriteMiddle(path: string): void {
  const content = readFileSync(path);
  content.fill(0xaa, 8192, content.length - 4096);
  writeFileSync(path, content);
}

/** Opening may still succeed; the first use then finds the damage. */
async function codeOfUse(place: SqlitePlace): Promise<string> {
  try {
    await using store = place.open();
    return await codeOf(store.list({ limit: 0 }));
  } catch (error) {
    return (error as RollcallError).code;
  }
}

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
