import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../testing/temp-folder.ts";
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
