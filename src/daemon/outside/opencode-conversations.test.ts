import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { HistoryDatabase } from "../../agents/history.ts";
import { findAgent } from "../../agents/registry.ts";
import { type OpencodeSession, writeOpencode } from "../../testing/history/opencode/database.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { DatabaseWatch } from "./database-watch.ts";

const agent = findAgent("opencode");
const NOBODY = { grown: () => {}, changed: () => {}, failed: () => {} };

function sessionOf(id: string, messages: number): OpencodeSession {
  const message = (n: number) => ({
    id: `${id}_${n}`,
    data: { role: "user", time: { created: n } },
    parts: [],
  });
  return {
    id,
    parentId: null,
    createdMs: 1,
    messages: Array.from({ length: messages }, (_, n) => message(n)),
  };
}

test("a look at a database is at its newest messages alone, however many conversations it holds", () => {
  using folder = tempFolder();
  const path = `${folder.path}/opencode.db`;
  writeOpencode(path, [sessionOf("ses_old", 1), sessionOf("ses_new", 5000)]);
  const db = new Database(path);
  db.exec("UPDATE session SET title = 'a'");
  const watch = new DatabaseWatch(
    {
      root: folder.path,
      database: agent?.history?.database as HistoryDatabase,
      conversations: agent?.outside?.rows?.conversations ?? "",
    },
    NOBODY,
  );
  const ids = () => watch.conversations().map(({ nativeId, newestMs }) => [nativeId, newestMs]);
  expect(ids()).toEqual([["ses_new", 4999]]);
  db.exec("INSERT INTO message VALUES ('m', 'ses_old', 7000, 7000, '{}')");
  expect(ids()).toEqual([
    ["ses_new", 4999],
    ["ses_old", 7000],
  ]);
  db.close();
});
