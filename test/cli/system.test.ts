import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { damageRecord } from "./damage.ts";
import { newUser, type User } from "./rollcall.ts";

test("backup makes a verified file for its owner alone, lists it, and restore goes back to it", async () => {
  using user = newUser();
  await user.create("--id", "kept");
  const made = (await user.ok(["backup", "--json"])).json;
  expect(made).toEqual({ path: expect.any(String), bytes: expect.any(Number), sessions: 1, events: 1 });
  const path = String(made.path);
  expect(path.startsWith(join(user.state, "backups"))).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect((await user.ok(["backup", "--list", "--json"])).json).toEqual({
    backups: [{ path, bytes: made.bytes }],
  });
  await user.create("--id", "later");
  const { json } = await user.ok(["restore", path, "--json"]);
  expect(json).toEqual({ sessions: 1, events: 1, before: expect.any(String) });
  expect((await user.ok(["list", "-q"])).stdout).toBe("kept\n");
  expect(existsSync(String(json.before))).toBe(true);
});

test("backup never writes over a file, and names a folder that is not there", async () => {
  using user = newUser();
  const path = join(user.workspace, "mine.db");
  writeFileSync(path, "mine");
  const over = await user.rollcall(["backup", path, "--json"]);
  expect([over.code, over.error.code, readFileSync(path, "utf8")]).toEqual([2, "bad_input", "mine"]);
  const nowhere = await user.rollcall(["backup", join(user.folder, "no", "x.db"), "--json"]);
  expect(nowhere.code).toBe(1);
  expect(nowhere.error.code).not.toBe("internal");
  expect((await user.rollcall(["backup", "--list", "x", "--json"])).code).toBe(2);
});

test("restore makes the state folder of a new machine, for its owner alone", async () => {
  using user = newUser();
  await user.create("--id", "kept");
  const { path } = (await user.ok(["backup", "--json"])).json;
  const state = join(user.folder, "new", "machine");
  const elsewhere = { env: { ROLLCALL_HOME: state } };
  const { json } = await user.ok(["restore", String(path), "--json"], elsewhere);
  expect(json).toEqual({ sessions: 1, events: 1, before: null });
  expect((await user.ok(["list", "-q"], elsewhere)).stdout).toBe("kept\n");
  const modes = [state, join(state, "rollcall.db")].map((made) => statSync(made).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
});

test("restore where no state folder can be made says so in one sentence", async () => {
  using user = newUser();
  await user.create("--id", "kept");
  const { path } = (await user.ok(["backup", "--json"])).json;
  writeFileSync(join(user.folder, "file"), "");
  const elsewhere = { env: { ROLLCALL_HOME: join(user.folder, "file", "state") } };
  const given = await user.rollcall(["restore", String(path), "--json"], elsewhere);
  expect([given.code, given.error.code]).toEqual([1, "store_unreadable"]);
});

test("restore refuses what is not a backup and leaves the store as it is", async () => {
  using user = newUser();
  await user.create("--id", "kept");
  writeFileSync(join(user.workspace, "text.db"), "no database");
  const before = await user.everything();
  const missing = await user.rollcall(["restore", "missing.db", "--json"]);
  expect([missing.code, missing.error.code]).toEqual([3, "not_found"]);
  const text = await user.rollcall(["restore", "text.db", "--json"]);
  expect(text.code).toBe(1);
  expect(text.error.code).not.toBe("internal");
  for (const args of [["restore"], ["restore", "a", "--from-files", "b"]])
    expect((await user.rollcall([...args, "--json"])).error.code).toBe("bad_usage");
  expect(await user.everything()).toBe(before);
});

test("restore --from-files rebuilds a lost store and names what is damaged, with exit 1", async () => {
  using user = newUser();
  for (const id of ["a", "b"]) await user.create("--id", id, "--goal", `goal of ${id}`);
  const folder = join(user.workspace, ".rollcall", "sessions");
  writeFileSync(join(folder, "bad.json"), "{");
  const elsewhere = { env: { ROLLCALL_HOME: join(user.folder, "fresh") } };
  const given = await user.rollcall(["restore", "--from-files", user.workspace, "--json"], elsewhere);
  expect(given.code).toBe(1);
  expect(given.json).toEqual({
    restored: ["a", "b"],
    present: [],
    corrupt: [{ path: join(folder, "bad.json"), problem: expect.stringContaining("damaged") }],
  });
  expect((await user.ok(["get", "a", "--json"], elsewhere)).json.goal).toBe("goal of a");
  expect(readFileSync(join(folder, "bad.json"), "utf8")).toBe("{");
  const nowhere = await user.rollcall(["restore", "--from-files", "nowhere", "--json"], elsewhere);
  expect([nowhere.code, nowhere.error.code]).toEqual([3, "not_found"]);
});

test("restore --from-files takes a file with garbage for a time for damaged, and restores nothing of it", async () => {
  using user = newUser();
  const folder = join(user.workspace, ".rollcall", "sessions");
  const texts = new Map<string, string>();
  for (const [id, lastActiveAt] of Object.entries({ text: "garbage", number: 5 })) {
    await user.create("--id", id);
    const path = join(folder, `${id}.json`);
    texts.set(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), lastActiveAt }));
    writeFileSync(path, texts.get(path) as string);
  }
  const elsewhere = { env: { ROLLCALL_HOME: join(user.folder, "fresh") } };
  const given = await user.rollcall(["restore", "--from-files", user.workspace, "--json"], elsewhere);
  expect([given.code, given.json.restored]).toEqual([1, []]);
  const problems = (given.json.corrupt as { path: string; problem: string }[]).map(({ problem }) => problem);
  expect(problems.toSorted()).toEqual([
    expect.stringContaining("5 is not a time for lastActiveAt"),
    expect.stringContaining('"garbage" is not a time for lastActiveAt'),
  ]);
  expect((await user.ok(["list", "--json"], elsewhere)).json.sessions).toEqual([]);
  for (const [path, text] of texts) expect(readFileSync(path, "utf8")).toBe(text);
});

test("verify exits 0 on a sound store, and 1 with the problems of a damaged one", async () => {
  using user = newUser();
  const id = await user.create();
  expect((await user.ok(["verify", "--json"])).json).toEqual({
    sessions: 1,
    events: 1,
    problems: [],
    ok: true,
  });
  damageRecord(user, id);
  const given = await user.rollcall(["verify", "--json"]);
  expect(given.code).toBe(1);
  expect(given.json).toMatchObject({ ok: false, problems: [expect.objectContaining({ session_id: id })] });
});

test("a damaged record is reported as corrupt and never breaks a listing", async () => {
  using user = newUser();
  const [bad, good] = [await user.create(), await user.create()];
  damageRecord(user, bad);
  const list = await user.ok(["list", "--json"]);
  expect(list.json.sessions.map(({ id }) => id)).toEqual([good]);
  expect(list.stderr).toContain(bad);
  const get = await user.rollcall(["get", bad, "--json"]);
  expect([get.code, get.error.code]).toEqual([1, "corrupt"]);
  const resume = await user.rollcall(["should-resume", bad, "--json"]);
  expect([resume.code, resume.json.reason]).toEqual([1, "corrupt"]);
  const hook = await user.ok(["hook", "pre-delegate"], { input: JSON.stringify({ agent_id: bad }) });
  expect(hook.json).toMatchObject({ should_resume: false, reason: "corrupt" });
});

test("config shows, sets and unsets settings, in the user's own file", async () => {
  using user = newUser();
  const defaults = (await user.ok(["config", "get", "--json"])).json;
  expect(defaults).toMatchObject({
    "resume.max_idle": "30m",
    "resume.max_errors": 3,
    "list.limit": 50,
    "cleanup.hours": 24,
  });
  expect(existsSync(user.state)).toBe(false);
  expect((await user.ok(["config", "set", "resume.max_idle", "2h", "--json"])).json).toEqual({
    "resume.max_idle": "2h",
  });
  const path = (await user.ok(["config", "path", "--json"])).json.path as string;
  expect(path).toBe(join(user.state, "config.json"));
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ resume: { max_idle: "2h" } });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect((await user.ok(["config", "unset", "resume.max_idle", "--json"])).json).toEqual({
    "resume.max_idle": "30m",
  });
});

test("prices of one's own are kept as they are, names of models included", async () => {
  using user = newUser();
  const prices = { "Vendor/Model-X.1": { input: 2, output: 10, cache_read: 0.5 } };
  const text = JSON.stringify(prices);
  expect((await user.ok(["config", "set", "prices", text, "--json"])).json).toEqual({ prices });
  expect((await user.ok(["config", "get", "prices"])).stdout).toBe(`${text}\n`);
  const file = readFileSync(join(user.state, "config.json"), "utf8");
  expect(JSON.parse(file)).toEqual({ prices });
});

test("a setting takes effect, and a flag wins over it", async () => {
  using user = newUser();
  await user.upsert({ id: "old", last_active_at: new Date(Date.now() - 3 * 3_600_000).toISOString() });
  await user.ok(["config", "set", "cleanup.hours", "2"]);
  expect((await user.ok(["cleanup", "--dry-run", "--hours", "5", "--json"])).json.removed).toEqual([]);
  expect((await user.ok(["cleanup", "--dry-run", "--json"])).json.removed).toEqual(["old"]);
});

test("a project may set what is safe; the rest is passed over with a warning", async () => {
  using user = newUser();
  const settings = { resume: { max_errors: 1 }, machine: "evil" };
  writeFileSync(join(user.workspace, ".rollcall.json"), JSON.stringify(settings));
  const id = await user.create();
  await user.ok(["update", id, "--phase", "planning", "--error", "one"]);
  const given = await user.rollcall(["should-resume", id, "--json"]);
  expect(given.json.reason).toBe("too_many_errors");
  expect(given.stderr).toContain("machine");
  expect((await user.ok(["get", id, "--json"])).json.machine).not.toBe("evil");
});

test("wrong settings exit 2 with what is valid, and so does a config file that cannot be read", async () => {
  using user = newUser();
  const cases = [
    ["get", "bogus", "resume.max_idle"],
    ["set", "bogus", "1", "resume.max_idle"],
    ["set", "list.limit", "0", "from 1 up"],
    ["set", "list.limit", "abc", "whole number"],
    ["set", "resume.max_idle", "soon", "30m"],
    ["set", "record_files", "maybe", "true or false"],
    ["set", "prices", "cheap", "a JSON object of models"],
    ["set", "prices", '{"m":{"input":1}}', "input and output"],
    ["set", "prices", '{"m":{"input":1,"output":-1}}', "input and output"],
    ["set", "prices", '{"m":{"input":1,"output":1,"colour":1}}', "cache_read"],
    ["set", "list.limit", "--help"],
    ["bogus", "get, set"],
  ];
  for (const words of cases) {
    const [says, args] = [words.at(-1) as string, words.slice(0, -1)];
    const given = await user.rollcall(["config", ...args, "--json"]);
    expect(given, args.join(" ")).toMatchObject({ code: 2, stdout: "" });
    expect(`${given.error.message} ${given.error.hint}`).toContain(says);
  }
  expect(existsSync(user.state)).toBe(false);
  mkdirSync(user.state);
  writeFileSync(join(user.state, "config.json"), "{");
  const broken = await user.rollcall(["list", "--json"]);
  expect([broken.code, broken.error.code]).toEqual([2, "bad_config"]);
});

test("a project's settings that are no JSON are passed over with a warning, and refused where they decide", async () => {
  using user = newUser();
  const id = await user.create();
  const path = join(user.workspace, ".rollcall.json");
  writeFileSync(path, "{");
  const warning = `rollcall: ${path} is not valid JSON. Only your own settings count here.\n`;
  for (const call of [["list"], ["get", id], ["events", id], ["finalize", id, "completed"], []]) {
    const given = await user.rollcall(call);
    expect([given.code, given.stderr], call.join(" ")).toEqual([0, warning]);
  }
  for (const call of [["create"], ["should-resume", id], ["config", "get"]]) {
    const refused = await user.rollcall([...call, "--json"]);
    expect([refused.code, refused.error.code], call.join(" ")).toEqual([2, "bad_config"]);
  }
});

test("doctor looks at everything, exits 1 when something is wrong, and --fix mends what it can", async () => {
  using user = newUser();
  await user.create();
  const well = await user.ok(["doctor", "--json"]);
  expect(well.json).toMatchObject({ ok: true });
  const checks = well.json.checks as { name: string; status: string }[];
  expect(Object.keys(checks[0] ?? {})).toEqual(["name", "status", "detail", "hint"]);
  expect(checks.every(({ status }) => status === "ok")).toBe(true);
  expect(checks.find(({ name }) => name === "size")).toMatchObject({
    detail: expect.stringMatching(/kB: .*events/),
  });
  chmodSync(join(user.state, "rollcall.db"), 0o644);
  const open = (await user.ok(["doctor"])).stdout;
  expect(open).toMatch(/warning\s+permissions .*--fix/);
  await user.ok(["doctor", "--fix"]);
  expect(statSync(join(user.state, "rollcall.db")).mode & 0o077).toBe(0);
});

test("status and doctor warn where the state folder nears retention.ceiling, and say so where it is over it", async () => {
  using user = newUser();
  await user.create();
  expect((await user.ok(["status", "--json"])).json.size).toBeNull();
  mkdirSync(join(user.state, "recordings", "r"), { recursive: true });
  const fill = (bytes: number) =>
    writeFileSync(join(user.state, "recordings", "r", "0.jsonl"), "x".repeat(bytes));
  await user.ok(["config", "set", "retention.ceiling", "20MB"]);
  const sizeNow = async () => {
    const checks = (await user.ok(["doctor", "--json"])).json.checks as Record<string, string>[];
    return checks.find(({ name }) => name === "size");
  };
  expect((await user.ok(["status"])).stdout).toMatch(/^size {6}\d.* of 20\.0 MB \(retention\.ceiling\)$/m);
  expect(await sizeNow()).toMatchObject({ status: "ok" });
  fill(17_000_000);
  expect((await user.ok(["status", "--json"])).json.size).toMatchObject({
    ceiling_bytes: 20_000_000,
    level: "near",
  });
  expect(await sizeNow()).toMatchObject({
    status: "warning",
    detail: expect.stringContaining("near its ceiling"),
  });
  fill(21_000_000);
  expect((await user.ok(["status"])).stdout).toContain("over the ceiling");
  expect(await sizeNow()).toMatchObject({
    status: "warning",
    detail: expect.stringContaining("over its ceiling"),
  });
  expect((await user.rollcall(["config", "set", "retention.ceiling", "much"])).code).toBe(2);
});

const BROKEN: readonly (readonly [string, (user: User) => void])[] = [
  ["a state folder that is a file", (user) => writeFileSync(user.state, "")],
  [
    "a store that is not a database",
    (user) => {
      mkdirSync(user.state);
      writeFileSync(join(user.state, "rollcall.db"), "this is text and no database at all");
    },
  ],
];

test.each(BROKEN)("with %s each command says so in one sentence and exits 1", async (_what, breakIt) => {
  using user = newUser();
  breakIt(user);
  const calls = [
    ["list"],
    ["create"],
    ["get", "a"],
    ["verify"],
    ["stats"],
    ["reconcile"],
    ["events"],
    ["backup"],
    [],
  ];
  for (const args of calls) {
    const given = await user.rollcall([...args, "--json"]);
    expect(given, args[0]).toMatchObject({ code: 1, stdout: "" });
    expect(given.error.code).toMatch(/^store_/);
    expect(given.error.hint).not.toBeNull();
  }
  const resume = await user.rollcall(["should-resume", "a", "--json"]);
  expect([resume.code, resume.json]).toEqual([
    1,
    { resume: false, reason: "unavailable", how: null, session_id: "a" },
  ]);
  const doctor = await user.rollcall(["doctor", "--json"]);
  expect([doctor.code, doctor.json.ok]).toEqual([1, false]);
  const failed = (doctor.json.checks as { status: string; hint: string | null }[]).filter(
    ({ status }) => status === "failed",
  );
  expect(failed.every(({ hint }) => hint !== null)).toBe(true);
  const text = await user.rollcall(["list"]);
  expect(text.stderr).toMatch(/^rollcall: .*\.\n$/);
});

test("with a state folder that is a file a setting cannot be kept, which is said in one sentence", async () => {
  using user = newUser();
  writeFileSync(user.state, "");
  const given = await user.rollcall(["config", "set", "list.limit", "3", "--json"]);
  expect(given.code).toBe(1);
  expect(given.error.code).not.toBe("internal");
});

test("backups are listed and restored where the store itself is no database any more", async () => {
  using user = newUser();
  await user.create("--id", "kept");
  const path = String((await user.ok(["backup", "--json"])).json.path);
  for (const name of readdirSync(user.state).filter((file) => file.startsWith("rollcall.db")))
    writeFileSync(join(user.state, name), "this is text and no database at all");
  expect((await user.ok(["backup", "--list"])).stdout).toContain(path);
  await user.ok(["restore", path]);
  expect((await user.ok(["list", "-q"])).stdout).toBe("kept\n");
});
