import type { AgentType } from "../domain/session/session.ts";
import type { Agent } from "./agent.ts";
import { claude } from "./claude/adapter.ts";
import { codex } from "./codex/adapter.ts";
import { command } from "./command/adapter.ts";
import { scripted } from "./scripted/adapter.ts";

const AGENTS: readonly Agent[] = [claude, codex, scripted, command];

export function findAgent(type: AgentType): Agent | undefined {
  return AGENTS.find((agent) => agent.type === type);
}

/** The agents whose sessions are found even if someone started them without Rollcall. */
export function agentsSeenOutside(): readonly Agent[] {
  return AGENTS.filter(({ outside }) => outside !== undefined);
}
