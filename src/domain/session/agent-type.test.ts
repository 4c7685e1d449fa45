import { expect, test } from "vitest";
import { NAMED_TYPES, namedType, UNNAMED_TYPE } from "./agent-type.ts";
import { AGENT_TYPES } from "./session.ts";

test("each agent type names an agent but the one for any other command", () => {
  expect([...NAMED_TYPES, UNNAMED_TYPE]).toEqual([...AGENT_TYPES]);
  expect(AGENT_TYPES.map(namedType)).toEqual([...NAMED_TYPES, null]);
});
