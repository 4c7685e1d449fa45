import {
  appendFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { answer, ClaudeTree, type Line, prompt, textOf } from "../cli/claude-tree.ts";
import type { Shown } from "../cli/rollcall.ts";
import { type LiveUser, newLiveUser, until } from "./user.ts";

const A = "aaaaaaaa-1111-4111-8111-111111111111";
const B = "bbbbbbbb-2222-4222-8222-222222222222";
const TURNS = 2000;
const KILLS = 3;

/** One turn that ends, with 1 token in and 1 out. */
function oneTurn(session: string, at: number): Line[] {
  const said = (uuid: string, second: number) => ({ session, uuid: `${session}-${at}-${uuid}`, at: second });
  return [
    prompt(said("p", at), `turn at ${at}`),
    answer({ ...said("a", at + 1), message: `${session}-m-${at}` }, "done", { in: 1, out: 1 }),
  ];
}

function manyTurns(session: string, from: number): Line[] {
  return Array.from({ length: TURNS }, (_, index) => oneTurn(session, from + 10 * index)).flat();
}

/** Adds lines as a program does that has closed the file, and may have left, by the time anybody looks. */
function append(tree: ClaudeTree, session: string, lines: readonly Line[]): void {
  const path = tree.path(`${session}.jsonl`);
  const elsewhere = join(tree.root, "..", "..", "elsewhere");
  linkSync(path, elsewhere);
  appendFileSync(elsewhere, textOf(lines, { continues: true }));
  rmSync(elsewhere);
  utimesSync(path, new Date(), new Date());
}

function treeOf(user: LiveUser): ClaudeTree {
  return new ClaudeTree(user.env.HOME as string);
}

async function sessionOf(user: LiveUser, nativeId: string): Promise<Shown | undefined> {
  const { json } = await user.ok(["list", "--json", "--limit", "all"]);
  return json.sessions.find(({ native_id }) => native_id === nativeId);
}

/** Waits until the record of a session is so. */
async function reached(user: LiveUser, nativeId: string, expected: object): Promise<Shown> {
  let found: Shown | undefined;
  const look = async () => {
    found = await sessionOf(user, nativeId);
    return matches(found, expected);
  };
  await until(look, `${nativeId} to be ${JSON.stringify(expected)}`, 90_000).catch((cause: unknown) => {
    throw new Error(`It is ${JSON.stringify(found)}`, { cause });
  });
  return found as Shown;
}

function matches(found: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null) return found === expected;
  return Object.entries(expected).every(([key, value]) =>
    matches((found as Record<string, unknown> | null)?.[key], value),
  );
}

function over(number: number): object {
  return { state: "stopped", outcome: "success", turn: { number, state: "done", outcome: "success" } };
}

test("a turn that ends in an imported file is over in the record, without another import", async () => {
  await using user = newLiveUser();
  const tree = treeOf(user);
  tree.write(`${A}.jsonl`, oneTurn(A, 0));
  await user.ok(["import"]);
  await user.ok(["up"]);
  append(tree, A, oneTurn(A, 60));
  await reached(user, A, { ...over(2), usage: { turns: 2, tokens_input: 2, tokens_output: 2 } });
  expect((await user.ok(["import", "--json"])).json).toMatchObject({ imported: 0, updated: 0 });
});

test("with import.follow off, a turn that the daemon saw end is over after an import", async () => {
  await using user = newLiveUser();
  const tree = treeOf(user);
  await user.ok(["config", "set", "import.follow", "false"]);
  tree.write(`${A}.jsonl`, oneTurn(A, 0));
  await user.ok(["import"]);
  await user.ok(["up"]);
  append(tree, A, oneTurn(A, 60));
  await reached(user, A, { turn: { number: 2 } });
  await user.ok(["import"]);
  expect(await sessionOf(user, A)).toMatchObject({ ...over(2), usage: { turns: 2, tokens_input: 2 } });
});

test("a new file, and one that grew while no daemon ran, are in the record without another import", async () => {
  await using user = newLiveUser();
  const tree = treeOf(user);
  tree.write(`${A}.jsonl`, oneTurn(A, 0));
  await user.ok(["import"]);
  append(tree, A, oneTurn(A, 60));
  await user.ok(["up"]);
  await reached(user, A, over(2));
  renameSync(tree.write("../new", oneTurn(B, 100)), tree.path(`${B}.jsonl`));
  await reached(user, B, { ...over(1), origin: "imported", usage: { turns: 1 } });
  const { daemon } = (await user.ok(["status", "--json"])).json as never as { daemon: { import: object } };
  expect(daemon.import).toMatchObject({
    is_following: true,
    imported: 1,
    updated: 1,
    failed: [],
    error: null,
  });
});

test("a turn in which an imported file stops for a moment is shown as running, and ends with its last word", async () => {
  await using user = newLiveUser();
  const tree = treeOf(user);
  tree.write(`${A}.jsonl`, oneTurn(A, 0));
  await user.ok(["import"]);
  await user.ok(["up"]);
  const [asked, answered] = oneTurn(A, 60) as [Line, Line];
  append(tree, A, [asked]);
  await reached(user, A, { state: "running", turn: { number: 2, state: "running" } });
  append(tree, A, [answered]);
  await reached(user, A, { ...over(2), usage: { turns: 2 }, generation: 2 });
});

test("status and doctor say that nothing is followed before the first import, and what is after it", async () => {
  await using user = newLiveUser();
  await user.ok(["up"]);
  const imports = async () => {
    const { checks } = (await user.ok(["doctor", "--json"])).json as never as { checks: { name: string }[] };
    return checks.find(({ name }) => name === "import");
  };
  expect((await user.ok(["status"])).stdout).toContain("import    follows nothing");
  expect(await imports()).toMatchObject({ status: "ok", detail: "No history is followed." });
  treeOf(user).write(`${A}.jsonl`, oneTurn(A, 0));
  await user.ok(["import"]);
  const told = async () => (await user.ok(["status"])).stdout.includes("import    1 history file at ");
  await user.killDaemon();
  await user.ok(["up"]);
  await until(told, "the first look");
  expect(await imports()).toMatchObject({ status: "ok" });
});

test("a daemon that is killed three times while it imports has everything once", {
  timeout: 240_000,
}, async () => {
  await using user = newLiveUser();
  const tree = treeOf(user);
  tree.write(`${A}.jsonl`, oneTurn(A, 0));
  await user.ok(["import"]);
  for (let kills = 0; kills < KILLS; kills++) {
    append(tree, A, manyTurns(A, 10 + kills * 10 * TURNS));
    await importAndKill(user);
  }
  await user.ok(["up"]);
  const all = KILLS * TURNS + 1;
  const expected = { usage: { turns: all, tokens_input: all, tokens_output: all } };
  const { id } = await reached(user, A, { ...over(all), ...expected });
  await using rollcall = await user.library();
  expect(await rollcall.context.store.entries(String(id), { limit: 0 })).toHaveLength(2 * all);
  expect((await user.ok(["verify", "--json"])).json).toMatchObject({ ok: true });
});

test("down in the middle of an import leaves no half of it, and the daemon answers meanwhile", {
  timeout: 240_000,
}, async () => {
  await using user = newLiveUser();
  const tree = treeOf(user);
  tree.write(`${A}.jsonl`, oneTurn(A, 0));
  await user.ok(["import"]);
  append(tree, A, manyTurns(A, 10));
  const { id } = (await sessionOf(user, A)) as Shown;
  await user.ok(["up"]);
  const turns = async () => ((await user.get(String(id))).turn as { number: number }).number;
  await until(async () => (await turns()) > 1, "a batch");
  await user.ok(["down"]);
  await user.ok(["up"]);
  await reached(user, A, { ...over(TURNS + 1), usage: { turns: TURNS + 1, tokens_input: TURNS + 1 } });
});

/** Kills a daemon as soon as it has committed some of a history. */
async function importAndKill(user: LiveUser): Promise<void> {
  await using rollcall = await user.library();
  const { store } = rollcall.context;
  const [cursor] = await store.cursors();
  await user.ok(["up"]);
  await until(async () => (await store.cursors())[0]?.byteOffset !== cursor?.byteOffset, "a batch");
  await user.killDaemon();
}

test("with archive.originals the daemon copies what grows, also of agents that nobody imported from", async () => {
  await using user = newLiveUser();
  const tree = treeOf(user);
  await user.ok(["config", "set", "archive.originals", "true"]);
  await user.ok(["config", "set", "import.interval", "500ms"]);
  tree.write(`${A}.jsonl`, oneTurn(A, 0));
  await user.ok(["up"]);
  const folder = join(user.state, "originals", "claude", A);
  const copied = () => packedIn(folder).includes("turn at 0");
  await until(copied, "a copy");
  append(tree, A, oneTurn(A, 60));
  await until(() => packedIn(folder).includes("turn at 60"), "a copy of what was added");
  const { daemon } = (await user.ok(["status", "--json"])).json as never as { daemon: { import: object } };
  expect(daemon.import).toMatchObject({ is_following: false, is_archiving: true, archived: 2, failed: [] });
});

function packedIn(folder: string): string {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const packed = names.find((name) => name.endsWith(".gz"));
  return packed === undefined ? "" : unpacked(readFileSync(join(folder, packed)));
}

/** Nothing while its last piece is being written. */
function unpacked(bytes: Buffer): string {
  try {
    return gunzipSync(bytes).toString();
  } catch {
    return "";
  }
}
