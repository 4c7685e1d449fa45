import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../testing/temp-folder.ts";
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
  await tail.readRest();
  expect([taken, failures.length]).toEqual([["one\n"], 1]);
  appendFileSync(path, "four\n");
  await tail.readRest();
  expect([taken, failures.length]).toEqual([["one\n", "two\n", "three\n", "four\n"], 1]);
});
