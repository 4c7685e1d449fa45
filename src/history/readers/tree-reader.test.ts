import { expect, test } from "vitest";
import { latestOf } from "./tree-reader.ts";

test("the time of the newest of any number of files is found", () => {
  expect(latestOf([])).toBe(0);
  expect(latestOf(Array.from({ length: 500_000 }, (_, time) => time))).toBe(499_999);
});
