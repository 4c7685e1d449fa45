import { findMode, findModeByName, type Mode } from "../../agents/agent.ts";
import type { Memory } from "../../agents/parsed.ts";
import { findAgent } from "../../agents/registry.ts";
import type { SessionRow } from "../../domain/session/session.ts";

type Launched = Pick<SessionRow, "agentType" | "kind" | "carried">;

/** The mode that a session runs in, or would run in; undefined where this release does not know it. */
export function modeOf({ agentType, kind, carried }: Launched): Mode | undefined {
  const agent = findAgent(agentType);
  if (!agent) return undefined;
  return carried ? findModeByName(agent, carried.launch.mode) : findMode(agent, kind, []);
}

/** Whether a conversation can be continued so; a living agent may have said that it does not offer it. */
export function offers(
  { capabilities, offersFork }: Mode,
  how: "resume" | "fork",
  memory: Memory | undefined,
): boolean {
  if (how === "resume") return capabilities.canResume;
  return capabilities.canFork && (memory === undefined || offersFork?.(memory) !== false);
}

export function canResume(row: Launched): boolean {
  return modeOf(row)?.capabilities.canResume === true;
}
