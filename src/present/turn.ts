import type { SessionRecord } from "../domain/session/session.ts";
import { isOpen, NOT_DELIVERED } from "../domain/session/turn.ts";
import type { Instant } from "../domain/time.ts";

/** The error of the last turn, while nothing has gone on since. */
export function turnError({ turn }: Pick<SessionRecord, "turn">): string | null {
  if (turn?.state !== "done" || turn.outcome !== "failure") return null;
  if (turn.error === NOT_DELIVERED) return "the text was not delivered";
  return turn.error ?? "no reason was given";
}

/** Whether what was last seen of a session belongs to an earlier turn than the one in progress. */
export function isBeforeTurn({ turn }: SessionRecord, at: Instant): boolean {
  return isOpen(turn) && at < turn.beganAt;
}
