import { addWait } from "../tally/wait.ts";
import { type Instant, later } from "../time.ts";
import { isShowingWork, reported } from "./apply-turn.ts";
import { type Carried, carry } from "./carried.ts";
import type { Exit, StateEvent } from "./event.ts";
import { isFinal } from "./phase.ts";
import type { SessionRow, Waiting } from "./session.ts";
import { canMove, isEnded, isLive, NOT_READY } from "./state.ts";
import { isOpen } from "./turn.ts";

type Body<K extends StateEvent["kind"]> = Extract<StateEvent, { kind: K }>;
type Change = Exclude<StateEvent, { kind: "reconciled" }>;

/** The session after an event that leads to a state. An event that is late or not allowed leaves it as it is. */
export function changeState(row: SessionRow, body: StateEvent, at: Instant): SessionRow {
  if (body.kind === "reconciled") return reconcile(row, body, at);
  if (!isTaken(row, body)) return row;
  const { state, evidence } = body;
  const moved: SessionRow = {
    ...row,
    ...(row.carried === null ? adopted(row, body) : { carried: carryOn(row.carried, row, body) }),
    state,
    stateSince: state === row.state && state !== "waiting_input" ? row.stateSince : at,
    stateSource: evidence.source,
    waiting: waitingAfter(body, at),
    ...(isShowingWork(body) ? reported(row) : {}),
  };
  const waited = addWait(row, moved, at);
  const next = isLive(state) ? goOn(waited, row, body, at) : leave(waited, body, at);
  return { ...next, lastActiveAt: later(row.lastActiveAt, at) };
}

/** Final is final: no word and no resume brings it back; only a process that we carry may still be seen. */
function isTaken(row: SessionRow, body: Change): boolean {
  if (body.kind === "status_declared") return !isFinal(row.phase);
  if (body.kind === "resumed")
    return body.generation > row.generation && !isLive(row.state) && !isFinal(row.phase);
  const isSeenAgain = body.state === row.state && isLive(row.state);
  return body.generation >= row.generation && (isSeenAgain || canMove(row.state, body.state));
}

function waitingAfter(body: Change, since: Instant): Waiting | null {
  if (body.kind === "at_prompt") return promptSince(since);
  if (body.kind === "asked") return body.waiting;
  return body.kind === "continued" && body.state === "waiting_input" ? body.waiting : null;
}

function promptSince(since: Instant): Waiting {
  return { for: "prompt", requestId: null, tool: null, input: null, question: null, options: null, since };
}

/** An imported session that we launch is ours from now on. */
function adopted({ origin }: SessionRow, body: Change): Pick<SessionRow, "carried" | "origin"> | undefined {
  if (origin !== "imported" || body.kind !== "resumed" || body.launch === null) return undefined;
  return { carried: carry(body.launch), origin: "started" };
}

/** Keeps what a carried session has to remember of this change, so that the next one can be decided. */
function carryOn(carried: Carried, row: SessionRow, body: Change): Carried {
  if (body.kind === "resumed") return carry(body.launch ?? carried.launch);
  return { ...carried, pausedFrom: pausedFrom(carried, row, body), ...ending(body) };
}

/** Lasts until the end is reached; what goes on is not being ended. */
function ending(body: Change): Partial<Carried> {
  if (body.kind !== "end_began") return isLive(body.state) ? { ending: null, endReason: null } : {};
  return body.ending === null ? {} : { ending: body.ending, endReason: body.endReason };
}

function pausedFrom(carried: Carried, { state, waiting }: SessionRow, body: Change): Carried["pausedFrom"] {
  if (body.kind !== "paused" || !isLive(state)) return null;
  return state === "paused" ? carried.pausedFrom : { state, waiting };
}

/** Work that goes on after an end is a new generation: the traces of that end are cleared. */
function goOn(moved: SessionRow, before: SessionRow, body: Change, at: Instant): SessionRow {
  const isResume = body.kind === "resumed";
  const startedAt = moved.startedAt ?? (moved.state === "starting" ? null : at);
  if (!isResume && !isEnded(before.state)) return { ...moved, startedAt, endReason: null };
  return {
    ...moved,
    startedAt,
    generation: isResume ? body.generation : before.generation + 1,
    resumeCount: before.resumeCount + (isResume ? 1 : 0),
    outcome: null,
    endedAt: null,
    endReason: null,
    exitCode: null,
    exitSignal: null,
    ...(moved.carried === null ? {} : { process: null }),
  };
}

function leave(moved: SessionRow, body: Change, at: Instant): SessionRow {
  const isDeclared = body.kind === "status_declared";
  const outcome = body.kind === "ended" || isDeclared ? body.outcome : null;
  const exit = body.kind === "ended" ? body.exit : null;
  return {
    ...moved,
    outcome: isFinal(moved.phase) ? moved.outcome : outcome,
    endedAt: isEnded(body.state) ? (moved.endedAt ?? endedAt(moved, exit, at)) : null,
    endReason: endReasonOf(body),
    exitCode: exit?.code ?? null,
    exitSignal: exit?.signal ?? null,
  };
}

function endReasonOf(body: Change): string | null {
  if (body.kind === "silent") return NOT_READY;
  return body.kind === "ended" || body.kind === "lost" ? body.endReason : null;
}

/** The time that the holder wrote down is believed where the clock was not set in between. */
function endedAt({ createdAt }: SessionRow, exit: Exit | null, at: Instant): Instant {
  const leftAt = exit?.at ?? null;
  return leftAt !== null && leftAt >= createdAt && leftAt <= at ? leftAt : at;
}

function reconcile(row: SessionRow, { evidence }: Body<"reconciled">, at: Instant): SessionRow {
  if (!isLive(row.state)) return row;
  const lost: SessionRow = {
    ...row,
    ...(row.carried === null ? {} : { carried: { ...row.carried, pausedFrom: null } }),
    state: "unknown",
    stateSince: at,
    stateSource: evidence.source,
    waiting: null,
    ...(isOpen(row.turn) ? { turn: { ...row.turn, state: "done", endedAt: at } } : {}),
    endReason: evidence.rule,
  };
  return addWait(row, lost, at);
}
