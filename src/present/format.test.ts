import { expect, test } from "vitest";
import type { SessionRecord } from "../domain/session/session.ts";
import { agentOf, percentOf, shortBytes } from "./format.ts";

test.each([
  [null, "claude", "claude"],
  ["reviewer", "claude", "reviewer (claude)"],
  [null, "unknown", "—"],
  ["reviewer", "unknown", "reviewer"],
] as const)("a session of agent %s and type %s is shown as one of %s", (agentName, agentType, shown) => {
  expect(agentOf({ agentName, agentType } as SessionRecord)).toBe(shown);
});

test.each([
  [0, "0k"],
  [53_400_000, "53M"],
  [999_400_000, "999M"],
  [999_600_000, "1.0G"],
])("%d bytes are %s in a column", (value, shown) => {
  expect(shortBytes(value)).toBe(shown);
});

test.each([
  [null, "—"],
  [0.04, "0.0%"],
  [9.94, "9.9%"],
  [45.2, "45%"],
  [250, "250%"],
])("%s percent of a processor are shown as %s", (percent, shown) => {
  expect(percentOf(percent)).toBe(shown);
});
