import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { HistoryDatabase } from "../../agents/history.ts";
import { database as opencode } from "../../agents/opencode/history/database.ts";
import { usedDatabase, userMessage } from "../../testing/history/opencode/used-database.ts";
import { idle, pass, useFakeTime } from "../../testing/session/fake-time.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { type Conversation, DatabaseWatch } from "./database-watch.ts";

useFakeTime();

const PAUSE_MS = 1000;
/** As many columns as a test wants to be other than OpenCode has them. */
const CONVERSATIONS = `SELECT s.id AS id, s.directory AS cwd, m.newest AS newest FROM session s
  JOIN (SELECT session_id, max(time_created) AS newest FROM message GROUP BY session_id) m ON m.session_id = s.id`;

interface Given {
  readonly conversations?: string;
  /** The root is the database itself. */
  readonly isFile?: boolean;
  readonly database?: HistoryDatabase;
}

function watchPlace({ conversations = CONVERSATIONS, isFile = false, database = opencode }: Given = {}) {
  const folder = tempFolder();
  const path = join(folder.path, "opencode.db");
  const used = usedDatabase(path);
  const grown: Conversation[] = [];
  const changed: string[] = [];
  const failed: unknown[] = [];
  const watch = new DatabaseWatch(
    { root: isFile ? path : folder.path, database, conversations },
    {
      grown: (conversation) => grown.push(conversation),
      changed: (one) => changed.push(one),
      failed: (error) => failed.push(error),
    },
  );
  return {
    ...{ path, used, watch, grown, changed, failed, folder: folder.path },
    /** The watch is told of the change, and looks once its pause is over. */
    looked: async () => {
      while (vi.getTimerCount() === 0) await idle();
      await pass(PAUSE_MS - 1);
      expect(vi.getTimerCount()).toBe(1);
      await pass(1);
    },
    [Symbol.dispose]: () => {
      watch.stop();
      used[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

test.each([false, true])(
  "a conversation with a message newer than the watch grows, once for each (root is the file: %s)",
  async (isFile) => {
    using at = watchPlace({ isFile });
    at.used.write([userMessage("msg_1", Date.now() - 1)]);
    at.watch.begin();
    at.used.write([userMessage("msg_1", Date.now() - 1), userMessage("msg_2", Date.now() + 1)]);
    await at.looked();
    const one = { source: `${at.path}#ses_1`, nativeId: "ses_1", cwd: "/project" };
    expect(at.grown).toEqual([{ ...one, newestMs: Date.now() - PAUSE_MS + 1 }]);
    expect(at.changed).toEqual([at.path]);
    at.used.change("UPDATE session SET title = 'another'");
    await at.looked();
    expect([at.grown.length, at.changed.length]).toEqual([1, 2]);
  },
);

test("a conversation that was there before the watch, and gets no new message, does not grow", async () => {
  using at = watchPlace();
  at.used.write([userMessage("msg_1", Date.now())]);
  at.watch.begin();
  at.used.change("UPDATE session SET title = 'another'");
  await at.looked();
  expect(at.grown).toEqual([]);
  expect(at.changed).toEqual([at.path]);
});

test("a change of another file is none of the database, and a stopped watch looks no more", async () => {
  using at = watchPlace();
  using _ = usedDatabase(join(at.folder, "another.db"));
  at.watch.begin();
  await idle();
  using __ = usedDatabase(join(at.folder, "third.db"));
  await idle(200);
  expect(vi.getTimerCount()).toBe(0);
  at.used.write([userMessage("msg_1", Date.now() + 1)]);
  while (vi.getTimerCount() === 0) await idle();
  at.watch.stop();
  await pass(PAUSE_MS);
  expect(at.changed).toEqual([]);
});

test.each([
  ["'' AS id, 'x' AS cwd, 1 AS newest", []],
  ["7 AS id, 'x' AS cwd, 1 AS newest", []],
  ["'a' AS id, '' AS cwd, 1 AS newest", [{ nativeId: "a", cwd: null, newestMs: 1 }]],
  ["'a' AS id, 7 AS cwd, 'x' AS newest", [{ nativeId: "a", cwd: null, newestMs: 0 }]],
  ["'a' AS id, '/x' AS cwd, 5 AS newest", [{ nativeId: "a", cwd: "/x", newestMs: 5 }]],
])("a row with %s is read for what it is", (columns, conversations) => {
  using at = watchPlace({ conversations: `SELECT ${columns}` });
  at.used.write([]);
  expect(at.watch.conversations()).toMatchObject(conversations);
});
