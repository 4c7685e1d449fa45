import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { Recorder } from "../../testing/session/recorder.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import type { Piece } from "../sources/line-splitter.ts";
import { FileTail } from "./file-tail.ts";

test("a line that could not be taken is taken with the next, and none behind it is lost", async () => {
  using folder = tempFolder();
  const path = join(folder.path, "transcript");
  const taken: string[] = [];
  const failures: unknown[] = [];
  const refusals = [new Error("the disk is full")];
  const tail = new FileTail(path, {
    line: async ({ text }) => {
      const refusal = text === "two\n" ? refusals.pop() : undefined;
      if (refusal) throw refusal;
      taken.push(text);
    },
    failed: (error) => failures.push(error),
  });
  writeFileSync(path, "one\ntwo\nthree\n");
  await tail.catchUp();
  expect([taken, failures.length]).toEqual([["one\n"], 1]);
  appendFileSync(path, "four\n");
  await tail.catchUp();
  expect([taken, failures.length]).toEqual([["one\n", "two\n", "three\n", "four\n"], 1]);
});

test("a fifo in its place is a file that is not there yet", async () => {
  using folder = tempFolder();
  const path = join(folder.path, "transcript");
  const taken: string[] = [];
  const failures: unknown[] = [];
  const tail = new FileTail(path, {
    line: async ({ text }) => void taken.push(text),
    failed: (error) => failures.push(error),
  });
  execFileSync("mkfifo", [path]);
  await tail.catchUp();
  expect([tail.isThere, tail.hasBeenSeen, taken, failures]).toEqual([false, false, [], []]);
  rmSync(path);
  writeFileSync(path, "one\n");
  await tail.catchUp();
  expect([tail.isThere, taken]).toEqual([true, ["one\n"]]);
});

test("a file of holes is read beside everything else, and no more of it than is allowed", async () => {
  using folder = tempFolder();
  const path = join(folder.path, "transcript");
  const lengths: number[] = [];
  const reader = {
    line: async ({ text }: { readonly text: string }) => void lengths.push(text.length),
    failed: (error: unknown) => expect.unreachable(String(error)),
  };
  const tail = new FileTail(path, reader, 2 ** 25);
  writeFileSync(path, "");
  truncateSync(path, 2 ** 40);
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  await tail.catchUp();
  clearInterval(timer);
  expect(lengths.length).toBeGreaterThan(1);
  expect(Math.max(...lengths)).toBeLessThan(2 ** 24);
  expect(turns).toBeGreaterThan(0);
});

describe("on a fake clock", () => {
  useFakeTime();

  function tailOf(path: string, from = async () => 0) {
    const lines = new Recorder<string>();
    const reader = {
      from,
      line: async ({ text, offset }: Piece) => lines.add(`${text.trimEnd()} ${offset}`),
      caughtUp: async () => lines.add("caught up"),
      failed: (error: unknown) => lines.add(`failed: ${(error as Error).message}`),
    };
    const tail = new FileTail(path, reader);
    return { tail, lines, [Symbol.dispose]: () => tail.stop() };
  }

  test("a file is read from the place that its reader names, which is asked for once, when there is a file", async () => {
    using folder = tempFolder();
    const path = join(folder.path, "transcript");
    let asked = 0;
    using read = tailOf(path, async () => {
      asked += 1;
      return 4;
    });
    await read.tail.catchUp();
    expect(asked).toBe(0);
    writeFileSync(path, "one\ntwo\n");
    await read.tail.catchUp();
    appendFileSync(path, "three\n");
    await read.tail.catchUp();
    expect([asked, read.lines.all]).toEqual([1, ["two 8", "caught up", "three 14"]]);
  });

  const REPLACED: readonly [string, string, (path: string, text: string) => void][] = [
    ["a shorter file", "1\n", replace],
    ["a file of the same size", "uno\ndue\n", replace],
    ["a longer file", "three\nfour\nfive\n", replace],
    ["a shorter text in the same file", "1\n", writeFileSync],
    ["a text of the same size in the same file", "uno\ndue\n", writeFileSync],
  ];

  test.each(REPLACED)(
    "%s in the place of one that was read is read from its beginning",
    async (_, text, put) => {
      using folder = tempFolder();
      const path = join(folder.path, "transcript");
      let asked = 0;
      using read = tailOf(path, async () => {
        asked += 1;
        return 0;
      });
      writeFileSync(path, "one\ntwo\n");
      await read.tail.catchUp();
      put(path, text);
      await read.tail.catchUp();
      await read.tail.catchUp();
      const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
      const lines = text
        .trimEnd()
        .split("\n")
        .map((line, index) => `${line} ${ends[index]}`);
      expect([asked, read.lines.all]).toEqual([2, ["one 4", "two 8", "caught up", ...lines, "caught up"]]);
    },
  );

  function replace(path: string, text: string): void {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }

  test("a place that cannot be told now is asked for again, and nothing is read before", async () => {
    using folder = tempFolder();
    const path = join(folder.path, "transcript");
    const places = [Promise.reject(new Error("locked")), Promise.resolve(4)];
    places[0]?.catch(() => {});
    using read = tailOf(path, async () => places.shift() as Promise<number>);
    writeFileSync(path, "one\ntwo\n");
    await read.tail.catchUp();
    expect(read.lines.all).toEqual(["failed: locked"]);
    await pass(1999);
    await idle();
    expect(read.lines.all).toHaveLength(1);
    await pass(1);
    expect(await read.lines.first(3)).toEqual(["failed: locked", "two 8", "caught up"]);
  });

  test("a line is read as soon as it is written, and one without its end when that has come", async () => {
    using folder = tempFolder();
    const path = join(folder.path, "transcript");
    writeFileSync(path, "");
    using read = tailOf(path);
    read.tail.begin();
    await read.lines.first(1);
    appendFileSync(path, "one\ntw");
    expect(await read.lines.first(2)).toEqual(["caught up", "one 4"]);
    appendFileSync(path, "o\n");
    expect(await read.lines.first(3)).toEqual(["caught up", "one 4", "two 8"]);
  });

  test("a file in a folder that comes later is read at the next try", async () => {
    using parent = tempFolder();
    const folder = join(parent.path, "later");
    using read = tailOf(join(folder, "transcript"));
    read.tail.begin();
    await read.tail.catchUp();
    mkdirSync(folder);
    writeFileSync(join(folder, "transcript"), "one\n");
    await pass(2000);
    expect(await read.lines.first(1)).toEqual(["one 4"]);
  });

  test("a tail that is stopped reads no further, and has not caught up", async () => {
    using folder = tempFolder();
    const path = join(folder.path, "transcript");
    writeFileSync(path, "one\n");
    using read = tailOf(path);
    read.tail.stop();
    read.tail.begin();
    await read.tail.catchUp();
    expect([read.lines.all, vi.getTimerCount()]).toEqual([[], 0]);
  });
});

test("the stamp of a file moves with every change of it, and is empty where there is none", () => {
  using folder = tempFolder();
  const path = join(folder.path, "transcript");
  const tail = new FileTail(path, { line: async () => {}, failed: () => {} });
  expect(tail.stamp).toBe("");
  writeFileSync(path, "one\n");
  const before = tail.stamp;
  expect(before).not.toBe("");
  appendFileSync(path, "two\n");
  expect(tail.stamp).not.toBe(before);
});
