import { expect, test } from "vitest";
import { IMPORTABLE_TYPES, NAMED_TYPES } from "../domain/session/agent-type.ts";
import { AGENT_TYPES } from "../domain/session/session.ts";
import * as adapters from "./adapters.ts";
import { agentContract } from "./agent.contract.ts";
import type { Agent } from "./agent.ts";
import { agentsWithHistory, findAgent } from "./registry.ts";

const KNOWN = AGENT_TYPES.flatMap((type) => findAgent(type) ?? []);

for (const agent of KNOWN) agentContract(agent);

test("each type has one agent, each agent has a type, and any other command is one, too", () => {
  expect(KNOWN.map(({ type }) => type)).toEqual([...NAMED_TYPES, "unknown"]);
  expect(Object.values(adapters).toSorted(byType)).toEqual(KNOWN.toSorted(byType));
});

test("the types that can be imported are those of the agents with a history", () => {
  expect(agentsWithHistory().map(({ type }) => type)).toEqual([...IMPORTABLE_TYPES]);
});

function byType(a: Agent, b: Agent): number {
  return a.type.localeCompare(b.type);
}
