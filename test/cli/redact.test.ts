import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Session } from "../../src/index.ts";
import { newUser, type User } from "./rollcall.ts";

/** One word for the search index, too, and of no known shape. */
const SECRET = "zanzibarquokka77plover";
const env = { MY_API_TOKEN: SECRET };

test("redact --existing leaves a secret nowhere in the state folder or record files, and the store is sound", async () => {
  using user = newUser();
  await withSecret(user);
  expect(filesWith(user.folder).length).toBeGreaterThan(2);
  const dry = (await user.ok(["redact", "--existing", "--dry-run", "--json"], { env })).json;
  expect(dry).toMatchObject({ dry_run: true, recordings: 1, skipped: [] });
  expect(dry.events).toBeGreaterThan(3);
  const { json } = await user.ok(["redact", "--existing", "--json"], { env });
  expect(json).toEqual({ ...dry, dry_run: false, vacuumed: true });
  expect(filesWith(user.folder)).toEqual([]);
  expect((await user.ok(["verify", "--json"])).json).toMatchObject({ ok: true });
  expect((await user.ok(["search", "plain", "--json"])).stdout).toContain("[REDACTED");
  expect((await user.ok(["redact", "--existing", "--json"], { env })).json).toMatchObject({
    events: 0,
    rows: 0,
    recordings: 0,
  });
});

test("redact --existing --no-vacuum says that pages of the database may hold older copies", async () => {
  using user = newUser();
  await withSecret(user);
  const { stdout } = await user.ok(["redact", "--existing", "--no-vacuum"], { env });
  expect(stdout).toContain("may hold older copies");
  expect((await user.ok(["verify", "--json"])).json).toMatchObject({ ok: true });
});

test("redact --existing names backups and leaves them as they are", async () => {
  using user = newUser();
  await withSecret(user);
  await user.ok(["backup"]);
  const { stdout } = await user.ok(["redact", "--existing"], { env });
  expect(stdout).toContain("Backups may still hold secrets and were not changed: ");
  const left = filesWith(user.folder);
  expect(left.length).toBeGreaterThan(0);
  expect(left.every((path) => path.includes("/backups/"))).toBe(true);
});

test("redact --existing names what a restore replaced, and copies of agents' files", async () => {
  using user = newUser();
  await withSecret(user);
  const { path } = (await user.ok(["backup", "--json"])).json as unknown as { path: string };
  await user.ok(["restore", path]);
  const copies = ["originals", "transcripts"].map((name) => join(user.state, name));
  for (const folder of copies) {
    mkdirSync(join(folder, "claude"), { recursive: true });
    writeFileSync(join(folder, "claude", "copy.gz"), SECRET);
  }
  const { json } = await user.ok(["redact", "--existing", "--json"], { env });
  const replaced = filesWith(user.folder).find((file) => file.includes("before-restore"));
  expect(json).toMatchObject({ backups: expect.arrayContaining([replaced]), copies });
  expect((await user.ok(["redact", "--existing"], { env })).stdout).toContain(copies.join(", "));
});

test("redact without --existing changes nothing", async () => {
  using user = newUser();
  await withSecret(user);
  const before = await user.everything();
  const { code, stderr } = await user.rollcall(["redact"], { env });
  expect([code, stderr]).toEqual([2, expect.stringContaining("--existing")]);
  expect(await user.everything()).toBe(before);
});

/** A session with the secret in all that is kept of it, stored before it was known for one. */
async function withSecret(user: User): Promise<void> {
  const id = await user.create("--purpose", `for ${SECRET}`, "--metadata", JSON.stringify({ key: SECRET }));
  await user.ok(["update", id, "--error", `no ${SECRET}`]);
  await using library = await user.library();
  const session = await Session.load(id, { rollcall: library });
  await session.addMessage({ role: "user", content: `plain ${SECRET} text` });
  await session.recordToolCall({ name: "Bash", params: { command: SECRET }, result: SECRET });
  await library.upsert([{ id: "gone", purpose: SECRET, tokens_input: 1 }]);
  await library.delete("gone");
  const folder = join(user.state, "recordings", id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "1-000001.cast"), `${JSON.stringify([1, "o", `$ ${SECRET}`, 30])}\n`);
  await user.ok(["finalize", id, "completed"]);
}

function filesWith(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(SECRET));
}
