import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInChild } from "../testing/run-in-child.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { Screen } from "./screen.ts";
import { ScreenCache } from "./screen-cache.ts";
import { writeSnapshot } from "./snapshot-file.ts";

const SIZE = { cols: 40, rows: 5 };
const SESSIONS = 200;

describe("a cache of screens", () => {
  test("shows with each question what came since the last", async () => {
    using folder = tempFolder();
    const cache = new ScreenCache();
    const dir = session(folder.path, "a", "one\r\n");
    const first = await cache.screenOf(dir, SIZE);
    appendFileSync(join(dir, segment(0)), "two");
    expect((await cache.screenOf(dir, SIZE)).text()).toBe("one\ntwo");
    expect(await cache.screenOf(dir, SIZE)).toBe(first);
  });

  test("answers many who ask at once for one session with one screen", async () => {
    using folder = tempFolder();
    const cache = new ScreenCache();
    const dir = session(folder.path, "a", "x\r\n".repeat(50_000));
    const screens = await Promise.all(Array.from({ length: 10 }, () => cache.screenOf(dir, SIZE)));
    expect(new Set(screens).size).toBe(1);
    expect([screens[0]?.text(), cache.count]).toEqual(["x\nx\nx\nx", 1]);
  });

  test("keeps those asked for last", async () => {
    using folder = tempFolder();
    const cache = new ScreenCache({ most: 2 });
    const [a, b, c] = ["a", "b", "c"].map((name) => session(folder.path, name, name)) as [
      string,
      string,
      string,
    ];
    const first = await cache.screenOf(a, SIZE);
    await cache.screenOf(b, SIZE);
    await cache.screenOf(a, SIZE);
    await cache.screenOf(c, SIZE);
    expect(await cache.screenOf(a, SIZE)).toBe(first);
    expect(cache.count).toBe(2);
  });

  test("follows the size", async () => {
    using folder = tempFolder();
    const cache = new ScreenCache();
    const dir = session(folder.path, "a", "one");
    await cache.screenOf(dir, SIZE);
    expect((await cache.screenOf(dir, { cols: 60, rows: 9 })).size).toEqual({ cols: 60, rows: 9 });
  });

  test("goes on from a newer snapshot where the spool was cut behind it", async () => {
    using folder = tempFolder();
    const cache = new ScreenCache();
    const dir = session(folder.path, "a", "one\r\n");
    await cache.screenOf(dir, SIZE);
    using screen = new Screen(SIZE);
    await screen.write(Buffer.from("one\r\ntwo\r\n"));
    await writeSnapshot(dir, { offset: 10, bytes: screen.snapshot(), size: SIZE });
    rmSync(join(dir, segment(0)));
    writeFileSync(join(dir, segment(10)), "three");
    expect((await cache.screenOf(dir, SIZE)).text()).toBe("one\ntwo\nthree");
  });

  test("forgets a session when told, and one that fails by itself", async () => {
    using folder = tempFolder();
    const cache = new ScreenCache();
    const dir = session(folder.path, "a", "one");
    const asked = cache.screenOf(dir, SIZE);
    await cache.drop(dir);
    expect([(await asked).text(), cache.count]).toEqual(["one", 0]);
    await cache.screenOf(dir, SIZE);
    rmSync(dir, { recursive: true });
    await expect(cache.screenOf(dir, SIZE)).rejects.toThrow(/ENOENT/);
    expect(cache.count).toBe(0);
  });

  test("forgets a session while the screen of another is made", async () => {
    using folder = tempFolder();
    const cache = new ScreenCache();
    const [long, short] = [
      session(folder.path, "a", "x\r\n".repeat(50_000)),
      session(folder.path, "b", "one"),
    ];
    await cache.screenOf(short, SIZE);
    const done: string[] = [];
    const asked = cache.screenOf(long, SIZE).then(() => done.push("shown"));
    await Promise.all([asked, cache.drop(short).then(() => done.push("forgotten"))]);
    expect([done, cache.count]).toEqual([["forgotten", "shown"], 1]);
  });

  test("stays small, whether 200 sessions are asked for at once or one after another", async () => {
    using folder = tempFolder();
    const cache = new ScreenCache();
    const dirs = Array.from({ length: SESSIONS }, (_, i) => session(folder.path, String(i), `session ${i}`));
    const texts = await Promise.all(dirs.map(async (dir) => (await cache.screenOf(dir, SIZE)).text()));
    expect(texts).toEqual(dirs.map((_, i) => `session ${i}`));
    expect(cache.count).toBe(8);
  });
});

describe("the memory of a cache", () => {
  test("is bounded for 200 screens of 120x40 with full histories", async () => {
    using folder = tempFolder();
    const line = `\x1b[32m●\x1b[39m ${"some words of an agent ".repeat(4)}\r\n`;
    for (let i = 0; i < SESSIONS; i++) session(folder.path, String(i), line.repeat(1500));
    const said = JSON.parse(await runInChild(measuring(folder.path))) as Record<string, number>;
    process.stdout.write(`${SESSIONS} screens asked for one after another: ${JSON.stringify(said)}\n`);
    expect(said.count).toBe(8);
    expect(said.grownMb).toBeLessThan(300);
  });
});

function measuring(root: string): string {
  return `
    import { ScreenCache } from ${JSON.stringify(join(import.meta.dirname, "screen-cache.ts"))};
    const megabytes = () => Math.round(process.memoryUsage().rss / 2 ** 20);
    const [cache, before] = [new ScreenCache(), megabytes()];
    let mostMb = 0;
    for (let i = 0; i < ${SESSIONS}; i++) {
      await cache.screenOf(${JSON.stringify(root)} + "/" + i, { cols: 120, rows: 40 });
      mostMb = Math.max(mostMb, megabytes());
    }
    console.log(JSON.stringify({ count: cache.count, rssBeforeMb: before, rssMostMb: mostMb, grownMb: mostMb - before }));`;
}

const segment = (offset: number) => `out-${String(offset).padStart(16, "0")}`;

function session(root: string, name: string, output: string): string {
  const dir = join(root, name);
  mkdirSync(dir);
  writeFileSync(join(dir, segment(0)), output);
  return dir;
}
