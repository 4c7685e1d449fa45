import type { SubagentOfRow } from "../../agents/subagents.ts";
import type { Identity, SessionRow } from "../../domain/session/session.ts";
import { shortFacts } from "../../domain/short-value.ts";
import { type Context, nowOf, stamp } from "../../record/context.ts";
import { createSubagent } from "../../record/create.ts";
import { findSubagentSession } from "../../record/delegate/subagent-session.ts";

/**
 * The id of the record of a sub-agent: the one that it has, the one that was named when it was delegated to, or a new
 * one. Undefined where there is to be none: its record was deleted, or its parent's.
 */
export async function recordOfSubagent(
  context: Context,
  parentId: string,
  subagent: SubagentOfRow,
): Promise<string | undefined> {
  const { store } = context;
  const parent = await store.findRow(parentId);
  if (!parent) return undefined;
  const { agentType } = parent;
  const { nativeId } = subagent;
  const { agentName, purpose, callId, beganAt } = shortFacts(subagent);
  const reported = { agentType, agentName: agentName ?? null, taskId: callId ?? null };
  const known = await findSubagentSession(context, nativeId, reported);
  if (known && known.id !== parentId) return adopt(context, known, { nativeId, parentId });
  if (await store.isTombstone({ agentType, nativeId })) return undefined;
  return createSubagent(context, parent, {
    nativeId,
    ...(agentName === undefined ? {} : { agentName }),
    ...(purpose === undefined ? {} : { purpose }),
    ...(beganAt === undefined || beganAt > nowOf(context) ? {} : { createdAt: beganAt }),
    evidence: { source: "transcript", rule: "subagent_found", excerpt: null },
  });
}

/** A record that an orchestrator made for it becomes its own. */
async function adopt(
  context: Context,
  { id }: SessionRow,
  { nativeId, parentId }: { readonly nativeId: string; readonly parentId: string },
): Promise<string> {
  await context.store.change(id, (row) => {
    if (!row) return [];
    const identity: Partial<Identity> = {
      ...(row.nativeId === nativeId ? {} : { nativeId }),
      ...(row.parentId === null ? { parentId } : {}),
    };
    const isKnown = Object.keys(identity).length === 0;
    return isKnown ? [] : [{ ...stamp(context, { kind: "identified", identity }), channel: null }];
  });
  return id;
}
