import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../testing/temp-folder.ts";
import { KeptMemory } from "./kept-memory.ts";

test("a memory is merged key by key, and the next daemon has it too", () => {
  using folder = tempFolder();
  const memory = new KeptMemory(folder.path);
  expect(memory.all).toEqual({});
  memory.merge({ turn: 1, asked: { id: "a", tools: ["Bash"] } });
  memory.merge({ turn: 2 });
  const all = { turn: 2, asked: { id: "a", tools: ["Bash"] } };
  expect([memory.all, new KeptMemory(folder.path).all]).toEqual([all, all]);
});

test("a memory that changes nothing is not written", () => {
  using folder = tempFolder();
  const memory = new KeptMemory(folder.path);
  memory.merge({ turn: 1, asked: { tools: ["Bash"] } });
  rmSync(join(folder.path, "memory"));
  memory.merge({ asked: { tools: ["Bash"] } });
  expect(readdirSync(folder.path)).toEqual([]);
  memory.merge({ asked: { tools: ["Bash", "Read"] } });
  expect(readdirSync(folder.path)).toEqual(["memory"]);
});

test("a memory is for its user alone, and put into its place whole", () => {
  using folder = tempFolder();
  new KeptMemory(folder.path).merge({ turn: 1 });
  const path = join(folder.path, "memory");
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(['{"turn":1}', 0o600]);
  expect(readdirSync(folder.path)).toEqual(["memory"]);
});

test.each(['{"turn":', "[1]", ""])("a memory of %j is none", (text) => {
  using folder = tempFolder();
  writeFileSync(join(folder.path, "memory"), text);
  expect(new KeptMemory(folder.path).all).toEqual({});
});

test("what is merged together is written once, behind the work, also where that fails", async () => {
  using folder = tempFolder();
  const memory = new KeptMemory(folder.path);
  await memory.together(async () => {
    for (let turn = 1; turn <= 3; turn += 1) memory.merge({ turn });
    expect([memory.all, readdirSync(folder.path)]).toEqual([{ turn: 3 }, []]);
  });
  expect(new KeptMemory(folder.path).all).toEqual({ turn: 3 });
  const failing = memory.together(async () => {
    memory.merge({ turn: 4 });
    throw new Error("a full disk");
  });
  await expect(failing).rejects.toThrow("a full disk");
  expect(new KeptMemory(folder.path).all).toEqual({ turn: 4 });
});
