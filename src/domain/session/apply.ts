import { noteTotals } from "../reported-totals.ts";
import { addWait } from "../tally/wait.ts";
import { type Instant, later } from "../time.ts";
import { addSpan } from "../transcript/rewound.ts";
import type { DeclaredTotals } from "../usage.ts";
import { firstTextAfter } from "./about.ts";
import { changeState } from "./apply-state.ts";
import { beginTurn, endTurn, taken } from "./apply-turn.ts";
import { carry } from "./carried.ts";
import type { EventBody, SessionEvent } from "./event.ts";
import { isFinal, isResumablePhase, OUTCOME_OF_PHASE } from "./phase.ts";
import type { SessionRow } from "./session.ts";

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
    case "identified":
      return { ...touch(identify({ ...row, seq }, body), at), ...exactly(body.lastActiveAt) };
    case "totals_declared":
      return touch({ ...row, seq, totals: { ...(row.totals ?? NO_TOTALS), ...body.totals } }, at);
    case "totals_reported":
      return { ...row, seq, reported: noteTotals(row.reported, body, at) };
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
    case "limit_uncounted":
      return noteUncounted({ ...row, seq }, body);
    case "entry_added":
      return touch(addEntry({ ...row, seq }, body), at);
    case "rewound":
      return touch(rewind({ ...row, seq }, body), at);
    case "at_work":
    case "at_prompt":
    case "asked":
    case "answered":
    case "paused":
    case "continued":
    case "resumed":
    case "end_began":
    case "ended":
    case "lost":
    case "silent":
    case "reconciled":
    case "status_declared":
      return changeState({ ...row, seq }, body, at);
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
  reported: null,
  carried: null,
} as const satisfies Partial<SessionRow>;

function begin(event: SessionEvent): SessionRow | undefined {
  const { sessionId, seq, at, body } = event;
  if (body.kind === "restored") return restore(event, body);
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

/** Its events have other places now. */
function restore({ sessionId, seq }: SessionEvent, { row }: Body<"restored">): SessionRow {
  const { rewound: _, ...rest } = row;
  return { ...rest, id: sessionId, seq };
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
  const ended = { state, stateSince, stateSource: "declared", endedAt: row.endedAt ?? at } as const;
  return addWait(row, { ...final, ...ended, waiting: null }, at);
}

/** A command of the agent's own may begin another conversation: it shows that the text was taken. */
function identify(row: SessionRow, { identity }: Body<"identified">): SessionRow {
  const isOther = identity.nativeId !== undefined && identity.nativeId !== row.nativeId;
  return { ...row, ...identity, ...(isOther ? taken(row) : {}) };
}

function near(row: SessionRow, { limit }: Body<"limit_neared">, at: Instant): SessionRow {
  if (row.carried === null) return row;
  return { ...row, carried: { ...row.carried, neared: { ...row.carried.neared, [limit.kind]: at } } };
}

function noteUncounted(row: SessionRow, { model }: Body<"limit_uncounted">): SessionRow {
  if (row.carried === null) return row;
  const uncounted = [...(row.carried.uncounted ?? []), model ?? ""];
  return { ...row, carried: { ...row.carried, uncounted } };
}

function addEntry(row: SessionRow, body: Body<"entry_added">): SessionRow {
  const isText = isUserText(body);
  // A session that Rollcall carries tells its turns, or has none, as a plain command.
  const isCounted = isText && row.carried === null && !isFoundOnDisk(row);
  const turns = row.turns + (isCounted ? 1 : 0);
  const next = { ...row, turns, firstText: firstTextAfter(row, body), ...(isText ? taken(row) : {}) };
  if (!body.consumed || row.carried === null) return next;
  const { stream, offset } = body.consumed;
  return { ...next, carried: { ...row.carried, consumed: { ...row.carried.consumed, [stream]: offset } } };
}

function rewind(row: SessionRow, { fromSeq }: Body<"rewound">): SessionRow {
  if (fromSeq === undefined || fromSeq > row.seq) return row;
  return { ...row, rewound: addSpan(row.rewound ?? [], { from: fromSeq, to: row.seq }) };
}

function giveInput(row: SessionRow, body: Body<"input_given">, at: Instant): SessionRow {
  if (body.generation < row.generation) return row;
  const isPromptGiven = body.by === "prompt";
  const { turn } = row;
  return {
    ...row,
    ...(turn !== null && turn.number === body.turn && body.isQueued !== true
      ? { turn: { ...turn, givenAt: at } }
      : {}),
    firstText: firstTextAfter(row, body),
    lastInputAt: later(row.lastInputAt ?? at, at),
    ...(row.carried !== null && isPromptGiven ? { carried: { ...row.carried, isPromptGiven } } : {}),
  };
}

function isUserText(body: Body<"entry_added">): boolean {
  return body.entry.role === "user" && body.entry.kind === "text";
}

function touch(row: SessionRow, at: Instant): SessionRow {
  return { ...row, lastActiveAt: later(row.lastActiveAt, at) };
}

/** A writer that knows the time of the last activity better than we do, also when it is earlier. */
function exactly(lastActiveAt: Instant | undefined): { lastActiveAt?: Instant } {
  return lastActiveAt === undefined ? {} : { lastActiveAt };
}

/** Its transcript tells the turns. */
function isFoundOnDisk({ origin }: SessionRow): boolean {
  return origin === "observed" || origin === "imported" || origin === "subagent";
}

function isByHand({ origin }: { origin: SessionRow["origin"] }): boolean {
  return origin === "created" || origin === "upserted";
}
