import type { AgentType } from "../domain/session/session.ts";
import type { Agent } from "./agent.ts";
import { claude } from "./claude/adapter.ts";
import { codex } from "./codex/adapter.ts";
import { command } from "./command/adapter.ts";
import { gemini } from "./gemini/adapter.ts";
import { opencode } from "./opencode/adapter.ts";
import { scripted } from "./scripted/adapter.ts";

const AGENTS: readonly Agent[] = [claude, codex, gemini, opencode, scripted, command];

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
