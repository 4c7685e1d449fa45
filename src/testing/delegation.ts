import type { DelegationInput, StopInput } from "../domain/delegation.ts";

/** A delegation of an orchestrator that says nothing beside this. */
export function delegation(given: Partial<DelegationInput> = {}): DelegationInput {
  return { agentName: null, taskId: null, agentId: null, caller: null, ...given };
}

/** A sub-agent that stopped well, of an orchestrator that says nothing beside this. */
export function stopped(given: Partial<StopInput> = {}): StopInput {
  return { agentId: null, isClean: true, summary: null, subagent: null, ...given };
}
