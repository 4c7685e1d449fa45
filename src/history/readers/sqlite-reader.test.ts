import { statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { history } from "../../agents/opencode/history/history.ts";
import { changeOpencode, writeOpencode } from "../../testing/history/opencode/database.ts";
import { userMessage } from "../../testing/history/opencode/used-database.ts";
import { tempFolder } from "../../testing/temp-folder.ts";
import { sqliteReader } from "./sqlite-reader.ts";

const TEXT = "é".repeat(1000);

/** A database with one conversation of two messages, which no program has open. */
function databasePlace() {
  const folder = tempFolder();
  const path = join(folder.path, "opencode.db");
  const messages = [userMessage(TEXT, 1), userMessage("second", 2)];
  writeOpencode(path, [{ id: "ses_1", parentId: null, createdMs: 1, messages }]);
  return {
    path,
    source: `${path}#ses_1`,
    /** When the conversation changed last, by the list of a reader that looks now. */
    changedMs: () => [...sqliteReader(history).find(dirname(path))].map(({ mtimeMs }) => mtimeMs),
    /** Changes it in a way that neither the size of the file nor its time shows. */
    changeUnseen: (changedMs: number) => {
      const { atime, mtime } = statSync(path);
      changeOpencode(path, `UPDATE session SET time_updated = ${changedMs}`);
      utimesSync(path, atime, mtime);
    },
    setAge: (ageMs: number) => {
      const at = new Date(Date.now() - ageMs);
      utimesSync(path, at, at);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test("a database that was written a moment ago is looked into again, for its time may hide a second write", () => {
  using at = databasePlace();
  // A clock that is ahead, so that the moment is not over before the second look.
  at.setAge(-60_000);
  expect(at.changedMs()).toEqual([2]);
  at.changeUnseen(7);
  expect(at.changedMs()).toEqual([7]);
});

test("a database that has rested is opened once, until its time shows that it was written", () => {
  using at = databasePlace();
  at.setAge(60_000);
  expect(at.changedMs()).toEqual([2]);
  at.changeUnseen(7);
  expect(at.changedMs()).toEqual([2]);
  at.setAge(30_000);
  expect(at.changedMs()).toEqual([7]);
});

test("a record of a database counts as many bytes as its text has", async () => {
  using at = databasePlace();
  using source = sqliteReader(history).open(at.source);
  const [first, second] = (await Array.fromAsync(source?.records(1) ?? [])).flat();
  expect(first?.bytes).toBeGreaterThan(Buffer.byteLength(TEXT));
  expect(second?.bytes).toBeLessThan(Buffer.byteLength(TEXT));
  expect(second?.bytes).toBeGreaterThan(0);
});
