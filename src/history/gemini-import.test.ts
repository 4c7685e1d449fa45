import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRollcall } from "../record/open.ts";
import { tempFolder } from "../testing/temp-folder.ts";
import { importHistory } from "./import-history.ts";

const SAMPLE = join(import.meta.dirname, "..", "agents", "gemini", "samples", "chat-terminal.jsonl");
const ID = "11111111-2222-4333-8444-555555555501";
const AT = "2026-11-18T20:00:00.000Z";
const TOKENS = { input: 100, output: 20, cached: 40, thoughts: 5, tool: 0, total: 125 };
const HEAD = { sessionId: ID, projectHash: "h", startTime: AT, lastUpdated: AT, kind: "main" };
const said = (id: string, text: string) => ({ id, timestamp: AT, type: "user", content: [{ text }] });
const answer = (id: string, text: string) => ({
  ...{ id, timestamp: AT, type: "gemini", content: text },
  ...{ thoughts: [], tokens: TOKENS, model: "gemini-2.5-flash" },
});

async function place(folder: string) {
  const chats = join(folder, ".gemini", "tmp", "project", "chats");
  mkdirSync(chats, { recursive: true });
  const home = join(folder, "home");
  const rollcall = await openRollcall({ home, cwd: folder, env: { HOME: folder } });
  const lines = (name: string, ...records: object[]) => {
    mkdirSync(join(chats, name, ".."), { recursive: true });
    writeFileSync(join(chats, name), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  };
  const bring = async () => importHistory(rollcall.context);
  const sessions = async () => (await rollcall.page()).sessions;
  return { chats, rollcall, lines, bring, sessions };
}

test("a real conversation of Gemini CLI is imported with its turns and each request once", async () => {
  using folder = tempFolder();
  const at = await place(folder.path);
  await using _ = at.rollcall;
  cpSync(SAMPLE, join(at.chats, "session-2026-11-18T20-37-d268289b.jsonl"));
  expect(await at.bring()).toMatchObject({ imported: 1, broken: 0 });
  expect(await at.sessions()).toMatchObject([
    {
      agentType: "gemini",
      nativeId: "d268289b-9ad4-4131-b723-97e1a4a4f452",
      usage: { turns: 5, tokensTotal: 5100 },
    },
  ]);
  expect(await at.bring()).toMatchObject({ imported: 0, updated: 0 });
});

test("a conversation in one object is counted once, also after its migration, which leaves both files", async () => {
  using folder = tempFolder();
  const at = await place(folder.path);
  await using _ = at.rollcall;
  const messages = [said("u1", "one"), answer("a1", "hi")];
  const name = "session-2026-11-18T20-00-11111111.json";
  writeFileSync(join(at.chats, name), JSON.stringify({ ...HEAD, messages }));
  expect(await at.bring()).toMatchObject({ imported: 1 });
  const once = { turns: 1, tokensInput: 60, tokensCacheRead: 40, tokensOutput: 25, tokensReasoning: 5 };
  expect(await at.sessions()).toMatchObject([{ nativeId: ID, usage: once }]);
  at.lines(`${name}l`, HEAD, ...messages, said("u2", "two"), answer("a2", "ho"));
  await at.bring();
  expect(await at.sessions()).toMatchObject([{ nativeId: ID, usage: { turns: 2, tokensInput: 120 } }]);
  rmSync(join(at.chats, name));
  expect(await at.bring()).toMatchObject({ imported: 0, updated: 0 });
});

test("a conversation in one object that has grown is read anew, also where its head is as it was", async () => {
  using folder = tempFolder();
  const at = await place(folder.path);
  await using _ = at.rollcall;
  const write = (messages: readonly object[]) =>
    writeFileSync(
      join(at.chats, "session-2026-11-18T20-00-11111111.json"),
      JSON.stringify({ ...HEAD, messages }),
    );
  const messages = [said("u1", "long ".repeat(1000)), answer("a1", "hi")];
  write(messages);
  await at.bring();
  write([...messages, answer("a2", "ho"), said("u2", "two"), answer("a3", "he")]);
  await at.bring();
  expect(await at.sessions()).toMatchObject([{ usage: { turns: 2, tokensInput: 180 } }]);
});

test("a message that is written again counts once, a rewound one stays billed, and a lone head is no session", async () => {
  using folder = tempFolder();
  const at = await place(folder.path);
  await using _ = at.rollcall;
  const again = [said("u1", "one"), answer("a1", ""), answer("a1", "hi"), { $rewindTo: "u1" }];
  at.lines("session-2026-11-18T20-00-11111111.jsonl", HEAD, ...again, said("u2", "two"), answer("a2", "ho"));
  at.lines("session-2026-11-18T20-05-11111111.jsonl", HEAD, { $set: { messages: [] } });
  expect(await at.bring()).toMatchObject({ imported: 1 });
  expect(await at.sessions()).toMatchObject([{ usage: { turns: 2, tokensInput: 120, tokensOutput: 50 } }]);
});

test("a helper is a child session of the conversation in whose folder its file lies", async () => {
  using folder = tempFolder();
  const at = await place(folder.path);
  await using _ = at.rollcall;
  const helper = "99999999-2222-4333-8444-555555555501";
  at.lines("session-2026-11-18T20-00-11111111.jsonl", HEAD, said("u1", "one"), answer("a1", "hi"));
  at.lines(
    `${ID}/${helper}.jsonl`,
    { ...HEAD, sessionId: helper, kind: "subagent", directories: ["/work-folder"] },
    ...[said("u9", "help"), answer("a9", "helped")],
  );
  await at.bring();
  const [child, parent] = (await at.sessions()).toSorted((a) => (a.nativeId === helper ? -1 : 1));
  expect(child).toMatchObject({ nativeId: helper, parentId: parent?.id, usage: { tokensInput: 60 } });
  expect(parent?.usage).toMatchObject({ tokensInput: 60 });
});

test.each([
  ["names", "/work-folder/of-one\n", "/work-folder/of-one"],
  ["names by a part of its path alone", "of-one", null],
])("a conversation is in the folder that the note of its project %s", async (_, note, workspacePath) => {
  using folder = tempFolder();
  const at = await place(folder.path);
  await using __ = at.rollcall;
  writeFileSync(join(at.chats, "..", ".project_root"), note);
  at.lines("session-2026-11-18T20-00-11111111.jsonl", HEAD, said("u1", "one"), answer("a1", "hi"));
  at.lines("session-2026-11-18T20-05-22222222.jsonl", { ...HEAD, sessionId: "2".repeat(8) });
  await at.bring();
  expect(await at.sessions()).toMatchObject([{ nativeId: ID, workspacePath }]);
});
