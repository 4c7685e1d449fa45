import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { tempWorld } from "../../testing/temp-rollcall.ts";
import { adviseDelegation } from "./delegate.ts";

test("a delegation to a damaged session is answered with corrupt", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  await rollcall.create({ id: "s" });
  using db = closing(new Database(join(world.home, "rollcall.db")));
  db.it.prepare("UPDATE sessions SET body = '{'").run();
  const advice = await adviseDelegation(rollcall, { agent_id: "s" });
  expect(advice).toMatchObject({ shouldResume: false, reason: "corrupt", resumeMetadata: null });
});

test("a delegation is answered however long sessions stay resumable", async () => {
  using world = tempWorld();
  await using rollcall = await world.open();
  const config = { ...rollcall.context.config, "resume.max_idle": "9999999999w" };
  const patient = Object.assign(Object.create(rollcall), { context: { ...rollcall.context, config } });
  expect(await adviseDelegation(patient, { agent_name: "a" })).toMatchObject({
    reason: "no_existing_session",
  });
});

function closing(it: Database.Database): Disposable & { it: Database.Database } {
  return { it, [Symbol.dispose]: () => void it.close() };
}
