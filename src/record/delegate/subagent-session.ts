import type { ReportedSubagent } from "../../domain/delegation.ts";
import type { AgentType, SessionRow } from "../../domain/session/session.ts";
import type { Context } from "../context.ts";

/** The session that has the agent's id for the sub-agent, else the one that was named when it was delegated to. */
export async function findSubagentSession(
  context: Context,
  agentId: string | null,
  { agentType, agentName, taskId }: ReportedSubagent,
): Promise<SessionRow | undefined> {
  const own =
    (agentId === null ? undefined : await context.store.findRow(agentId)) ??
    (await findByNativeId(context, agentType, agentId));
  if (own) return own;
  const named = taskId === null ? null : (await context.store.findDelegation(taskId))?.sessionId;
  const row = named ? await context.store.findRow(named) : undefined;
  const isMadeForIt = row && row.origin !== "started" && row.agentName === agentName;
  return isMadeForIt ? row : undefined;
}

export async function findByNativeId(
  context: Context,
  agentType: AgentType,
  nativeId: string | null,
): Promise<SessionRow | undefined> {
  if (nativeId === null) return undefined;
  return (await context.store.list({ agent: agentType, nativeId, limit: 1 })).items[0]?.row;
}
