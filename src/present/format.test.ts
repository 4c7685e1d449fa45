import { expect, test } from "vitest";
import type { SessionRecord } from "../domain/session/session.ts";
import { agentOf } from "./format.ts";

test.each([
  [null, "claude", "claude"],
  ["reviewer", "claude", "reviewer (claude)"],
  [null, "unknown", "—"],
  ["reviewer", "unknown", "reviewer"],
] as const)("a session of agent %s and type %s is shown as one of %s", (agentName, agentType, shown) => {
  expect(agentOf({ agentName, agentType } as SessionRecord)).toBe(shown);
});
