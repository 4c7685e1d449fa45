import { expect, test } from "vitest";
import { STARTABLE_TYPES } from "../domain/session/agent-type.ts";
import { AGENT_TYPES } from "../domain/session/session.ts";
import { agentContract } from "./agent.contract.ts";
import { findAgent } from "./registry.ts";

const KNOWN = AGENT_TYPES.flatMap((type) => findAgent(type) ?? []);

for (const agent of KNOWN) agentContract(agent);

test("each type has one agent, and any other command is one, too", () => {
  expect(KNOWN.map(({ type }) => type)).toEqual([...STARTABLE_TYPES, "unknown"]);
});
