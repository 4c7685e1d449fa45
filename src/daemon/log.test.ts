import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { openLog } from "./log.ts";

function linesOf(path: string): { readonly n: number }[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { n: number });
}

test("each line of the log is one object with its time", () => {
  using folder = tempFolder();
  const path = join(folder.path, "daemon.log");
  openLog(path).info({ n: 1 }, "a line\nof two");
  expect(linesOf(path)).toEqual([
    expect.objectContaining({
      n: 1,
      msg: "a line\nof two",
      pid: process.pid,
      time: expect.stringMatching(/Z$/),
    }),
  ]);
});

test("a full log is put aside, three old ones are kept, and only the user can read them", () => {
  using folder = tempFolder();
  const log = openLog(join(folder.path, "daemon.log"), 500);
  for (let n = 0; n < 100; n++) log.info({ n }, "so it goes");
  const names = readdirSync(folder.path).sort();
  expect(names).toEqual(["daemon.log", "daemon.log.1", "daemon.log.2", "daemon.log.3"]);
  const modes = names.map((name) => statSync(join(folder.path, name)).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600, 0o600, 0o600]);
  const kept = names.toReversed().flatMap((name) => linesOf(join(folder.path, name)).map(({ n }) => n));
  expect(kept).toEqual([...Array(kept.length).keys()].map((index) => 100 - kept.length + index));
});

test("a log that was there is gone on with, and counts", () => {
  using folder = tempFolder();
  const path = join(folder.path, "daemon.log");
  writeFileSync(path, `${" ".repeat(600)}\n`);
  openLog(path, 500).info("next");
  expect(readdirSync(folder.path).sort()).toEqual(["daemon.log", "daemon.log.1"]);
});

test("a log that cannot be put aside is written on, into itself and nothing else", () => {
  using folder = tempFolder();
  const path = join(folder.path, "daemon.log");
  for (const age of [2, 3]) mkdirSync(join(`${path}.${age}`, "in-the-way"), { recursive: true });
  const log = openLog(path, 200);
  for (let n = 0; n < 10; n++) log.info({ n }, "so it goes");
  const other = join(folder.path, "other");
  writeFileSync(other, "");
  for (let n = 10; n < 20; n++) log.info({ n }, "so it goes");
  expect(readFileSync(other, "utf8")).toBe("");
  expect(linesOf(path).map(({ n }) => n)).toEqual([...Array(20).keys()]);
});
