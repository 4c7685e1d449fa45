import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { Child } from "./child.ts";
import { DamageBench, type Finding, isFault, summarize } from "./damage-bench.ts";
import { Driver } from "./driver.ts";
import { Place } from "./place.ts";
import { type Random, report, seededRandom, times } from "./scale.ts";

describe("a damaged database", () => {
  test("a flipped byte is detected or changes nothing; it is never accepted as a record", async () => {
    using place = new Place("flip");
    const random = seededRandom("flipped bytes");
    const sound = await makeStore(place, 24);
    const flips = times(100, 500);
    const found: (Finding & { readonly at: number })[] = [];
    await using bench = new DamageBench(place, sound);
    for (let n = 0; n < flips; n++) {
      const at = placeToFlip(random, sound.length, n);
      const damaged = Buffer.from(sound);
      damaged.writeUInt8(damaged.readUInt8(at) ^ random.between(1, 255), at);
      found.push({ at, ...(await bench.look(damaged)) });
    }
    summarize(`${flips} flipped bytes in ${sound.length}`, found);
    expect(found.filter(isFault)).toEqual([]);
  });

  test("a truncated database is reported and left alone", async () => {
    using place = new Place("truncate");
    const random = seededRandom("truncated databases");
    const sound = await makeStore(place, 24);
    await using bench = new DamageBench(place, sound);
    const found: Finding[] = [];
    const sizes = [2, 16, 99, 100, 512, 4095, 4096, 8192, sound.length - 1, sound.length - 4096];
    for (let n = 0; n < times(10, 60); n++) sizes.push(random.between(2, sound.length - 1));
    for (const size of sizes) found.push(await bench.look(sound.subarray(0, size)));
    summarize("truncated databases", found);
    expect(found.filter(isFault)).toEqual([]);
  });

  test("a database that was emptied is not taken for a new one", async () => {
    using place = new Place("empty");
    await makeStore(place, 4);
    truncateSync(join(place.path("sound"), "rollcall.db"), 0);
    await using driver = new Driver({ env: place.env });
    const opened = await driver.ask("open", place.path("sound"), place.root);
    await driver.child.kill();
    expect(opened).toMatchObject({
      error: { code: expect.stringMatching(/^store_/), hint: expect.any(String) },
    });
    expect(statSync(join(place.path("sound"), "rollcall.db")).size).toBe(0);
  });

  test("a journal whose database is gone is not thrown away", async () => {
    using place = new Place("gone");
    const { home } = await crash(place);
    rmSync(join(home, "rollcall.db"));
    const before = readFileSync(join(home, "rollcall.db-wal"));
    await using driver = new Driver({ env: place.env });
    const opened = await driver.ask("open", home, place.root);
    await driver.child.kill();
    expect(readFileSync(join(home, "rollcall.db-wal")).equals(before)).toBe(true);
    expect(opened).toMatchObject({
      error: { code: expect.stringMatching(/^store_/), hint: expect.any(String) },
    });
  });

  test("bytes that are no database, and a folder in its place, are refused and left alone", async () => {
    using place = new Place("foreign");
    const home = place.folder("home");
    const path = join(home, "rollcall.db");
    await using driver = new Driver({ env: place.env });
    const text = "This is a letter to a friend. ".repeat(500);
    writeFileSync(path, text, { mode: 0o600 });
    const letter = await driver.ask("open", home, place.root);
    expect(letter).toMatchObject({ error: { code: "store_not_a_database", hint: expect.any(String) } });
    expect(readFileSync(path, "utf8")).toBe(text);
    rmSync(path);
    mkdirSync(path, { mode: 0o755 });
    const folder = await driver.ask("open", home, place.root);
    expect(folder).toMatchObject({ error: { code: expect.stringMatching(/^store_/) } });
    await driver.child.kill();
    expect(statSync(path).mode & 0o777).toBe(0o755);
  });
});

describe("damage under a running process", () => {
  test("is told in words and never ends the process, not even by a record file that follows later", async () => {
    using place = new Place("running");
    const [home, workspace] = [place.path("home"), place.folder("workspace")];
    await using driver = new Driver({ env: place.env });
    await driver.get("open", home, workspace);
    const id = await driver.get("create", true);
    // Above 1 MB the file is written a second later, when nobody waits for it any more.
    await driver.get("record", id, 0, 5, 400_000);
    await commitFromOutside(place, home, workspace);
    for (const end of ["", "-wal"]) spoil(join(home, `rollcall.db${end}`));
    await sleep(3000);
    const read = await driver.ask("readAll");
    const written = await driver.ask("create", false);
    expect({ read, written }).toMatchObject({
      read: { error: { code: expect.stringMatching(/corrupt|store_/) } },
      written: { error: { code: expect.stringMatching(/corrupt|store_/) } },
    });
    await driver.child.kill();
  });

  test("one damaged record whose file lags keeps nobody from opening the store", async () => {
    using place = new Place("one");
    const [home, workspace] = [place.path("home"), place.folder("workspace")];
    await using driver = new Driver({ env: place.env });
    await driver.get("open", home, workspace);
    const damaged = await driver.get("create", true);
    const sound = await driver.get("create", true);
    // Its file cannot follow while the workspace is away.
    renameSync(workspace, `${workspace}-away`);
    await driver.get("record", damaged, 0, 1, 10);
    renameSync(`${workspace}-away`, workspace);
    await driver.child.kill();
    const db = new Database(join(home, "rollcall.db"));
    db.prepare("UPDATE sessions SET body = substr(body, 1, 20) WHERE id = ?").run(damaged);
    db.close();
    await using next = new Driver({ env: place.env });
    const opened = await next.ask("open", home, workspace);
    expect(opened).toMatchObject({ value: null });
    expect(await next.get("readAll")).toMatchObject({ corrupt: [damaged], sessions: [{ id: sound }] });
    expect((await next.get("verify")).problems).toMatchObject([{ sessionId: damaged, problem: "corrupt" }]);
    await next.child.kill();
  });
});

describe("a damaged journal", () => {
  test("truncated anywhere, the store is what it was after some acknowledged call, or reported", async () => {
    using place = new Place("wal");
    const random = seededRandom("truncated journals");
    const crashed = await crash(place);
    const wal = statSync(join(crashed.home, "rollcall.db-wal")).size;
    const sizes = [0, 1, 31, 32, 33, 56, 4152, wal - 1, wal - 4096, wal];
    for (let n = 0; n < times(15, 150); n++) sizes.push(random.between(0, wal));
    let kept = 0;
    let refused = 0;
    await using driver = new Driver({ env: place.env });
    for (const size of sizes) {
      await driver.get("close");
      const home = copyCrashed(place, crashed.home, size);
      const opened = await driver.ask("open", home, place.root);
      if ("error" in opened) {
        expect(opened.error.code).toMatch(/^store_/);
        refused++;
        continue;
      }
      const { problems } = await driver.get("verify");
      const numbers = await driver.get("numbers", crashed.id);
      if (problems.length === 0) expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => n));
      if (size === wal) expect(numbers.length).toBeGreaterThanOrEqual(crashed.acknowledged);
      kept = Math.max(kept, numbers.length);
    }
    report(
      `truncated journals: ${sizes.length} lengths, ${refused} refused in words, whole journal ${kept} calls`,
    );
  });
});

/** Mostly anywhere; every fifth in the header or the schema, where little space means much. */
function placeToFlip(random: Random, size: number, n: number): number {
  if (n % 10 === 0) return random.below(100);
  if (n % 10 === 5) return random.between(100, 12_000);
  return random.below(size);
}

async function makeStore(place: Place, sessions: number): Promise<Buffer> {
  const args = [place.path("sound"), place.folder("workspace"), String(sessions)];
  const child = new Child("fill-store.ts", args, { env: place.env });
  expect(await child.ended).toEqual({ code: 0, signal: null });
  return readFileSync(join(place.path("sound"), "rollcall.db"));
}

async function commitFromOutside(place: Place, home: string, workspace: string): Promise<void> {
  await using other = new Driver({ env: place.env });
  await other.get("open", home, workspace);
  await other.get("create", false);
  await other.child.kill();
}

/** Same file, same length, other content. */
function spoil(path: string): void {
  const { size } = statSync(path);
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(size, 0xa5));
  closeSync(file);
}

interface Crashed {
  readonly home: string;
  readonly id: string;
  readonly acknowledged: number;
}

/** A store whose newest calls are only in the journal. */
async function crash(place: Place): Promise<Crashed> {
  const home = place.path("crashed");
  const writer = new Child("record-calls.ts", [home, place.folder("workspace"), "1", "300"], {
    env: place.env,
  });
  await writer.said(100);
  await writer.kill();
  return { home, id: writer.lines[0] as string, acknowledged: writer.lines.length - 1 };
}

function copyCrashed(place: Place, from: string, walSize: number): string {
  const home = place.path("copy");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { mode: 0o700 });
  for (const name of ["rollcall.db", "rollcall.db-wal"]) copyFileSync(join(from, name), join(home, name));
  truncateSync(join(home, "rollcall.db-wal"), walSize);
  return home;
}
