import type { Instant } from "../time.ts";
import { firstTextAfter } from "./about.ts";
import type { EventBody, StateEvent } from "./event.ts";
import type { Source } from "./evidence.ts";
import type { SessionRow } from "./session.ts";
import { isOpen, isUntaken, resultOfOutcome } from "./turn.ts";

type Body<K extends EventBody["kind"]> = Extract<EventBody, { kind: K }>;

/** Sources that are not the agent's own word. */
const OURS: readonly Source[] = ["operator", "timer", "declared", "process"];

/** The agent itself shows that it works, or asks for something. */
export function isShowingWork({ kind, state, evidence }: StateEvent): boolean {
  const isWork = kind === "at_work" || kind === "asked" || (kind === "answered" && state === "running");
  return isWork && !OURS.includes(evidence.source);
}

/** A text that was given and now shows to have been taken. */
export function taken({ turn }: SessionRow): Partial<SessionRow> {
  return isUntaken(turn) ? { turn: { ...turn, state: "running" } } : {};
}

/** The agent says itself that it works: not of a text that was not given yet. */
export function reported({ turn }: SessionRow): Partial<SessionRow> {
  if (!isOpen(turn) || (turn.state === "pending" && turn.givenAt === null)) return {};
  return { turn: { ...turn, state: "running", isReported: true } };
}

/** A number that is known already changes nothing. */
export function beginTurn(row: SessionRow, body: Body<"turn_began">, at: Instant): SessionRow {
  if (body.generation < row.generation || body.number <= (row.turn?.number ?? 0)) return row;
  const turn = {
    number: body.number,
    state: body.by === "text" ? "pending" : "running",
    outcome: null,
    error: null,
    beganAt: at,
    endedAt: null,
    isCommand: body.isCommand ?? false,
    givenAt: null,
    isReported: false,
    sourceBefore: row.stateSource,
  } as const;
  return { ...row, turn, firstText: firstTextAfter(row, body) };
}

/** A repeated end of a turn adds only what was not known of it. */
export function endTurn(row: SessionRow, body: Body<"turn_ended">, at: Instant): SessionRow {
  const { turn } = row;
  if (turn?.number !== body.number) return row;
  const isNew = isOpen(turn);
  const isMore = turn.outcome === null && body.outcome !== null;
  if (!isNew && !isMore && (turn.error !== null || body.error === null)) return row;
  const { outcome, error } = body;
  const ended = { outcome: turn.outcome ?? outcome, error: turn.error ?? error };
  const next: SessionRow = {
    ...row,
    turn: { ...turn, ...ended, state: "done", endedAt: turn.endedAt ?? at },
    turns: row.turns + (isNew ? 1 : 0),
    ...(error === null ? {} : { lastError: { message: error, at } }),
  };
  if (row.carried === null || outcome === null) return next;
  return { ...next, carried: { ...row.carried, lastTurn: resultOfOutcome(outcome) } };
}
