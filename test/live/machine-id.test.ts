import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Log } from "../../src/store/log.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { type LiveUser, newLiveUser } from "./user.ts";

test("the daemon claims the log of its store for the machine, and the next daemon finds it the same", async () => {
  await using user = newLiveUser();
  await user.ok(["up"]);
  const first = await logOf(user);
  expect(first.machineId).toBe(readFileSync(join(user.state, "machine-id"), "utf8").trim());
  await user.ok(["down"]);
  await user.ok(["up"]);
  expect(await logOf(user)).toEqual(first);
});

test("the daemon runs without a machine id where none can be read", async () => {
  await using user = newLiveUser();
  mkdirSync(join(user.state, "machine-id"), { recursive: true });
  await user.ok(["up"]);
  expect((await logOf(user)).machineId).toBeNull();
});

async function logOf(user: LiveUser): Promise<Log> {
  await using store = openSqliteStore({ path: join(user.state, "rollcall.db") });
  return store.log();
}
