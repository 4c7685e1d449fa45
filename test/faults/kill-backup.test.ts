import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openRollcall, Session } from "../../src/index.ts";
import { MIGRATIONS } from "../../src/store/sqlite/migrate.ts";
import { Child } from "./child.ts";
import { Place } from "./place.ts";
import { report, seededRandom, times } from "./scale.ts";

const KILLS = times(20, 100);

describe("kill -9", () => {
  test("during a backup leaves the store sound and no file under the final name", async () => {
    using place = new Place("backup");
    const random = seededRandom("kill -9 during a backup");
    const home = await makeStore(place, "home", 60);
    const took = await timeOf(place, ["back-up.ts", home, place.path("whole.db")]);
    const folder = place.folder("backups");
    let finished = 0;
    for (let n = 0; n < KILLS; n++) {
      const path = join(folder, `backup-${n}.db`);
      const child = new Child("back-up.ts", [home, path], { env: place.env });
      await child.said(1);
      await sleep(random.between(0, took));
      await child.kill();
      if (child.lines.includes("done")) finished++;
      if (existsSync(path)) expect(await problemsOf(place, path)).toEqual([]);
    }
    await using rollcall = await openRollcall({ home, cwd: place.root, env: {} });
    expect(await rollcall.verify()).toMatchObject({ sessions: 60, problems: [] });
    expect(await rollcall.backup(join(folder, "last.db"))).toMatchObject({ sessions: 60 });
    expect(partialsIn(folder)).toEqual([]);
    report(`kill -9 during a backup: ${KILLS} kills within ${took} ms, ${finished} had finished`);
  });

  test("during a restore leaves the old store or the new one, whole, for whoever has it open", async () => {
    using place = new Place("restore");
    const random = seededRandom("kill -9 during a restore");
    const home = await makeStore(place, "home", 60);
    const other = await makeStore(place, "other", 40);
    await backUp(home, place.path("old.db"));
    await backUp(other, place.path("new.db"));
    const path = join(home, "rollcall.db");
    const took = await timeOf(place, ["restore.ts", path, place.path("new.db"), "first"]);
    await using rollcall = await openRollcall({ home, cwd: place.root, env: {} });
    const seen = { old: 0, new: 0 };
    for (let n = 0; n < KILLS; n++) {
      const from = n % 2 === 0 ? "old.db" : "new.db";
      const child = new Child("restore.ts", [path, place.path(from), `kill-${n}`], { env: place.env });
      await child.said(1);
      await sleep(random.between(0, took * 2));
      await child.kill();
      const { sessions, problems } = await rollcall.verify();
      expect(problems).toEqual([]);
      expect([40, 60]).toContain(sessions);
      seen[sessions === 60 ? "old" : "new"]++;
      await Session.create({ id: `after-${n}`, file: false }, { rollcall });
      await rollcall.delete(`after-${n}`);
    }
    for (const name of readdirSync(home).filter((name) => /before-restore-[\w-]+$/.test(name)))
      expect(await problemsOf(place, join(home, name))).toEqual([]);
    for (const [from, sessions] of [
      ["old.db", 60],
      ["new.db", 40],
    ] as const) {
      await timeOf(place, ["restore.ts", path, place.path(from), `again-${sessions}`]);
      expect(await rollcall.verify()).toMatchObject({ sessions, problems: [] });
    }
    expect(partialsIn(home)).toEqual([]);
    report(
      `kill -9 during a restore: ${KILLS} kills within ${took * 2} ms; found ${seen.old} x old, ${seen.new} x new, 0 x neither`,
    );
  });

  test("during the restore of a damaged store never leaves the place empty", async () => {
    using place = new Place("restore");
    const other = await makeStore(place, "other", 40);
    await backUp(other, place.path("new.db"));
    let caught = 0;
    for (let n = 0; n < KILLS; n++) {
      const home = place.path(`damaged-${n}`);
      mkdirSync(home, { mode: 0o700 });
      const path = join(home, "rollcall.db");
      writeFileSync(path, "not a database ".repeat(1000), { mode: 0o600 });
      const child = new Child("restore.ts", [path, place.path("new.db"), "now"], { env: place.env });
      // The moment to die: what was there has just got another name.
      const watcher = watch(home);
      const moved = new Promise<void>((resolve) => {
        watcher.on("change", (_, name) => name.includes("damaged") && resolve());
      });
      await Promise.race([moved, child.ended]);
      await child.kill();
      watcher.close();
      if (child.lines.length < 2) caught++;
      expect(readdirSync(home)).toContain("rollcall.db");
      await expectDamagedKept(home);
      rmSync(home, { recursive: true });
    }
    report(`kill -9 during the restore of a damaged store: ${KILLS} kills, ${caught} before its end`);
  });

  test("of a writer whose database is lost then: its journal is not mixed into what is restored", async () => {
    using place = new Place("restore");
    const other = await makeStore(place, "other", 40);
    await backUp(other, place.path("new.db"));
    const home = place.path("home");
    const writer = new Child("record-calls.ts", [home, place.folder("workspace"), "1", "300"], {
      env: place.env,
    });
    await writer.said(200);
    await writer.kill();
    rmSync(join(home, "rollcall.db"));
    await timeOf(place, ["restore.ts", join(home, "rollcall.db"), place.path("new.db"), "now"]);
    await using rollcall = await openRollcall({ home, cwd: place.root, env: {} });
    expect(await rollcall.verify()).toMatchObject({ sessions: 40, problems: [] });
    expect(await rollcall.find("other-0")).toMatchObject({ id: "other-0" });
  });

  test("during a migration leaves the old schema or the new one, never half of it", async () => {
    using place = new Place("migrate");
    const random = seededRandom("kill -9 during a migration");
    const home = await makeStore(place, "home", 60);
    await timeOf(place, ["migrate.ts", copyStore(place, home)]);
    const took = await timeOf(place, ["migrate.ts", copyStore(place, home)]);
    const seen = { old: 0, new: 0 };
    for (let n = 0; n < KILLS; n++) {
      const path = copyStore(place, home);
      const child = new Child("migrate.ts", [path], { env: place.env });
      await child.said(1);
      await sleep(random.between(0, took));
      await child.kill();
      const version = schemaOf(path);
      seen[version]++;
      if (child.lines.includes("done")) expect(version).toBe("new");
      if (version === "old") expect(await problemsOf(place, path)).toEqual([]);
      if (n % 5 > 0) continue;
      await timeOf(place, ["migrate.ts", path]);
      expect(schemaOf(path)).toBe("new");
    }
    report(
      `kill -9 during a migration: ${KILLS} kills within ${took} ms; ${seen.old} x old, ${seen.new} x new, 0 x half`,
    );
  });

  test("while a store is made leaves one that the next process can use", async () => {
    using place = new Place("first");
    const random = seededRandom("kill -9 while a store is made");
    for (let n = 0; n < KILLS; n++) {
      const home = place.path(`home-${n}`);
      const child = new Child("record-calls.ts", [home, place.folder("workspace"), "1", "10"], {
        env: place.env,
      });
      while (!existsSync(home) && child.isAlive) await sleep(1);
      await sleep(random.between(0, 15));
      await child.kill();
      await using rollcall = await openRollcall({ home, cwd: place.root, env: {} });
      expect((await rollcall.verify()).problems).toEqual([]);
    }
    report(`kill -9 while a store is made: ${KILLS} kills, ${KILLS} usable`);
  });
});

/** Files that a killed writer left behind; the next backup or restore removes them. */
function partialsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.includes(".partial-"));
}

async function makeStore(place: Place, name: string, sessions: number): Promise<string> {
  const home = place.path(name);
  await using rollcall = await openRollcall({ home, cwd: place.root, env: {} });
  for (let n = 0; n < sessions; n++) {
    const session = await Session.create({ id: `${name}-${n}`, file: false }, { rollcall });
    const calls = Array.from({ length: 60 }, (_, call) =>
      session.recordToolCall({
        name: "call",
        params: { n: call },
        result: `${name} ${n} ${call} `.repeat(20),
      }),
    );
    await Promise.all(calls);
  }
  return home;
}

async function backUp(home: string, path: string): Promise<void> {
  await using rollcall = await openRollcall({ home, cwd: home, env: {} });
  await rollcall.backup(path);
}

/** Runs a worker to its end; returns the milliseconds between its first line and its end. */
async function timeOf(place: Place, [worker, ...args]: readonly [string, ...string[]]): Promise<number> {
  const child = new Child(worker, args, { env: place.env });
  await child.said(1);
  const started = performance.now();
  expect(`${(await child.ended).code} ${child.stderr}`).toBe("0 ");
  return Math.ceil(performance.now() - started);
}

/** What verify says of a database file, opened as a store in a copy. */
async function problemsOf(place: Place, path: string): Promise<unknown> {
  const home = place.path("look");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { mode: 0o700 });
  for (const end of ["", "-wal"])
    if (existsSync(path + end)) copyFileSync(path + end, join(home, `rollcall.db${end}`));
  await using rollcall = await openRollcall({ home, cwd: place.root, env: {} });
  const { problems, sessions } = await rollcall.verify();
  return sessions > 0 ? problems : "no sessions";
}

function copyStore(place: Place, home: string): string {
  const folder = place.path("migrated");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  copyFileSync(join(home, "rollcall.db"), join(folder, "rollcall.db"));
  return join(folder, "rollcall.db");
}

/** Fails on anything in between. */
function schemaOf(path: string): "old" | "new" {
  const db = new Database(path);
  try {
    const one = (sql: string) => db.prepare(sql).pluck().get();
    const facts = {
      version: db.pragma("user_version", { simple: true }),
      notes: one("SELECT count(*) FROM sqlite_schema WHERE name IN ('notes', 'notes_by_text')"),
      column: one("SELECT count(*) FROM pragma_table_info('sessions') WHERE name = 'note'"),
      dropped: one("SELECT count(*) FROM sqlite_schema WHERE name = 'sessions_by_task'"),
      migrated: one("SELECT count(*) > 0 FROM events WHERE channel = 'migrated'"),
      rest: one("SELECT count(*) > 0 FROM events WHERE channel <> 'migrated'"),
    };
    expect(one("PRAGMA integrity_check")).toBe("ok");
    const { length: now } = MIGRATIONS;
    if (facts.version === now)
      expect(facts).toEqual({ version: now, notes: 0, column: 0, dropped: 1, migrated: 0, rest: 1 });
    else expect(facts).toEqual({ version: now + 1, notes: 2, column: 1, dropped: 0, migrated: 1, rest: 0 });
    return facts.version === now ? "old" : "new";
  } finally {
    db.close();
  }
}

/** In its place still, or beside it: the bytes of a damaged store are never thrown away. */
async function expectDamagedKept(home: string): Promise<void> {
  const texts = readdirSync(home).map((name) => readFileSync(join(home, name), "latin1"));
  expect(texts.some((text) => text.startsWith("not a database "))).toBe(true);
}
