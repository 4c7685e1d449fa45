import {
  type Candidate,
  type DelegationAdvice,
  type DelegationInput,
  type ResumeMetadata,
  refuseDelegation,
  type StopInput,
  type StopReport,
} from "../../domain/delegation.ts";
import { RollcallError } from "../../domain/errors.ts";
import { nonEmptyText } from "../../domain/json.ts";
import { isFinal } from "../../domain/session/phase.ts";
import { decideResume, refuse } from "../../domain/session/resume.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { toInstant } from "../../domain/time.ts";
import { type Context, nowOf } from "../context.ts";
import type { Rollcall } from "../rollcall.ts";
import { isNearCaller } from "./caller.ts";
import { lastTurns } from "./last-turns.ts";
import { findSubagentSession } from "./subagent-session.ts";

const MOST_CANDIDATES = 20;

/** Whether a delegation should go on with an earlier session. The verdict is read-only; it is counted afterwards. */
export async function adviseDelegation(
  { context }: Rollcall,
  given: DelegationInput,
): Promise<DelegationAdvice> {
  const { agentName, taskId, agentId } = given;
  const input = { ...given, ...context.redact({ agentName, taskId, agentId }) };
  const found = input.agentId === null ? "session_not_found" : await findRow(context, input.agentId);
  const advice =
    input.agentId === null
      ? await withoutSession(context, input)
      : await forSession(context, input.agentId, found);
  await count(context, input, found, advice);
  return advice;
}

/**
 * Finalises the session of a sub-agent that has stopped. One that its agent reports by itself may have no session, and
 * stops after each turn: its session stays open while it says of itself that it is to be resumed.
 */
export async function stopSubagent(rollcall: Rollcall, given: StopInput): Promise<StopReport> {
  const { context } = rollcall;
  const { agentId, summary } = context.redact({ agentId: given.agentId, summary: given.summary });
  const leave = (reason: string): StopReport => ({ finalized: false, reason, agentId });
  if (agentId === null && given.subagent === null) return leave("no_agent_id");
  const row = given.subagent
    ? await findSubagentSession(context, given.agentId, given.subagent)
    : await context.store.findRow(agentId as string);
  if (!row) return leave("session_not_found");
  if (given.subagent && isFinal(row.phase)) return leave("finalized");
  if (given.subagent && row.resumeReady) return leave("resume_ready");
  const phase = given.isClean ? "completed" : "failed";
  await rollcall.finalize(row.id, phase, summary === null ? {} : { summary });
  return { finalized: true, reason: phase, agentId };
}

/** The row, or why there is none to go by. */
type Found = SessionRow | "session_not_found" | "corrupt";

async function findRow(context: Context, id: string): Promise<Found> {
  try {
    return (await context.store.findRow(id)) ?? "session_not_found";
  } catch (error) {
    if (error instanceof RollcallError && error.code === "corrupt") return "corrupt";
    throw error;
  }
}

async function forSession(context: Context, agentId: string, found: Found): Promise<DelegationAdvice> {
  if (typeof found === "string") return refuseDelegation(refuse(found).reason, agentId);
  const { resume, reason } = decideResume(found, context.resumePolicy, context.now());
  const resumeMetadata = await describe(context, found);
  return { shouldResume: resume, reason, agentId, resumeMetadata, candidates: [] };
}

async function describe(context: Context, row: SessionRow): Promise<ResumeMetadata> {
  return {
    previousPhase: row.phase,
    createdAt: row.createdAt,
    lastUpdated: row.lastActiveAt,
    history: row.history,
    sessionMetadata: row.metadata,
    context: await lastTurns(context.store, row.id, context.config["delegation.context_bytes"]),
  };
}

async function withoutSession(context: Context, input: DelegationInput): Promise<DelegationAdvice> {
  const candidates = await findCandidates(context, input);
  return { ...refuseDelegation("no_existing_session", null), candidates };
}

/** Resumable sessions of the same agent name, the latest first: near the agent that calls, else of the same task. */
async function findCandidates(
  context: Context,
  { agentName, taskId, caller }: DelegationInput,
): Promise<Candidate[]> {
  if (agentName === null) return [];
  const isCandidate = caller
    ? await isNearCaller(context, caller)
    : (row: SessionRow) => taskOf(row) === taskId;
  const activeSince = toInstant(context.now() - context.resumePolicy.maxIdleMs);
  const { items } = await context.store.list({
    agent: agentName,
    activeSince,
    where: (row) =>
      row.agentName === agentName &&
      isCandidate(row) &&
      decideResume(row, context.resumePolicy, context.now()).resume,
    limit: MOST_CANDIDATES,
  });
  return items.map(({ row }) => ({
    agentId: row.id,
    phase: row.phase,
    purpose: row.purpose,
    taskId: taskOf(row),
    lastUpdated: row.lastActiveAt,
  }));
}

/** Orchestrators keep the task in the record or in its metadata. */
function taskOf(row: SessionRow): string | null {
  return row.taskId ?? nonEmptyText(row.metadata.task_id);
}

/** Counting is for statistics only: an answer never changes because it could not be counted. */
async function count(
  context: Context,
  { agentName, taskId }: DelegationInput,
  found: Found,
  { agentId, shouldResume, reason }: DelegationAdvice,
): Promise<void> {
  try {
    await context.store.logDelegation({
      at: nowOf(context),
      agentName,
      taskId,
      sessionId: found === "session_not_found" ? null : agentId,
      seq: typeof found === "string" ? null : found.seq,
      resume: shouldResume,
      reason,
    });
  } catch {
    // Deliberately silent: see above.
  }
}
