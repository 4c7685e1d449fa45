import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

const KNOWN = ["end", "list", "ls", "start", "status", "top", "up", "idle-timeout", "timeout"];

test.each([
  ["strat", "start"],
  ["sart", "start"],
  ["startt", "start"],
  ["lits", "list"],
  ["lst", "list"],
  ["en", "end"],
  ["time-out", "timeout"],
  ["idle", "idle-timeout"],
  ["top", "top"],
])("%s was most likely meant to be %s", (given, meant) => {
  expect(nearest(given, KNOWN)).toBe(meant);
});

test.each([["stop"], ["bogus"], ["x"], [""], ["e"], [`start${"t".repeat(100_000)}`]])(
  "nothing is near %.20s",
  (given) => {
    expect(nearest(given, KNOWN)).toBeUndefined();
  },
);
