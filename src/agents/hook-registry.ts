import type { AgentType } from "../domain/session/session.ts";
import type { AgentHooks } from "./hooks.ts";

/**
 * The hooks of each agent that has some, apart from its adapter: an agent waits for each hook that it calls, so that
 * `rollcall hook` loads the hooks of the calling agent and nothing else of any agent.
 */
const LOADERS: Readonly<Partial<Record<AgentType, () => Promise<AgentHooks>>>> = {
  claude: async () => (await import("./claude/hooks/hooks.ts")).hooks,
};

export const HOOKED_TYPES: readonly string[] = Object.keys(LOADERS);

/** Undefined for an agent without hooks of ours, and for a text that is no agent type. */
export async function loadHooks(type: string): Promise<AgentHooks | undefined> {
  return Object.hasOwn(LOADERS, type) ? LOADERS[type as AgentType]?.() : undefined;
}
