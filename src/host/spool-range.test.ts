import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
import { readSpoolRange } from "./spool-range.ts";

test("output is read from the first segment on that is still there when it is opened", () => {
  using folder = tempFolder();
  const segment = (offset: number) => join(folder.path, `out-${String(offset).padStart(16, "0")}`);
  writeFileSync(segment(0), "one ");
  // Listed, and gone whenever it is opened.
  symlinkSync("gone", segment(4));
  writeFileSync(segment(8), "three ");
  writeFileSync(segment(14), "four");
  const { low, bytes } = readSpoolRange(folder.path, 0);
  expect([low, bytes.toString()]).toEqual([8, "three four"]);
});
