import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atPrompt, turn } from "./scripted.ts";
import { isAlive, type LiveUser, newLiveUser } from "./user.ts";

test("restore is refused while a session runs that the backup knows nothing of, and names it", async () => {
  await using user = newLiveUser();
  const known = await user.start(["--", "sleep", "1000"]);
  const path = await backup(user);
  const unseen = await user.start(["--", "sleep", "1000"]);
  const refused = await user.rollcall(["restore", path, "--json"]);
  expect(refused).toMatchObject({ code: 4, error: { code: "process_alive" } });
  expect(refused.error.message).toContain(unseen.id);
  expect(refused.error.message).not.toContain(known.id);
  for (const { id } of [known, unseen]) expect(await user.get(id)).toMatchObject({ state: "running" });
});

test("restore --end ends what the backup knows nothing of, and leaves alone what it knows", async () => {
  await using user = newLiveUser();
  const known = await user.start(["--", "sleep", "1000"]);
  const path = await backup(user);
  const unseen = await user.start(["--", "sleep", "1000"]);
  const { process } = (await user.get(unseen.id)) as unknown as { process: { pid: number } };
  await user.ok(["restore", path, "--end", "--json"]);
  expect((await user.ok(["list", "-q"])).stdout).toBe(`${known.id}\n`);
  expect(isAlive(process.pid)).toBe(false);
  expect(await user.get(known.id)).toMatchObject({ state: "running" });
  await user.ok(["end", known.id]);
});

test("restore is refused where a session was resumed since the backup", async () => {
  await using user = newLiveUser();
  const id = await atPrompt(user);
  await turn(user, id, "say hello");
  await user.ok(["end", id]);
  const path = await backup(user);
  await user.ok(["resume", id, "-d"]);
  await user.reach(id, "waiting_input");
  const refused = await user.rollcall(["restore", path, "--json"]);
  expect(refused).toMatchObject({ code: 4, error: { code: "process_alive" } });
  await user.ok(["end", id]);
  await user.ok(["restore", path, "--json"]);
});

test.each(["damaged", "lost"])("restore --end works where the store is %s", async (how) => {
  await using user = newLiveUser();
  const known = await user.start(["--", "sleep", "1000"]);
  const path = await backup(user);
  const unseen = await user.start(["--", "sleep", "1000"]);
  const { process } = (await user.get(unseen.id)) as unknown as { process: { pid: number } };
  await user.ok(["down"]);
  for (const end of ["", "-wal", "-shm"]) rmSync(join(user.state, `rollcall.db${end}`), { force: true });
  if (how === "damaged") writeFileSync(join(user.state, "rollcall.db"), "no database", { mode: 0o600 });
  expect(await user.rollcall(["restore", path, "--json"])).toMatchObject({ code: 4 });
  expect(isAlive(process.pid)).toBe(true);
  await user.ok(["restore", path, "--end", "--json"]);
  expect(isAlive(process.pid)).toBe(false);
  expect(await user.get(known.id)).toMatchObject({ state: "running" });
  await user.ok(["end", known.id]);
});

async function backup(user: LiveUser): Promise<string> {
  return String((await user.ok(["backup", "--json"])).json.path);
}
