import type { Agent, Mode } from "../../agents/agent.ts";
import type { Redactor } from "../../domain/redact/redact.ts";
import type { Launch } from "../../domain/session/carried.ts";
import type { Kind } from "../../domain/session/session.ts";
import type { AgentPaths } from "../sources/agent-paths.ts";

/** One launch of a session, as it was planned: nothing of it changes while it is carried. */
export interface Carrying {
  readonly id: string;
  readonly generation: number;
  readonly kind: Kind;
  readonly launch: Launch;
  readonly agent: Agent;
  readonly mode: Mode;
  readonly agentPaths: AgentPaths;
  readonly redactor: Redactor;
}
