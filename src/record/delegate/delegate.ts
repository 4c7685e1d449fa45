import { RollcallError } from "../../domain/errors.ts";
import type { JsonObject } from "../../domain/json.ts";
import { decideResume, refuse } from "../../domain/session/resume.ts";
import type { SessionRow } from "../../domain/session/session.ts";
import { toInstant } from "../../domain/time.ts";
import type { Entry } from "../../domain/transcript/entry.ts";
import { type Context, nowOf } from "../context.ts";
import type { Rollcall } from "../rollcall.ts";
import { lastTurns } from "./last-turns.ts";

/** What `hook pre-delegate` answers. */
export interface DelegationAdvice {
  readonly shouldResume: boolean;
  readonly reason: string;
  readonly agentId: string | null;
  readonly resumeMetadata: {
    readonly previousPhase: string;
    readonly createdAt: string;
    readonly lastUpdated: string;
    readonly history: SessionRow["history"];
    readonly sessionMetadata: JsonObject;
    readonly context: readonly Entry[];
  } | null;
  readonly originalContext: JsonObject;
  readonly candidates: readonly Candidate[];
}

export interface Candidate {
  readonly agentId: string;
  readonly phase: string;
  readonly purpose: string | null;
  readonly taskId: string | null;
  readonly lastUpdated: string;
}

export interface StopReport {
  readonly finalized: boolean;
  readonly reason: string;
  readonly agentId: string | null;
}

const MOST_CANDIDATES = 20;

/**
 * Whether a delegation should go on with an earlier session. The verdict is read-only; it is counted afterwards.
 * Candidates are of the same agent name and, where the caller knows nothing better, of the same task.
 */
export async function adviseDelegation(
  rollcall: Rollcall,
  given: JsonObject,
  isCandidate: (row: SessionRow) => boolean = (row) => taskOf(row) === textOf(given.task_id),
): Promise<DelegationAdvice> {
  const { context } = rollcall;
  const input = context.redact(given);
  const agentId = textOf(input.agent_id);
  const advice =
    agentId === null
      ? await withoutSession(context, input, isCandidate)
      : await forSession(context, agentId, input);
  await count(context, input, advice);
  return advice;
}

/** Finalises the session of a sub-agent that has stopped; without an `agent_id` there is nothing to do. */
export async function stopSubagent(rollcall: Rollcall, given: JsonObject): Promise<StopReport> {
  const input = rollcall.context.redact(given);
  const agentId = textOf(input.agent_id);
  if (agentId === null) return { finalized: false, reason: "no_agent_id", agentId };
  if (!(await rollcall.find(agentId))) return { finalized: false, reason: "session_not_found", agentId };
  const phase = isClean(input.exit_code) ? "completed" : "failed";
  const summary = textOf(input.summary);
  await rollcall.finalize(agentId, phase, summary === null ? {} : { summary });
  return { finalized: true, reason: phase, agentId };
}

async function forSession(
  context: Context,
  agentId: string,
  originalContext: JsonObject,
): Promise<DelegationAdvice> {
  const row = await findRow(context, agentId);
  const verdict =
    typeof row === "string" ? refuse(row) : decideResume(row, context.resumePolicy, context.now());
  const resumeMetadata = typeof row === "string" ? null : await describe(context, row);
  return {
    shouldResume: verdict.resume,
    reason: verdict.reason,
    agentId,
    resumeMetadata,
    originalContext,
    candidates: [],
  };
}

/** The row, or why there is none to go by. */
async function findRow(context: Context, id: string): Promise<SessionRow | "session_not_found" | "corrupt"> {
  try {
    return (await context.store.find(id))?.row ?? "session_not_found";
  } catch (error) {
    if (error instanceof RollcallError && error.code === "corrupt") return "corrupt";
    throw error;
  }
}

async function describe(context: Context, row: SessionRow): Promise<DelegationAdvice["resumeMetadata"]> {
  return {
    previousPhase: row.phase,
    createdAt: row.createdAt,
    lastUpdated: row.lastActiveAt,
    history: row.history,
    sessionMetadata: row.metadata,
    context: await lastTurns(context.store, row.id, context.config["delegation.context_bytes"]),
  };
}

async function withoutSession(
  context: Context,
  originalContext: JsonObject,
  isCandidate: (row: SessionRow) => boolean,
): Promise<DelegationAdvice> {
  const candidates = await findCandidates(context, textOf(originalContext.agent_name), isCandidate);
  return {
    shouldResume: false,
    reason: "no_existing_session",
    agentId: null,
    resumeMetadata: null,
    originalContext,
    candidates,
  };
}

/** Resumable sessions of the same agent name, the latest first. */
async function findCandidates(
  context: Context,
  agentName: string | null,
  isCandidate: (row: SessionRow) => boolean,
): Promise<Candidate[]> {
  if (agentName === null) return [];
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
  return row.taskId ?? textOf(row.metadata.task_id);
}

/** Counting is for statistics only: an answer never changes because it could not be counted. */
async function count(context: Context, input: JsonObject, advice: DelegationAdvice): Promise<void> {
  try {
    const row = advice.agentId === null ? "session_not_found" : await findRow(context, advice.agentId);
    await context.store.logDelegation({
      at: nowOf(context),
      agentName: textOf(input.agent_name),
      taskId: textOf(input.task_id),
      sessionId: row === "session_not_found" ? null : advice.agentId,
      seq: typeof row === "string" ? null : row.seq,
      resume: advice.shouldResume,
      reason: advice.reason,
    });
  } catch {
    // Deliberately silent: see above.
  }
}

/** Absent or 0 is a clean exit; anything else is not. */
function isClean(exitCode: unknown): boolean {
  return exitCode === undefined || exitCode === null || exitCode === 0 || exitCode === "0";
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
