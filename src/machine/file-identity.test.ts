import { appendFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { identifyFile, isSameFile } from "./file-identity.ts";

const LINES = "one\ntwo\nthree\n";

function identified(work: (path: string) => void): boolean {
  using folder = tempFolder();
  const path = join(folder.path, "transcript.jsonl");
  writeFileSync(path, LINES);
  const identity = identifyFile(path, 8);
  if (!identity) throw new Error("The file is there.");
  work(path);
  return isSameFile(path, identity);
}

test("a file that only grew is the same file", () => {
  expect(identified((path) => appendFileSync(path, "four\n"))).toBe(true);
});

test("a file that was cut below what was read is another file", () => {
  expect(identified((path) => truncateSync(path, 7))).toBe(false);
});

test("a file that was written anew in place is another file", () => {
  expect(identified((path) => writeFileSync(path, "ONE\ntwo\nthree\n"))).toBe(false);
});

test("a file that was replaced is another file, though it begins alike", () => {
  const replace = (path: string) => {
    writeFileSync(`${path}.new`, LINES);
    renameSync(`${path}.new`, path);
  };
  expect(identified(replace)).toBe(false);
});

test("a file that is gone is not the same file, and has no identity", () => {
  expect(
    isSameFile("/nowhere", { device: "1", inode: "1", sizeBytes: 0, mtimeMs: 0, headBytes: 0, headHash: "" }),
  ).toBe(false);
  expect(identifyFile("/nowhere", 1)).toBeUndefined();
});
