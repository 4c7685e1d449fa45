import type { AgentType } from "./session.ts";

/** The agents that can be started by name; anything else is started as a command. */
export const STARTABLE_TYPES = ["claude", "codex", "scripted"] as const satisfies readonly AgentType[];
