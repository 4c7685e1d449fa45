import { expect, test } from "vitest";
import { shows } from "./same-text.ts";

const LONG = "a text of several words that is far too long for one line of any screen, and is cut";

test.each([
  ["a b", "a\n  b", true],
  ["before a b after", "a b", true],
  ["a", "a b", false],
  [`${LONG.slice(0, 60)}\n…`, LONG, true],
  [`${LONG.slice(0, 60)} …`, `x${LONG}`, false],
  ["a text …", LONG, false],
  ["…", LONG, false],
])("%j shows %j: %s", (shown, given, isShown) => {
  expect(shows(shown, given)).toBe(isShown);
});
