import { readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { openSpoolRange, type SpoolRange } from "./spool-range.ts";

test("output is read from the first segment on that is still there when it is opened", () => {
  using folder = tempFolder();
  const segment = (offset: number) => join(folder.path, `out-${String(offset).padStart(16, "0")}`);
  writeFileSync(segment(0), "one ");
  // Listed, and gone whenever it is opened.
  symlinkSync("gone", segment(4));
  writeFileSync(segment(8), "three ");
  writeFileSync(segment(14), "four");
  using range = openSpoolRange(folder.path, 0);
  expect([range.low, range.high, textOf(range)]).toEqual([8, 18, "three four"]);
});

test("output that was opened can be read to its end after the holder has dropped it", () => {
  using folder = tempFolder();
  for (const [offset, text] of [
    ["0", "one "],
    ["4", "two"],
  ] as const)
    writeFileSync(join(folder.path, `out-${offset.padStart(16, "0")}`), text);
  using range = openSpoolRange(folder.path, 1);
  for (const name of readdirSync(folder.path)) rmSync(join(folder.path, name));
  expect([range.low, range.high, textOf(range), textOf(range, 5)]).toEqual([1, 7, "ne two", "wo"]);
});

test("a full spool is read into room for one piece", () => {
  using folder = tempFolder();
  writeFileSync(join(folder.path, `out-${"0".repeat(16)}`), Buffer.alloc(1_000_000, "x"));
  using range = openSpoolRange(folder.path, 0, 999_999);
  const pieces = [...range.pieces()];
  expect(new Set(pieces.map(({ buffer }) => buffer)).size).toBe(1);
  expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBe(999_999);
});

function textOf(range: SpoolRange, from?: number): string {
  let text = "";
  for (const piece of range.pieces(from)) text += piece.toString();
  return text;
}
