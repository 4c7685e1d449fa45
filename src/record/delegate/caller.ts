import type { DelegatingAgent } from "../../domain/delegation.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { workspaceOf } from "../../machine/workspace.ts";
import type { Context } from "../context.ts";
import { findByNativeId } from "./subagent-session.ts";

/** Tells sessions of the caller's workspace, and those that the calling session is the parent of. */
export async function isNearCaller(
  context: Context,
  caller: DelegatingAgent,
): Promise<(row: SessionRow) => boolean> {
  const parent = await findCaller(context, caller);
  const workspace = workspaceOf(caller.cwd ?? context.cwd);
  return ({ parentId, workspacePath }) =>
    (parent !== undefined && parentId === parent.id) || workspacePath === workspace;
}

/** The session that delegates, if it is on the roll. */
async function findCaller(
  context: Context,
  { agentType, nativeId }: DelegatingAgent,
): Promise<SessionRow | undefined> {
  const own = await findByNativeId(context, agentType, nativeId);
  const around = context.env.ROLLCALL_SESSION_ID;
  return own ?? (around ? context.store.findRow(around) : undefined);
}
