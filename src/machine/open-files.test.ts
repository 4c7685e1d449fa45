import { closeSync, openSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { firstLineOf } from "./first-line.ts";
import { pidsWriting, writtenBy } from "./open-files.ts";

test("a process is found by the file that it writes, by any of its names, and not by one that it reads", () => {
  using folder = tempFolder();
  const [written, read, link] = ["written", "read", "link"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(read, "");
  symlinkSync(folder.path, link);
  const open = [openSync(written, "a"), openSync(read, "r")];
  try {
    expect(pidsWriting(join(link, "written"))).toEqual([process.pid]);
    expect(pidsWriting(read)).toEqual([]);
    expect(writtenBy(process.pid)).toContain(written);
  } finally {
    open.forEach(closeSync);
  }
  expect(pidsWriting(written)).toEqual([]);
});

test("the first line of a file is told once it is whole, however long it is", () => {
  using folder = tempFolder();
  const path = join(folder.path, "transcript");
  expect(firstLineOf(path)).toBe("");
  const line = "ä".repeat(100_000);
  writeFileSync(path, line);
  expect(firstLineOf(path)).toBe("");
  writeFileSync(path, `${line}\nsecond\n`);
  expect(firstLineOf(path)).toBe(line);
});
