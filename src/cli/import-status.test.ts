import { expect, test } from "vitest";
import { describeImport } from "./import-status.ts";

const LOOKED = {
  isFollowing: true,
  lastAt: "now",
  found: 1,
  failed: [],
  error: null,
  imported: 0,
  updated: 0,
};
const EVIL = "x\u001b]52;c;bmVzdA==\u0007";
const SAFE = "x\\u001b]52;c;bmVzdA==\\u0007";

test("a path that names escape sequences is written out, and so is an error", () => {
  expect(describeImport({ ...LOOKED, failed: [{ path: EVIL, why: EVIL }] })).toContain(`${SAFE}: ${SAFE}`);
  expect(describeImport({ ...LOOKED, error: EVIL })).toBe(`does not work: ${SAFE}`);
});
