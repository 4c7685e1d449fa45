import { findMode, findModeByName, type Mode } from "../../agents/agent.ts";
import { findAgent } from "../../agents/registry.ts";
import type { SessionRow } from "../../domain/session/session.ts";

type Launched = Pick<SessionRow, "agentType" | "kind" | "carried">;

/** The mode that a session runs in, or would run in; undefined where this release does not know it. */
export function modeOf({ agentType, kind, carried }: Launched): Mode | undefined {
  const agent = findAgent(agentType);
  if (!agent) return undefined;
  return carried ? findModeByName(agent, carried.launch.mode) : findMode(agent, kind, []);
}

export function canResume(row: Launched): boolean {
  return modeOf(row)?.capabilities.canResume === true;
}
