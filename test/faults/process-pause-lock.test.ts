import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { storeLockers } from "../../src/machine/store-lock.ts";
import { nativeBinding } from "../../src/store/sqlite/native-binding.ts";
import { until } from "../live/user.ts";
import { processState } from "./decoys.ts";
import { type FaultUser, newFaultUser, reaches } from "./fault-user.ts";
import { PATIENCE_MS } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const WORKER = join(import.meta.dirname, "workers", "lock-often.ts");
const storeOf = (user: FaultUser) => join(user.state, "rollcall.db");

test("pausing a session that writes to the store lets it finish its transaction, and nobody is locked out", async () => {
  await using user = newFaultUser();
  const other = (await user.ok(["create", "--json"])).json;
  const session = await user.start(["--", process.execPath, WORKER, storeOf(user)]);
  const { agent } = user.holderOf(session);
  await until(() => storeLockers(storeOf(user)).includes(agent.pid), "it to hold the lock");
  for (let round = 0; round < 4; round++) {
    await user.ok(["pause", session.id]);
    const isFree = () => processState(agent.pid) === "T" && !storeLockers(storeOf(user)).includes(agent.pid);
    await until(isFree, "it to be stopped outside a transaction");
    await user.ok(["update", other.id as string, "--phase", "planning"]);
    await user.ok(["continue", session.id]);
  }
});

test("continue goes on with a session also while nothing can be recorded, and records it later", async () => {
  await using user = newFaultUser();
  const session = await user.start(["--", "sleep", "600"]);
  const { agent } = user.holderOf(session);
  await user.ok(["pause", session.id]);
  await until(() => processState(agent.pid) === "T", "it to be stopped");
  const db = new Database(storeOf(user), { nativeBinding: nativeBinding() });
  db.exec("BEGIN IMMEDIATE");
  const continued = await user.rollcall(["continue", session.id]);
  db.exec("COMMIT");
  db.close();
  expect(continued.code).toBe(1);
  expect(continued.stderr).toContain("goes on without a record");
  expect(processState(agent.pid)).not.toBe("T");
  await reaches(user, session.id, { state: "running" });
});

test("the daemon answers while another program holds the store's lock and a command waits for it", async () => {
  await using user = newFaultUser();
  const over = await user.start(["--kind", "autonomous", "--", "echo", "hello"]);
  await reaches(user, over.id, { state: "stopped" });
  const session = await user.start(["--", "sleep", "600"]);
  const db = new Database(storeOf(user), { nativeBinding: nativeBinding() });
  db.exec("BEGIN IMMEDIATE");
  const settled: string[] = [];
  const pausing = user.rollcall(["pause", session.id]).then(({ code }) => settled.push(`pause ${code}`));
  for (const round of [1, 2, 3]) {
    const { stdout } = await user.ok(["data", over.id]);
    expect(stdout).toContain("hello");
    settled.push(`data ${round}`);
  }
  await pausing;
  db.exec("COMMIT");
  db.close();
  expect(settled).toEqual(["data 1", "data 2", "data 3", "pause 1"]);
});
