import { dirname } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { HistoryDatabase } from "../../agents/history.ts";
import { findAgent } from "../../agents/registry.ts";
import { writeOpencode } from "../../testing/history/opencode/database.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { rowsInUse } from "./databases.ts";

/** With the wait of an import, so many looks would take longer than a test may. */
const LOOKS = 60;

test("a look into a database that someone keeps locked gives up soon, for the daemon has more to do", () => {
  using folder = tempFolder();
  const path = `${folder.path}/opencode.db`;
  writeOpencode(path, [{ id: "ses_one", parentId: null, createdMs: 1, messages: [] }]);
  const spec = findAgent("opencode")?.history?.database as HistoryDatabase;
  const look = () => rowsInUse(dirname(path), spec, "SELECT id FROM session");
  const db = new Database(path);
  db.exec("UPDATE session SET title = 'a'");
  expect(look()).toMatchObject([{ row: { id: "ses_one" } }]);
  db.pragma("locking_mode = EXCLUSIVE");
  db.exec("UPDATE session SET title = 'b'");
  for (let looks = 0; looks < LOOKS; looks++) expect(look()).toEqual([]);
  db.close();
});
