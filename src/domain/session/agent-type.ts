import { AGENT_TYPES, type AgentType } from "./session.ts";

/** Any command that is none of the agents, and the program of a record that does not say. */
export const UNNAMED_TYPE = "unknown" satisfies AgentType;

export type NamedType = Exclude<AgentType, typeof UNNAMED_TYPE>;

/** The agents that can be started by name; anything else is started as a command. */
export const NAMED_TYPES: readonly NamedType[] = AGENT_TYPES.filter((type) => type !== UNNAMED_TYPE);

/** Agents that keep no history on disk. The scripted one is Rollcall's own, for the demo and tests. */
const WITHOUT_HISTORY: readonly NamedType[] = ["scripted"];

/** The agents whose histories on disk can be imported. */
export const IMPORTABLE_TYPES: readonly NamedType[] = NAMED_TYPES.filter(
  (type) => !WITHOUT_HISTORY.includes(type),
);

/** The type, if it names an agent. */
export function namedType(type: AgentType): NamedType | null {
  return type === UNNAMED_TYPE ? null : type;
}
