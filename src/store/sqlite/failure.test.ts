import { expect, test } from "vitest";
import { RollcallError } from "../../domain/errors.ts";
import { translate } from "./failure.ts";

test.each([
  ["SQLITE_IOERR_FSYNC", "store_failed"],
  ["SQLITE_IOERR_SHORT_READ", "store_failed"],
  ["EIO", "store_failed"],
  ["SQLITE_FULL", "store_full"],
  ["ENOSPC", "store_full"],
  ["SQLITE_SOMETHING_NEW", "store_failed"],
])("%s of the engine or the file system is %s, in one sentence with what to do", (code, ours) => {
  const raw = Object.assign(new Error("disk I/O error"), { code });
  const failure = translate(raw, "/nowhere/rollcall.db") as RollcallError;
  expect(failure).toBeInstanceOf(RollcallError);
  expect([failure.code, failure.cause]).toEqual([ours, raw]);
  expect(`${failure.message} ${failure.hint}`).toMatch(/^[^\n]+rollcall\.db[^\n]*\. [^\n]+\.$/);
});
