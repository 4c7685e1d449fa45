import { expect, test } from "vitest";
import { IMPORTABLE_TYPES, STARTABLE_TYPES } from "../domain/session/agent-type.ts";
import { AGENT_TYPES } from "../domain/session/session.ts";
import { agentContract } from "./agent.contract.ts";
import { agentsWithHistory, findAgent } from "./registry.ts";

const KNOWN = AGENT_TYPES.flatMap((type) => findAgent(type) ?? []);

for (const agent of KNOWN) agentContract(agent);

test("each type has one agent, and any other command is one, too", () => {
  expect(KNOWN.map(({ type }) => type)).toEqual([...STARTABLE_TYPES, "unknown"]);
});

test("the types that can be imported are those of the agents with a history", () => {
  expect(agentsWithHistory().map(({ type }) => type)).toEqual([...IMPORTABLE_TYPES]);
});
