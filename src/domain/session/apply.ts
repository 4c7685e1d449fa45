import { type Instant, later } from "../time.ts";
import type { DeclaredTotals } from "../usage.ts";
import { addEntry, giveInput } from "./apply-input.ts";
import { beginTurn, closedWaitMs, endTurn, isShowingWork, reported, taken } from "./apply-turn.ts";
import { type Carried, carry } from "./carried.ts";
import type { EventBody, SessionEvent } from "./event.ts";
import { outcomeOf } from "./outcome.ts";
import { isFinal, isResumablePhase, OUTCOME_OF_PHASE } from "./phase.ts";
import type { SessionRow } from "./session.ts";
import { canMove, isEnded, isLive } from "./state.ts";
import { isOpen } from "./turn.ts";

type Body<K extends EventBody["kind"]> = Extract<EventBody, { kind: K }>;

/**
 * The session after an event. Total: an event that cannot change anything (late, illegal, or after the end of
 * the work) is kept in the log and leaves the row as it is but for `seq`. Undefined until the session exists.
 */
export function apply(row: SessionRow | undefined, event: SessionEvent): SessionRow | undefined {
  const { body, at, seq } = event;
  if (row === undefined) return begin(event);
  switch (body.kind) {
    case "created":
    case "restored":
    case "usage_changed":
      return { ...row, seq };
    case "updated":
      return touch(update({ ...row, seq }, body, at), at);
    case "finalized":
      return touch(finalize({ ...row, seq }, body, at), at);
    case "state_changed":
      return changeState({ ...row, seq }, body, at);
    case "reconciled":
      return reconcile({ ...row, seq }, body, at);
    case "identified":
      return { ...touch(identify({ ...row, seq }, body), at), ...exactly(body.lastActiveAt) };
    case "totals_declared":
      return touch({ ...row, seq, totals: { ...(row.totals ?? NO_TOTALS), ...body.totals } }, at);
    case "launched":
      return body.generation < row.generation ? { ...row, seq } : { ...row, seq, process: body.process };
    case "input_given":
      return touch(giveInput({ ...row, seq }, body, at), at);
    case "turn_began":
      return touch(beginTurn({ ...row, seq }, body, at), at);
    case "turn_ended":
      return touch(endTurn({ ...row, seq }, body, at), at);
    case "limit_neared":
      return near({ ...row, seq }, body, at);
    case "entry_added":
      return touch(addEntry({ ...row, seq }, body), at);
  }
}

export const NO_TOTALS: DeclaredTotals = {
  turns: null,
  tokensInput: null,
  tokensOutput: null,
  tokensCacheRead: null,
  tokensCacheWrite: null,
  tokensReasoning: null,
  costUsd: null,
};

/** The life of a session to which nothing has happened yet. */
export const NOTHING_HAPPENED = {
  waiting: null,
  turn: null,
  waitedMs: 0,
  phase: "initializing",
  history: [],
  outcome: null,
  endReason: null,
  exitCode: null,
  exitSignal: null,
  summary: null,
  generation: 1,
  endedAt: null,
  finalizedAt: null,
  lastInputAt: null,
  resumeReady: false,
  resumeCount: 0,
  errorCount: 0,
  lastError: null,
  firstText: null,
  turns: 0,
  totals: null,
  carried: null,
} as const satisfies Partial<SessionRow>;

function begin({ sessionId, seq, at, body }: SessionEvent): SessionRow | undefined {
  if (body.kind === "restored") return { ...body.row, id: sessionId, seq };
  if (body.kind !== "created") return undefined;
  const createdAt = body.createdAt ?? at;
  return {
    ...body.identity,
    id: sessionId,
    seq,
    origin: body.origin,
    process: body.process,
    hasFile: body.hasFile,
    state: body.state,
    stateSince: createdAt,
    stateSource: body.evidence.source,
    ...NOTHING_HAPPENED,
    carried: body.launch === undefined ? null : carry(body.launch),
    createdAt,
    startedAt: isByHand(body) ? createdAt : null,
    lastActiveAt: later(createdAt, at),
  };
}

function update(row: SessionRow, body: Body<"updated">, at: Instant): SessionRow {
  let next = row;
  if (body.metadata !== undefined) next = { ...next, metadata: { ...next.metadata, ...body.metadata } };
  if (body.name !== undefined) next = { ...next, name: body.name };
  if (body.error !== undefined) {
    next = { ...next, errorCount: next.errorCount + 1, lastError: { message: body.error, at } };
  }
  if (isFinal(row.phase)) return next;
  if (body.phase !== undefined) {
    const step = { fromPhase: row.phase, toPhase: body.phase, timestamp: at };
    const resumeReady = isResumablePhase(body.phase);
    next = { ...next, phase: body.phase, history: [...row.history, step], resumeReady };
  }
  if (body.resumeReady !== undefined) next = { ...next, resumeReady: body.resumeReady };
  return isByHand(row) && row.state === "unknown" ? declareRunning(next, at) : next;
}

function declareRunning(row: SessionRow, at: Instant): SessionRow {
  return { ...row, state: "running", stateSince: at, stateSource: "declared", endReason: null };
}

function finalize(row: SessionRow, body: Body<"finalized">, at: Instant): SessionRow {
  if (isFinal(row.phase)) return row;
  const step = { fromPhase: row.phase, toPhase: body.phase, timestamp: at };
  const final: SessionRow = {
    ...row,
    phase: body.phase,
    history: body.inHistory ? [...row.history, step] : row.history,
    finalizedAt: at,
    summary: body.summary ?? row.summary,
    resumeReady: false,
    outcome: OUTCOME_OF_PHASE[body.phase],
  };
  if (row.origin === "started") return final;
  const state = body.phase === "failed" ? "failed" : "stopped";
  const stateSince = state === row.state ? row.stateSince : at;
  return { ...final, state, stateSince, stateSource: "declared", waiting: null, endedAt: row.endedAt ?? at };
}

function changeState(row: SessionRow, body: Body<"state_changed">, at: Instant): SessionRow {
  const { to, evidence } = body;
  const isLate = body.generation !== undefined && body.generation < row.generation;
  const isDeclared = evidence.source === "declared";
  const isSeenAgain = to === row.state && isLive(to);
  if (isLate || isBarred(row, body) || !(isDeclared || isSeenAgain || canMove(row.state, to))) return row;
  const moved: SessionRow = {
    ...row,
    ...(row.carried === null ? {} : { carried: carryOn(row.carried, row, body) }),
    state: to,
    stateSince: to === row.state && to !== "waiting_input" ? row.stateSince : at,
    stateSource: evidence.source,
    waiting: to === "waiting_input" ? (body.waiting ?? null) : null,
    ...(isShowingWork(body) ? reported(row) : {}),
  };
  const waited = { ...moved, waitedMs: row.waitedMs + closedWaitMs(row, moved, at) };
  if (isLive(to)) return touch(startGeneration(waited, row, at), at);
  return touch(leave(waited, body, at), at);
}

/** A command of the agent's own may begin another conversation: it shows that the text was taken. */
function identify(row: SessionRow, { identity }: Body<"identified">): SessionRow {
  const isOther = identity.nativeId !== undefined && identity.nativeId !== row.nativeId;
  return { ...row, ...identity, ...(isOther ? taken(row) : {}) };
}

/** Final is final: no word and no resume brings it back; only a process that we carry may still be seen. */
function isBarred(row: SessionRow, { to, evidence }: Body<"state_changed">): boolean {
  return isFinal(row.phase) && (evidence.source === "declared" || (to === "resuming" && !isLive(row.state)));
}

/** What a carried session has to remember of this change, so that the next one can be decided. */
function carryOn(carried: Carried, row: SessionRow, body: Body<"state_changed">): Carried {
  if (body.to === "resuming" && !isLive(row.state)) return carry(body.launch ?? carried.launch);
  return {
    ...carried,
    pausedFrom: pausedFrom(carried, row, body.to),
    ...ending(body),
  };
}

/** Lasts until the end is reached; what goes on is not being ended. */
function ending({ to, ending, endReason }: Body<"state_changed">): Partial<Carried> {
  if (to === "stopping") return ending ? { ending, endReason: endReason ?? null } : {};
  return isLive(to) ? { ending: null, endReason: null } : {};
}

function pausedFrom(carried: Carried, row: SessionRow, to: SessionRow["state"]): Carried["pausedFrom"] {
  if (to !== "paused") return null;
  return row.state === "paused" ? carried.pausedFrom : { state: row.state, waiting: row.waiting };
}

/** Work goes on after an end: the traces of that end are cleared. */
function startGeneration(moved: SessionRow, before: SessionRow, at: Instant): SessionRow {
  const isResume = moved.state === "resuming" && !isLive(before.state);
  const startedAt = moved.startedAt ?? (moved.state === "starting" ? null : at);
  if (!isResume && !isEnded(before.state)) return { ...moved, startedAt, endReason: null };
  return {
    ...moved,
    startedAt,
    generation: before.generation + 1,
    resumeCount: before.resumeCount + (isResume ? 1 : 0),
    outcome: null,
    endedAt: null,
    endReason: null,
    exitCode: null,
    exitSignal: null,
    ...(before.carried === null ? {} : { process: null }),
  };
}

function leave(moved: SessionRow, body: Body<"state_changed">, at: Instant): SessionRow {
  const wasFinalized = isFinal(moved.phase);
  if (moved.state === "unknown") {
    const nothingKnown = { endedAt: null, exitCode: null, exitSignal: null };
    const outcome = wasFinalized ? moved.outcome : null;
    return { ...moved, ...nothingKnown, outcome, endReason: body.endReason ?? null };
  }
  const outcome = moved.state === "failed" ? "failure" : body.ending ? outcomeOf(body.ending) : null;
  return {
    ...moved,
    outcome: wasFinalized ? moved.outcome : outcome,
    endedAt: moved.endedAt ?? endOf(moved, body, at),
    endReason: body.endReason ?? null,
    exitCode: body.exitCode ?? null,
    exitSignal: body.exitSignal ?? null,
  };
}

/** Believed where the clock was not set in between. */
function endOf({ createdAt }: SessionRow, { endedAt }: Body<"state_changed">, at: Instant): Instant {
  return endedAt !== undefined && endedAt >= createdAt && endedAt <= at ? endedAt : at;
}

function near(row: SessionRow, { limit }: Body<"limit_neared">, at: Instant): SessionRow {
  if (row.carried === null) return row;
  return { ...row, carried: { ...row.carried, neared: { ...row.carried.neared, [limit.kind]: at } } };
}

function reconcile(row: SessionRow, body: Body<"reconciled">, at: Instant): SessionRow {
  if (!isLive(row.state)) return row;
  const stateSource = body.evidence.source;
  return {
    ...row,
    ...(row.carried === null ? {} : { carried: { ...row.carried, pausedFrom: null } }),
    state: "unknown",
    stateSince: at,
    stateSource,
    waiting: null,
    ...(isOpen(row.turn) ? { turn: { ...row.turn, state: "done", endedAt: at } } : {}),
    endReason: body.evidence.rule,
  };
}

function touch(row: SessionRow, at: Instant): SessionRow {
  return { ...row, lastActiveAt: later(row.lastActiveAt, at) };
}

/** A writer that knows the time of the last activity better than we do, also when it is earlier. */
function exactly(lastActiveAt: Instant | undefined): { lastActiveAt?: Instant } {
  return lastActiveAt === undefined ? {} : { lastActiveAt };
}

function isByHand({ origin }: { origin: SessionRow["origin"] }): boolean {
  return origin === "created" || origin === "upserted";
}
