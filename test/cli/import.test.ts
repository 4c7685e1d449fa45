import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, ClaudeTree, copied, type Line, prompt, queued, textOf } from "./claude-tree.ts";
import { newUser, type Shown, type User } from "./rollcall.ts";

const A = "aaaaaaaa-1111-4111-8111-111111111111";
const B = "bbbbbbbb-2222-4222-8222-222222222222";
const C = "cccccccc-3333-4333-8333-333333333333";

/** Two turns: the first answer comes in two blocks, of which the last one counts. */
function twoTurns(session: string): Line[] {
  const said = (uuid: string, at: number) => ({ session, uuid: `${session}-${uuid}`, at });
  return [
    queued(session, 0),
    prompt(said("1", 1), "count the pods"),
    answer({ ...said("2", 2), message: `${session}-m1` }, "one", { in: 100, out: 5, read: 1000, write: 10 }),
    answer({ ...said("3", 3), message: `${session}-m1` }, "two", { in: 100, out: 50, read: 1000, write: 10 }),
    prompt(said("4", 10), "and the nodes"),
    answer({ ...said("5", 12), message: `${session}-m2` }, "three", { in: 20, out: 7 }),
  ];
}

/** One more turn, with 1 token in and 1 out. */
function oneTurn(session: string, at: number): Line[] {
  const said = (uuid: string, second: number) => ({ session, uuid: `${session}-${at}-${uuid}`, at: second });
  return [
    prompt(said("p", at), `turn at ${at}`),
    answer({ ...said("a", at + 1), message: `${session}-m-${at}` }, "done", { in: 1, out: 1 }),
  ];
}

async function sessions(user: User): Promise<Map<string, Shown>> {
  const { json } = await user.ok(["list", "--json", "--limit", "all"]);
  return new Map(json.sessions.map((session) => [String(session.native_id), session]));
}

async function importTree(user: User, ...args: string[]): Promise<Shown> {
  return (await user.ok(["import", "--json", ...args])).json;
}

function placeOf(user: User): ClaudeTree {
  return new ClaudeTree(user.env.HOME as string);
}

test("import takes in a session with its turns, tokens, cost, outcome, place and times", async () => {
  using user = newUser();
  placeOf(user).write(`${A}.jsonl`, twoTurns(A));
  expect(await importTree(user)).toMatchObject({ found: 1, imported: 1, entries: 5, requests: 2, broken: 0 });
  const session = (await sessions(user)).get(A);
  expect(session).toMatchObject({
    agent_type: "claude",
    origin: "imported",
    state: "stopped",
    outcome: "success",
    about: "count the pods",
    model: "claude-opus-4-5",
    agent_version: "2.1.325",
    workspace_path: "/project",
    git_branch: "main",
    created_at: "2026-03-01T00:00:00.000Z",
    last_active_at: "2026-03-01T00:00:12.000Z",
    turn: { number: 2, state: "done", outcome: "success" },
    usage: {
      ...{ turns: 2, tokens_input: 120, tokens_output: 57, tokens_cache_read: 1000, tokens_cache_write: 10 },
      ...{ cost_source: "computed", partial: false },
    },
  });
  const { entries } = (await user.ok(["export", String(session?.id), "--format", "json"])).json as never as {
    entries: { text: string }[];
  };
  expect(entries.map(({ text }) => text)).toEqual(["count the pods", "one", "two", "and the nodes", "three"]);
});

test("import keeps records of unknown types, and names them and the noise in its report", async () => {
  using user = newUser();
  const more = [
    {
      type: "new-thing",
      sessionId: A,
      timestamp: "2026-03-01T00:00:20.000Z",
      words: `key sk-${"a1".repeat(20)}`,
    },
    { type: "system", subtype: "new-kind", sessionId: A, uuid: "u1", timestamp: "2026-03-01T00:00:21.000Z" },
    { type: "system", subtype: "stop_hook_summary", uuid: "u2", timestamp: "2026-03-01T00:00:22.000Z" },
  ];
  placeOf(user).write(`${A}.jsonl`, [...twoTurns(A), ...more] as Line[]);
  const report = await importTree(user);
  expect(report).toMatchObject({
    entries: 5,
    unknown: [
      { type: "new-thing", count: 1 },
      { type: "system/new-kind", count: 1 },
    ],
    noise: [{ type: "system/stop_hook_summary", count: 1 }],
  });
  const session = (await sessions(user)).get(A);
  const { json } = await user.ok(["export", String(session?.id), "--format", "json"]);
  const kept = json as never as { unknown_records: { type: string; record: Record<string, string> }[] };
  expect(kept.unknown_records.map(({ type, record }) => [type, record.type, record.words])).toEqual([
    ["new-thing", "new-thing", expect.stringMatching(/^key \[REDACTED:/)],
    ["system/new-kind", "system", undefined],
  ]);
});

test("import names unknown types and noise in the text of its report", async () => {
  using user = newUser();
  const more = [
    { type: "new-thing", timestamp: "2026-03-01T00:00:20.000Z" },
    { type: "mode" },
    { type: "mode" },
  ];
  placeOf(user).write(`${A}.jsonl`, [...twoTurns(A), ...more] as Line[]);
  const { stderr } = await user.ok(["import"]);
  expect(stderr).toContain("1 new-thing");
  expect(stderr).toContain("2 mode");
});

test("import of an unchanged tree writes nothing, and leaves the agent's folder as it is", async () => {
  using user = newUser();
  const tree = placeOf(user);
  tree.write(`${A}.jsonl`, twoTurns(A));
  tree.write(`${B}.jsonl`, `${textOf(twoTurns(B))}{"type":"user","half a li`);
  const folder = look(tree.root);
  await importTree(user);
  const store = look(user.state);
  expect(await importTree(user)).toMatchObject({
    found: 2,
    unchanged: 2,
    imported: 0,
    updated: 0,
    records: 0,
  });
  expect(look(user.state)).toEqual(store);
  expect(look(tree.root)).toEqual(folder);
});

test("import reads on where the last one stopped, and waits for the end of a line", async () => {
  using user = newUser();
  const tree = placeOf(user);
  const more = textOf(oneTurn(A, 60), { continues: true });
  tree.write(`${A}.jsonl`, `${textOf(twoTurns(A))}${more.slice(0, 40)}`);
  await importTree(user);
  expect((await sessions(user)).get(A)).toMatchObject({ usage: { turns: 2 }, generation: 1 });
  tree.append(`${A}.jsonl`, more.slice(40));
  expect(await importTree(user)).toMatchObject({ imported: 0, updated: 1, bytes: Buffer.byteLength(more) });
  expect((await sessions(user)).get(A)).toMatchObject({
    ...{ state: "stopped", generation: 2, turn: { number: 3, state: "done" } },
    ...{ usage: { turns: 3, tokens_input: 121 }, last_active_at: "2026-03-01T00:01:01.000Z" },
  });
});

test("import ends the last turn of a file once nobody writes it any more, though nothing was added", async () => {
  using user = newUser();
  const path = placeOf(user).write(`${A}.jsonl`, twoTurns(A));
  const writer = openSync(path, "a");
  await importTree(user);
  expect((await sessions(user)).get(A)).toMatchObject({ turn: { number: 2, state: "running" } });
  const store = look(user.state);
  expect(await importTree(user)).toMatchObject({ imported: 0, updated: 0 });
  expect(look(user.state)).toEqual(store);
  closeSync(writer);
  expect(await importTree(user)).toMatchObject({ imported: 0, updated: 1 });
  expect((await sessions(user)).get(A)).toMatchObject({
    ...{ state: "stopped", outcome: "success", turn: { number: 2, state: "done", outcome: "success" } },
    usage: { turns: 2 },
  });
  expect(await importTree(user)).toMatchObject({ updated: 0, unchanged: 1 });
});

test.each([
  ["before its fork", [A, B]],
  ["after its fork", [B, A]],
])("a request belongs to the origin, which is imported %s", async (_, [first, second]) => {
  using user = newUser();
  const tree = placeOf(user);
  const origin = [...twoTurns(A), ...oneTurn(A, 500)];
  const fork = [queued(B, 100), ...copied(twoTurns(A), B), ...oneTurn(B, 101)];
  const files: Readonly<Record<string, Line[]>> = { [A]: origin, [B]: fork };
  for (const name of [first, second]) {
    tree.write(`${name}.jsonl`, files[name as string] ?? []);
    await importTree(user);
  }
  const known = await sessions(user);
  expect(known.size).toBe(2);
  expect(known.get(A)).toMatchObject({ forked_from: null, usage: { turns: 3, tokens_input: 121 } });
  expect(known.get(B)).toMatchObject({
    ...{ forked_from: known.get(A)?.id, about: "turn at 101", created_at: "2026-03-01T00:01:40.000Z" },
    ...{ turn: { number: 1 }, usage: { turns: 1, tokens_input: 1, tokens_output: 1 } },
  });
});

test("a fork of a fork continues the nearer one, whatever order their names have", async () => {
  using user = newUser();
  const tree = placeOf(user);
  const fork = [...copied(twoTurns(C), B), ...oneTurn(B, 100)];
  tree.write(`${C}.jsonl`, twoTurns(C));
  tree.write(`${B}.jsonl`, fork);
  tree.write(`${A}.jsonl`, [...copied(fork, A), ...oneTurn(A, 200)]);
  await importTree(user);
  const known = await sessions(user);
  const lineage = [C, B, A].map((id) => [known.get(id)?.forked_from, known.get(id)?.usage]);
  expect(lineage).toMatchObject([
    [null, { turns: 2, tokens_input: 120 }],
    [known.get(C)?.id, { turns: 1, tokens_input: 1 }],
    [known.get(B)?.id, { turns: 1, tokens_input: 1 }],
  ]);
});

test("a file that was replaced is read again, for its session alone and without doubles", async () => {
  using user = newUser();
  const tree = placeOf(user);
  tree.write(`${A}.jsonl`, twoTurns(A));
  tree.write(`${B}.jsonl`, twoTurns(B));
  await importTree(user);
  const before = await sessions(user);
  rmSync(tree.path(`${A}.jsonl`));
  tree.write(`${A}.jsonl`, twoTurns(A).slice(0, 4));
  expect(await importTree(user)).toMatchObject({ unchanged: 1 });
  const after = await sessions(user);
  expect(after.get(B)).toEqual(before.get(B));
  expect(after.get(A)).toMatchObject({ id: before.get(A)?.id, usage: { turns: 1, tokens_input: 100 } });
});

test("a deleted session is not imported again", async () => {
  using user = newUser();
  const tree = placeOf(user);
  tree.write(`${A}.jsonl`, twoTurns(A));
  await importTree(user);
  await user.ok(["delete", String((await sessions(user)).get(A)?.id)]);
  tree.append(`${A}.jsonl`, oneTurn(A, 60));
  expect(await importTree(user)).toMatchObject({ imported: 0, skipped: 1 });
  expect((await sessions(user)).size).toBe(0);
});

test("broken lines, unknown types and noise are counted, and stop nothing", async () => {
  using user = newUser();
  const tree = placeOf(user);
  const noise = [
    { type: "mode", mode: "normal" },
    { type: "mode", mode: "plan" },
  ];
  const strange = [{ type: "hologram", uuid: "h1", timestamp: "2026-03-01T00:00:20.000Z" }];
  const bytes = Buffer.concat([
    Buffer.from(textOf(twoTurns(A))),
    Buffer.from([0xff, 0xfe, 0x0a]),
    Buffer.from("[]\n"),
  ]);
  tree.write(`${A}.jsonl`, "");
  tree.append(`${A}.jsonl`, bytes.toString("latin1"));
  tree.append(`${A}.jsonl`, [...noise, ...strange, ...oneTurn(A, 30)]);
  expect(await importTree(user)).toMatchObject({
    ...{ imported: 1, broken: 2, failed: [] },
    ...{ noise: [{ type: "mode", count: 2 }], unknown: [{ type: "hologram", count: 1 }] },
  });
  expect((await sessions(user)).get(A)).toMatchObject({ usage: { turns: 3 } });
});

test("fifos, links, folders and empty files among the histories stop nothing", async () => {
  using user = newUser();
  const tree = placeOf(user);
  tree.write(`${A}.jsonl`, twoTurns(A));
  tree.write(`${B}.jsonl`, "");
  execFileSync("mkfifo", [tree.path("fifo.jsonl")]);
  mkdirSync(tree.path("folder.jsonl"));
  symlinkSync(tree.root, tree.path("around"));
  symlinkSync(tree.path(`${A}.jsonl`), tree.path(`${C}.jsonl`));
  expect(await importTree(user)).toMatchObject({ imported: 1, failed: [] });
  expect([...(await sessions(user)).keys()]).toEqual([A]);
});

test("import refuses what it cannot import, in one sentence", async () => {
  using user = newUser();
  for (const [args, code] of [
    [["import", "/nowhere"], 2],
    [["import", "--from", "robot"], 2],
    [["import", "--from", "unknown"], 2],
  ] as const) {
    const answered = await user.rollcall([...args]);
    expect([answered.code, answered.stderr.split("\n").length]).toEqual([code, 2]);
  }
});

/** Everything in a folder: sizes, times and bytes. */
function look(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const stats = statSync(path);
      // Opening a database touches its -shm file, by which readers find each other.
      if (name.endsWith("-shm")) return name;
      return `${name} ${stats.mode} ${stats.mtimeMs} ${stats.isFile() ? readFileSync(path, "latin1") : ""}`;
    });
}

test("export as an asciicast of an imported session is refused, for no terminal was recorded", async () => {
  using user = newUser();
  placeOf(user).write(`${A}.jsonl`, oneTurn(A, 0));
  await importTree(user);
  const refused = await user.rollcall(["export", "last", "--format", "cast", "--json", "-o", "a.cast"]);
  expect(refused).toMatchObject({ code: 4, error: { code: "not_offered" } });
});
