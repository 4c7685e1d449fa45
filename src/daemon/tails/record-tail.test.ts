import { join } from "node:path";
import { expect, test } from "vitest";
import { history } from "../../agents/opencode/history/history.ts";
import { answerMessage, usedDatabase, userMessage } from "../../testing/history/opencode/used-database.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { RecordTail } from "./record-tail.ts";
import type { TailReader } from "./tail.ts";

/** The tail of one conversation, with what it was asked for and has read. */
function tailPlace(given: Partial<TailReader> = {}) {
  const folder = tempFolder();
  const path = join(folder.path, "opencode.db");
  const database = usedDatabase(path);
  const calls: string[] = [];
  const tail = new RecordTail(`${path}#ses_1`, history, {
    from: async () => {
      calls.push("from");
      return 0;
    },
    line: async ({ text, offset }) => {
      calls.push(`${offset} ${JSON.parse(text).id}`);
    },
    caughtUp: async () => {
      calls.push("caught up");
    },
    failed: (error) => calls.push(`failed: ${(error as Error).message}`),
    ...given,
  });
  return {
    ...{ path, database, calls, tail },
    [Symbol.dispose]: () => {
      database[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

test("a tail of records reads each whole record once, in order, and an answer when it is complete", async () => {
  using at = tailPlace();
  at.database.write([userMessage("msg_1", 1), answerMessage("msg_2", 2)]);
  await at.tail.catchUp();
  expect(at.calls).toEqual(["from", "1 ses_1", "2 msg_1", "caught up"]);
  at.database.write([userMessage("msg_1", 1), answerMessage("msg_2", 2, 3)]);
  at.tail.begin();
  await at.tail.catchUp();
  expect(at.calls.slice(4)).toEqual(["3 msg_2"]);
});

test("a tail of records begins behind what was read before", async () => {
  using at = tailPlace({ from: async () => 2 });
  at.database.write([userMessage("msg_1", 1), answerMessage("msg_2", 2, 3)]);
  await at.tail.catchUp();
  expect(at.calls).toEqual(["3 msg_2", "caught up"]);
});

test("a tail of records reads anew where the last record was taken back for another one", async () => {
  using at = tailPlace();
  at.database.write([userMessage("msg_1", 1), userMessage("msg_2", 2)]);
  await at.tail.catchUp();
  at.database.change("DELETE FROM message WHERE id = 'msg_2'");
  at.database.write([userMessage("msg_1", 1), userMessage("msg_3", 3)]);
  await at.tail.catchUp();
  expect(at.calls.slice(5)).toEqual(["from", "1 ses_1", "2 msg_1", "3 msg_3", "caught up"]);
});

test("a tail of records that fails at one reads it again the next time", async () => {
  let isBroken = true;
  using at = tailPlace({
    caughtUp: async () => {
      if (!isBroken) return;
      isBroken = false;
      throw new Error("not caught up");
    },
  });
  at.database.write([userMessage("msg_1", 1)]);
  await at.tail.catchUp();
  expect(at.calls).toEqual(["from", "1 ses_1", "2 msg_1", "failed: not caught up"]);
  await at.tail.catchUp();
  expect(isBroken).toBe(false);
  expect(at.calls).toHaveLength(4);
});

test("a tail of records that is stopped in the middle reads no further, and is not caught up", async () => {
  using at = tailPlace({
    line: async ({ offset }) => {
      at.calls.push(`${offset}`);
      at.tail.stop();
    },
  });
  at.database.write([userMessage("msg_1", 1)]);
  await at.tail.catchUp();
  await at.tail.catchUp();
  expect(at.calls).toEqual(["from", "1"]);
});

test("a tail of records reads nothing of a database that no program has in use", async () => {
  using at = tailPlace();
  at.database.write([userMessage("msg_1", 1)]);
  at.database[Symbol.dispose]();
  await at.tail.catchUp();
  expect(at.calls).toEqual([]);
  expect(at.tail.identity.identify(at.tail.path, 1)).toBeUndefined();
});

test("the identity of a conversation stays while it grows, and is another one when a record is taken back", () => {
  using at = tailPlace();
  at.database.write([userMessage("msg_1", 1), userMessage("msg_2", 2)]);
  const { identity, path } = at.tail;
  const known = identity.identify(path, 3);
  if (!known) throw new Error("It has an identity.");
  at.database.write([userMessage("msg_1", 1), userMessage("msg_2", 2), userMessage("msg_3", 3)]);
  expect(identity.isSame(path, known)).toBe(true);
  at.database.change("DELETE FROM message WHERE id = 'msg_2'");
  expect(identity.isSame(path, known)).toBe(false);
});

test("the stamp of a conversation moves with its database, and says where that is gone", () => {
  using at = tailPlace();
  const before = at.tail.stamp;
  at.database.write([userMessage("msg_1", 1)]);
  expect(at.tail.stamp).not.toBe(before);
  const gone = new RecordTail("/nowhere/opencode.db#ses_1", history, {
    line: async () => {},
    failed: () => {},
  });
  expect(gone.stamp).toBe("none, none");
});
