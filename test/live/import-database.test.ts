import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type OpencodeMessage, writeOpencode } from "../../src/testing/history/opencode/database.ts";
import { newLiveUser, until } from "./user.ts";

const TOKENS = { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } };

/** One turn that ends, with 1 token in and 1 out. */
function oneTurn(at: number): OpencodeMessage[] {
  const completed = { created: at + 1, completed: at + 2 };
  const answer = { role: "assistant", time: completed, tokens: TOKENS, modelID: "gpt-5", finish: "stop" };
  return [
    { id: `msg_${at}`, data: { role: "user", time: { created: at } }, parts: [{ type: "text", text: "go" }] },
    {
      id: `msg_${at + 1}`,
      data: answer,
      parts: [{ type: "text", text: "done", time: { start: 1, end: 2 } }],
    },
  ];
}

test("a conversation that grows in a database is followed without another import", async () => {
  await using user = newLiveUser();
  const path = join(user.env.HOME as string, ".local", "share", "opencode", "opencode.db");
  const origin = { id: "ses_one", parentId: null, createdMs: 1000 };
  const [first, second] = [oneTurn(2000), oneTurn(3000)];
  writeOpencode(path, [{ ...origin, messages: first }]);
  await user.ok(["config", "set", "import.interval", "1s"]);
  await user.ok(["config", "set", "archive.originals", "true"]);
  await user.ok(["import"]);
  await user.ok(["up"]);
  const usage = async () => (await user.ok(["list", "--json", "--limit", "all"])).json.sessions[0]?.usage;
  const followed = async () =>
    ((await user.ok(["status", "--json"])).json as never as { daemon: { import: { updated: number } } })
      .daemon.import;
  expect(await usage()).toMatchObject({ turns: 1, tokens_total: 2 });
  writeOpencode(path, [{ ...origin, messages: [...first, ...second] }]);
  await until(async () => (await followed()).updated > 0, "the second turn to be in the record", 90_000);
  expect(await usage()).toMatchObject({ turns: 2, tokens_total: 4 });
  expect(await followed()).toMatchObject({
    is_following: true,
    updated: 1,
    archived: 0,
    failed: [],
    error: null,
  });
  expect(readdirSync(dirname(path))).toEqual(["opencode.db"]);
});
