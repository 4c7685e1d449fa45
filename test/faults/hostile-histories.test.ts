import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { writeOpencode } from "../../src/testing/history/opencode/database.ts";
import { ClaudeTree, prompt } from "../cli/claude-tree.ts";
import { newUser, type User } from "../cli/rollcall.ts";
import { newFaultUser } from "./fault-user.ts";
import { PATIENCE_MS } from "./scale.ts";

vi.setConfig({ testTimeout: PATIENCE_MS });

const NATIVE = "aaaaaaaa-1111-4111-8111-111111111111";

/** The place of OpenCode's database, and beside it one good history of Claude Code. */
function placesOf({ env }: Pick<User, "env">): string {
  new ClaudeTree(env.HOME as string).write(`${NATIVE}.jsonl`, [
    prompt({ session: NATIVE, uuid: `${NATIVE}-1`, at: 0 }, "hello"),
  ]);
  const path = join(env.HOME as string, ".local", "share", "opencode", "opencode.db");
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

/** A table in the place of each, but for one with a definition of its own. */
function writeDatabase(path: string, name: string, definition: string): void {
  const tables: Readonly<Record<string, string>> = {
    session:
      "CREATE TABLE session (id, parent_id, directory, title, version, agent, time_created, time_updated)",
    message: "CREATE TABLE message (id, session_id, time_created, time_updated, data)",
    part: "CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data)",
  };
  const db = new Database(path);
  for (const statement of Object.values({ ...tables, [name]: definition })) db.exec(statement);
  db.close();
}

const ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
const COLUMNS =
  "NULL parent_id, '/' directory, 't' title, '1' version, 'a' agent, 1 time_created, 1 time_updated";

const UNFIT: readonly [string, (path: string) => void, string][] = [
  ["a fifo", (path) => execFileSync("mkfifo", [path]), "is not a regular file"],
  ["a link to /dev/zero", (path) => symlinkSync("/dev/zero", path), "is not a regular file"],
  [
    "one whose log is a fifo",
    (path) => {
      writeOpencode(path, []);
      execFileSync("mkfifo", [`${path}-wal`]);
    },
    "is not a regular file",
  ],
  [
    "one with a view of endless sessions",
    (path) =>
      writeDatabase(path, "session", `CREATE VIEW session AS ${ENDLESS} SELECT x id, ${COLUMNS} FROM n`),
    "has no plain table session",
  ],
  [
    "one with a view that never gives a row",
    (path) =>
      writeDatabase(
        path,
        "session",
        `CREATE VIEW session AS ${ENDLESS} SELECT x id, ${COLUMNS} FROM n WHERE x < 0`,
      ),
    "has no plain table session",
  ],
  [
    "one with a column that is computed",
    (path) =>
      writeDatabase(
        path,
        "message",
        "CREATE TABLE message (id, session_id, time_created, time_updated, data AS (printf('%900000000c', 'x')))",
      ),
    "has no plain table message",
  ],
  ["no database", (path) => writeFileSync(path, "x".repeat(5000)), "file is not a database"],
];

test.each(UNFIT)(
  "%s in the place of OpenCode's database is named, and stops no other history",
  async (_, put, why) => {
    using user = newUser();
    const path = placesOf(user);
    put(path);
    const { code, json, stderr } = await user.rollcall(["import", "--json"]);
    expect([code, stderr], stderr).toEqual([1, ""]);
    expect(json).toMatchObject({ imported: 1, failed: [{ path }] });
    expect((json.failed as { why: string }[])[0]?.why).toContain(why);
    rmSync(path);
  },
);

test("a fifo in the place of a database that the daemon follows holds up neither it nor its end", async () => {
  await using user = newFaultUser();
  const path = placesOf(user);
  writeOpencode(path, []);
  await user.ok(["import"]);
  rmSync(path);
  execFileSync("mkfifo", [path]);
  await user.up();
  await expect
    .poll(async () => (await user.ok(["status"])).stdout, { timeout: 60_000 })
    .toContain("not a regular file");
  await user.ok(["down"]);
  rmSync(path);
});

test("of a transcript of 1 TB the beginning is read", async () => {
  using user = newUser();
  placesOf(user);
  const home = user.env.HOME as string;
  truncateSync(join(home, ".claude", "projects", "-project", `${NATIVE}.jsonl`), 2 ** 40);
  const { code, json } = await user.rollcall(["import", "--from", "claude", "--json"]);
  expect([code, json]).toMatchObject([0, { imported: 1, entries: 1 }]);
});

test("a conversation of 130,000 messages, a file each, stops no other history", async () => {
  using user = newUser();
  const storage = join(dirname(placesOf(user)), "storage");
  const messages = join(storage, "message", "ses_many");
  mkdirSync(messages, { recursive: true });
  mkdirSync(join(storage, "session", "p"), { recursive: true });
  writeFileSync(join(storage, "session", "p", "ses_many.json"), '{"id":"ses_many","time":{"created":1}}');
  execFileSync("sh", ["-c", "seq -f msg_%06g.json 130000 | xargs touch"], { cwd: messages });
  const { code, json, stderr } = await user.rollcall(["import", "--json"]);
  expect(code, stderr).toBe(0);
  expect(json).toMatchObject({ found: 2, failed: [] });
});

test("a message of 20 MB is left out of its session, and the others are read", async () => {
  using user = newUser();
  const path = placesOf(user);
  const messages = [1, 2, 3].map((at) => ({
    id: `msg_${at}`,
    data: { role: "user", time: { created: 1000 + at } },
    parts: [{ type: "text", text: at === 2 ? "x".repeat(20_000_000) : `text ${at}` }],
  }));
  writeOpencode(path, [{ id: "ses_large", parentId: null, createdMs: 1000, messages }]);
  expect((await user.ok(["import", "--from", "opencode", "--json"])).json).toMatchObject({
    ...{ imported: 1, entries: 2, broken: 1, failed: [] },
  });
});
