import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { answer, ClaudeTree, copied, type Line, prompt } from "./claude-tree.ts";
import { LAUNCHER, newUser, type Shown, type User } from "./rollcall.ts";

const KILLS = 10;
const TURNS = 4000;
const ORIGIN = "aaaaaaaa-1111-4111-8111-111111111111";
const FORK = "bbbbbbbb-2222-4222-8222-222222222222";

/** Long enough for an import that commits many times. */
function conversation(session: string, from: number): Line[] {
  return Array.from({ length: TURNS }, (_, index) => {
    const second = from + index * 10;
    const said = (uuid: string, at: number) => ({ session, uuid: `${session}-${from}-${index}-${uuid}`, at });
    const message = `${session}-${from}-m${index}`;
    return [
      prompt(said("p", second), `turn ${index}`),
      answer({ ...said("a", second + 1), message }, `first ${index}`, { in: 3, out: 1 }),
      answer({ ...said("b", second + 2), message }, `second ${index}`, { in: 3, out: 2 }),
    ];
  }).flat();
}

function writeTree(user: User): void {
  const tree = new ClaudeTree(user.env.HOME as string);
  const origin = conversation(ORIGIN, 0);
  tree.write(`${ORIGIN}.jsonl`, origin);
  tree.write(`${FORK}.jsonl`, [...copied(origin, FORK), ...conversation(FORK, 100_000)]);
}

test("an import that is killed ten times in its middle has everything once", {
  timeout: 300_000,
}, async () => {
  using killed = newUser();
  using whole = newUser();
  for (const user of [killed, whole]) writeTree(user);
  let kills = 0;
  while (kills < KILLS) kills += await importAndKill(killed);
  await killed.ok(["import", "--json"]);
  await whole.ok(["import", "--json"]);
  const expected = await contentOf(whole);
  expect(await contentOf(killed)).toEqual(expected);
  expect(expected).toMatchObject([
    { entries: 3 * TURNS, turns: TURNS, usage: { tokens_input: 3 * TURNS, tokens_output: 2 * TURNS } },
    { entries: 3 * TURNS, turns: TURNS, usage: { tokens_input: 3 * TURNS, tokens_output: 2 * TURNS } },
  ]);
  expect((await killed.ok(["verify", "--json"])).json).toMatchObject({ ok: true });
});

/** Kills an import as soon as it has committed something; 0 where it was done before. */
async function importAndKill(user: User): Promise<0 | 1> {
  await using rollcall = await user.library();
  const committed = Promise.withResolvers<void>();
  using _ = rollcall.context.store.listen(() => committed.resolve());
  const child = spawn(process.execPath, [LAUNCHER, "import"], {
    env: user.env,
    cwd: user.workspace,
    stdio: "ignore",
  });
  const closed = once(child, "close");
  await Promise.race([committed.promise, closed]);
  child.kill("SIGKILL");
  await closed;
  if (child.exitCode === 0) throw new Error("The import was done before it could be killed ten times.");
  return 1;
}

/** All that both sessions have, with the words that follow one another. */
async function contentOf(user: User): Promise<unknown[]> {
  const { json } = await user.ok(["list", "--json", "--limit", "all"]);
  const found = [...json.sessions].sort((a, b) => (String(a.native_id) < String(b.native_id) ? -1 : 1));
  return Promise.all(
    found.map(async (session) => ({ ...shown(session), ...(await wordsOf(user, session.id)) })),
  );
}

function shown({ id, native_id, forked_from, state, outcome, usage, created_at, last_active_at }: Shown) {
  return { id, native_id, forked_from, state, outcome, usage, created_at, last_active_at };
}

async function wordsOf(user: User, id: string) {
  await using rollcall = await user.library();
  const entries = await rollcall.context.store.entries(id, { limit: 0 });
  const row = await rollcall.context.store.findRow(id);
  return { entries: entries.length, words: entries.map(({ text }) => text), turns: row?.turns };
}
