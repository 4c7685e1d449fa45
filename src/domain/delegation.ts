import type { JsonObject } from "./json.ts";
import type { AgentType, SessionRow } from "./session/session.ts";
import type { Entry } from "./transcript/entry.ts";

/** A delegation that is about to begin, in whichever form the hook of an orchestrator or an agent told it. */
export interface DelegationInput {
  readonly agentName: string | null;
  readonly taskId: string | null;
  /** The session to go on with, where the caller names one. */
  readonly agentId: string | null;
  /** The agent that delegates, where it calls the hook by itself; null for an orchestrator. */
  readonly caller: DelegatingAgent | null;
}

/** Its task ids are new with each call: earlier sessions of a sub-agent are found by parent or workspace instead. */
export interface DelegatingAgent {
  readonly agentType: AgentType;
  readonly nativeId: string | null;
  readonly cwd: string | null;
}

/** The answer to a delegation: whether it should go on with an earlier session. */
export interface DelegationAdvice {
  readonly shouldResume: boolean;
  readonly reason: string;
  readonly agentId: string | null;
  readonly resumeMetadata: ResumeMetadata | null;
  readonly candidates: readonly Candidate[];
}

export interface ResumeMetadata {
  readonly previousPhase: string;
  readonly createdAt: string;
  readonly lastUpdated: string;
  readonly history: SessionRow["history"];
  readonly sessionMetadata: JsonObject;
  readonly context: readonly Entry[];
}

export interface Candidate {
  readonly agentId: string;
  readonly phase: string;
  readonly purpose: string | null;
  readonly taskId: string | null;
  readonly lastUpdated: string;
}

/** A sub-agent that has stopped. */
export interface StopInput {
  /** The id of its session; of a sub-agent that its agent reports, that agent's own id for it. */
  readonly agentId: string | null;
  readonly isClean: boolean;
  readonly summary: string | null;
  /** Null for an orchestrator. */
  readonly subagent: ReportedSubagent | null;
}

/** A sub-agent that its agent reports by itself, whether or not a session belongs to it. */
export interface ReportedSubagent {
  readonly agentType: AgentType;
  /** Its type, which is the agent name of a session made for it. */
  readonly agentName: string | null;
  /** The task id of the delegation that started it. */
  readonly taskId: string | null;
}

export interface StopReport {
  readonly finalized: boolean;
  readonly reason: string;
  readonly agentId: string | null;
}

/** A no for which nothing of a session could be read. */
export function refuseDelegation(reason: string, agentId: string | null): DelegationAdvice {
  return { shouldResume: false, reason, agentId, resumeMetadata: null, candidates: [] };
}
