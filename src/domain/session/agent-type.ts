import { AGENT_TYPES, type AgentType } from "./session.ts";

/** Any command that is none of the agents, and the program of a record that does not say. */
export const UNNAMED_TYPE = "unknown" satisfies AgentType;

export type NamedType = Exclude<AgentType, typeof UNNAMED_TYPE>;

/** The agents that can be started by name; anything else is started as a command. */
export const STARTABLE_TYPES = [
  "claude",
  "codex",
  "gemini",
  "opencode",
  "scripted",
] as const satisfies readonly NamedType[];

/** The agents whose histories on disk can be imported. */
export const IMPORTABLE_TYPES = [
  "claude",
  "codex",
  "gemini",
  "opencode",
] as const satisfies readonly NamedType[];

export const NAMED_TYPES: readonly NamedType[] = AGENT_TYPES.filter((type) => type !== UNNAMED_TYPE);

/** The type, if it names an agent. */
export function namedType(type: AgentType): NamedType | null {
  return type === UNNAMED_TYPE ? null : type;
}
