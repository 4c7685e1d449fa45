import type { SessionRow, Waiting } from "../session/session.ts";
import { type Instant, msBetween } from "../time.ts";

/** A wait for a person, from the request to whatever ended it. */
export interface ClosedWait {
  readonly for: Waiting["for"];
  readonly since: Instant;
  readonly ms: number;
}

const FOR_A_PERSON: readonly Waiting["for"][] = ["permission", "question", "trust", "login", "dialog"];

/** The wait for a person that this session is in; a pause does not end it. */
export function openWait({ waiting, carried }: Pick<SessionRow, "waiting" | "carried">): Waiting | null {
  const wait = waiting ?? carried?.pausedFrom?.waiting ?? null;
  return wait !== null && FOR_A_PERSON.includes(wait.for) ? wait : null;
}

/**
 * The wait that is over with a change. Where another request has taken its place, that one counts from its own beginning,
 * so that no time counts twice.
 */
export function closedWait(before: SessionRow, after: SessionRow, at: Instant): ClosedWait | undefined {
  const waited = openWait(before);
  const next = openWait(after);
  if (waited === null || next?.since === waited.since) return undefined;
  const until = next !== null && next.since < at ? next.since : at;
  return { for: waited.for, since: waited.since, ms: Math.max(0, msBetween(waited.since, until)) };
}

/** The row with the wait that ended by this change added to the sum. */
export function addWait(before: SessionRow, after: SessionRow, at: Instant): SessionRow {
  const ms = closedWait(before, after, at)?.ms ?? 0;
  return ms === 0 ? after : { ...after, waitedMs: before.waitedMs + ms };
}
