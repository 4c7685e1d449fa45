import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { answer, ClaudeTree, type Line, prompt } from "./claude-tree.ts";
import { newUser, type User } from "./rollcall.ts";

const A = "aaaaaaaa-1111-4111-8111-111111111111";
const SECRET = "sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

function oneTurn(at: number): Line[] {
  const said = (uuid: string) => ({ session: A, uuid: `${A}-${at}-${uuid}`, at });
  const words = `the key is ${SECRET}`;
  return [prompt(said("p"), words), answer({ ...said("a"), message: `m${at}` }, "done", { in: 1, out: 1 })];
}

/** A session with a sub-agent, its description, and a result of a tool that stands by itself. */
function writeTree(user: User): { readonly tree: ClaudeTree; readonly files: readonly string[] } {
  const tree = new ClaudeTree(user.env.HOME as string);
  const helper = oneTurn(1).map((line) => ({ ...line, isSidechain: true, agentId: "h1" }));
  const files = [
    tree.write(`${A}.jsonl`, oneTurn(0)),
    tree.write(`${A}/subagents/agent-h1.jsonl`, helper),
    tree.write(`${A}/subagents/agent-h1.meta.json`, `{"agentType":"Explore"}`),
    tree.write(`${A}/tool-results/one.txt`, "a long result"),
  ];
  return { tree, files };
}

function folderOf(user: User): string {
  return join(user.state, "originals", "claude", A);
}

/** The copies by the path of the file. */
function copiesOf(user: User): Record<string, string> {
  const folder = folderOf(user);
  const notes = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith(".json"));
  return Object.fromEntries(
    notes.map((name) => {
      const { path, packed } = JSON.parse(readFileSync(join(folder, name), "utf8")) as Record<string, string>;
      return [path, gunzipSync(readFileSync(join(folder, packed as string))).toString()];
    }),
  );
}

test("with archive.originals an import copies all files of a session as they are, for their user alone", async () => {
  using user = newUser();
  const { tree, files } = writeTree(user);
  await user.ok(["import"]);
  expect(existsSync(join(user.state, "originals"))).toBe(false);
  await user.ok(["config", "set", "archive.originals", "true"]);
  await user.ok(["import"]);
  expect(Object.keys(copiesOf(user)).sort()).toEqual([...files].sort());
  for (const path of files) expect(copiesOf(user)[path]).toBe(readFileSync(path, "utf8"));
  for (const name of readdirSync(folderOf(user)))
    expect(statSync(join(folderOf(user), name)).mode & 0o777).toBe(0o600);
  expect(statSync(folderOf(user)).mode & 0o777).toBe(0o700);
  tree.append(`${A}.jsonl`, oneTurn(60));
  await user.ok(["import"]);
  expect(copiesOf(user)[files[0] as string]).toBe(readFileSync(files[0] as string, "utf8"));
});

test("copies of originals are counted as a kind, stand in no backup, and go with their session for good", async () => {
  using user = newUser();
  writeTree(user);
  await user.ok(["config", "set", "archive.originals", "true"]);
  await user.ok(["import"]);
  const { size } = (await user.ok(["stats", "--json"])).json as never as { size: { kinds: object[] } };
  expect(size.kinds).toContainEqual({ kind: "originals", bytes: expect.any(Number), estimated: false });
  const backup = join(user.folder, "copy.db");
  await user.ok(["backup", backup]);
  expect(readFileSync(backup, "latin1")).not.toContain(SECRET);
  expect(readdirSync(dirname(backup)).filter((name) => name.includes("original"))).toEqual([]);
  const { json } = await user.ok(["list", "--json"]);
  const session = json.sessions.find(({ native_id }) => native_id === A);
  await user.ok(["delete", String(session?.id)]);
  expect(existsSync(folderOf(user))).toBe(false);
  await user.ok(["import"]);
  expect(existsSync(folderOf(user))).toBe(false);
});

test("a copy that cannot be made is named, and the import goes on", async () => {
  using user = newUser();
  writeTree(user);
  await user.ok(["config", "set", "archive.originals", "true"]);
  mkdirSync(join(user.state, "originals"), { recursive: true });
  writeFileSync(join(user.state, "originals", "claude"), "in the way");
  const { stderr } = await user.ok(["import"]);
  expect(stderr).toContain(`${A}.jsonl was not copied`);
  expect((await user.ok(["list", "--json"])).json.sessions.length).toBeGreaterThan(0);
});

test("no link beside a transcript is followed, and a file beyond 1 GiB is named and keeps no other from its copy", async () => {
  using user = newUser();
  const tree = new ClaudeTree(user.env.HOME as string);
  const elsewhere = join(user.folder, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "id_rsa"), "a key");
  const linked = "bbbbbbbb-2222-4222-8222-222222222222";
  symlinkSync(elsewhere, join(dirname(tree.write(`${linked}.jsonl`, oneTurn(0))), linked));
  const path = tree.write(`${A}.jsonl`, oneTurn(0));
  const large = tree.write(`${A}/tool-results/a-large.txt`, "");
  truncateSync(large, 2 ** 40);
  const small = tree.write(`${A}/tool-results/b-small.txt`, "a result");
  await user.ok(["config", "set", "archive.originals", "true"]);
  const { stderr } = await user.rollcall(["import"]);
  expect(stderr).toContain(`${large} was not copied: ${large} is larger than 1 GiB.`);
  expect(Object.keys(copiesOf(user)).sort()).toEqual([path, small].sort());
  const linkedCopies = readdirSync(join(user.state, "originals", "claude", linked));
  expect(linkedCopies.filter((name) => name.endsWith(".json"))).toHaveLength(1);
});
