import type { AgentType } from "../domain/session/session.ts";
import * as adapters from "./adapters.ts";
import type { Agent } from "./agent.ts";

const AGENTS: readonly Agent[] = Object.values(adapters);

export function findAgent(type: AgentType): Agent | undefined {
  return AGENTS.find((agent) => agent.type === type);
}

/** The agents whose sessions are found even if someone started them without Rollcall. */
export function agentsSeenOutside(): readonly Agent[] {
  return AGENTS.filter(({ outside }) => outside !== undefined);
}

/** The agents with a history on disk that can be imported. */
export function agentsWithHistory(): readonly Agent[] {
  return AGENTS.filter(({ history }) => history !== undefined);
}
