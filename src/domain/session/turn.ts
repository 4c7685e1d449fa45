import type { Instant } from "../time.ts";
import type { Source } from "./evidence.ts";
import type { LastTurn, Outcome } from "./outcome.ts";
import type { Kind } from "./session.ts";

/** `pending`: its text is recorded and the agent has not shown to have it. `running`: the agent works on it. */
export const TURN_STATES = ["pending", "running", "done"] as const;
export type TurnState = (typeof TURN_STATES)[number];

/** One piece of work of an agent, from a text (or from when it began by itself) until it rests again. */
export interface Turn {
  /** Counted from 1, over all generations of a session. */
  readonly number: number;
  readonly state: TurnState;
  readonly outcome: Outcome | null;
  /** Why it failed, where that is known. */
  readonly error: string | null;
  readonly beganAt: Instant;
  readonly endedAt: Instant | null;
}

/** The newest turn as the row keeps it, with what the next decision needs. */
export interface NewestTurn extends Turn {
  /** An order to the agent's own program, such as `/clear`: it may change nothing that the agent reports. */
  readonly isCommand: boolean;
  /** When its text was recorded as given; null before that, and for a turn that the agent began by itself. */
  readonly givenAt: Instant | null;
  /** Whether the agent has said itself that it works on it. */
  readonly isReported: boolean;
  /** The source of the state before it began: a weaker one is not heard in its place. */
  readonly sourceBefore: Source;
}

/** The error of a turn whose text the agent did not take in time. */
export const NOT_DELIVERED = "not_delivered";

const OUTCOME_OF_RESULT: Readonly<Record<Exclude<LastTurn, null>, Outcome>> = {
  good: "success",
  aborted: "interrupted",
  failed: "failure",
};

export function outcomeOfResult(result: Exclude<LastTurn, null>): Outcome {
  return OUTCOME_OF_RESULT[result];
}

export function resultOfOutcome(outcome: Outcome): Exclude<LastTurn, null> {
  return outcome === "success" ? "good" : outcome === "interrupted" ? "aborted" : "failed";
}

export function isOpen(turn: Turn | null): turn is Turn & { readonly state: "pending" | "running" } {
  return turn !== null && turn.state !== "done";
}

/** A text was given and the agent has not shown to have it. */
export function isUntaken(turn: NewestTurn | null): turn is NewestTurn {
  return turn?.state === "pending" && turn.givenAt !== null;
}

/** An autonomous session works on one goal: when that turn is done, nothing more is said to it. */
export function isGoalDone({ kind, turn }: { readonly kind: Kind; readonly turn: Turn | null }): boolean {
  return kind === "autonomous" && turn?.state === "done";
}

/** As every door shows it. */
export function showTurn(turn: NewestTurn): Turn {
  const { number, state, outcome, error, beganAt, endedAt } = turn;
  return { number, state, outcome, error, beganAt, endedAt };
}
