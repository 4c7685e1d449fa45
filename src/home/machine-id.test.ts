import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInChild } from "../testing/run-in-child.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { machineIdOf } from "./machine-id.ts";

test("a machine id is made once, random, in a file of the user alone", () => {
  using home = tempFolder();
  using other = tempFolder();
  const id = machineIdOf(home.path);
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(machineIdOf(home.path)).toBe(id);
  expect(machineIdOf(other.path)).not.toBe(id);
  expect(statSync(join(home.path, "machine-id")).mode & 0o777).toBe(0o600);
  expect(readdirSync(home.path)).toEqual(["machine-id"]);
});

test("a machine id that several processes ask for at once is one", async () => {
  using home = tempFolder();
  const module = JSON.stringify(`${import.meta.dirname}/machine-id.ts`);
  const script = `
    const { machineIdOf } = await import(${module});
    const id = machineIdOf(${JSON.stringify(home.path)});
    const { writeFileSync } = await import("node:fs");
    writeFileSync(${JSON.stringify(home.path)} + "/seen-" + process.pid, id);`;
  await Promise.all([1, 2, 3].map(() => runInChild(script)));
  const seen = readdirSync(home.path).filter((name) => name.startsWith("seen-"));
  const ids = new Set(seen.map((name) => readFileSync(join(home.path, name), "utf8")));
  expect([seen.length, ...ids]).toEqual([3, machineIdOf(home.path)]);
});

test.each(["", "not an id", "0123"])("a file that holds %j is no machine id, and stays", (text) => {
  using home = tempFolder();
  writeFileSync(join(home.path, "machine-id"), text);
  expect(() => machineIdOf(home.path)).toThrow(/holds no machine id/);
  expect(readdirSync(home.path)).toEqual(["machine-id"]);
});
