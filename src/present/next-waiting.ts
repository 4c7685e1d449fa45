import type { SessionRecord } from "../domain/session/session.ts";
import type { Instant } from "../domain/time.ts";
import { waitingFirst } from "./roll-order.ts";

/** The waits that a person was taken to, by session. */
export type Visits = Readonly<Record<string, Instant>>;

/** The session that waits longest and was not visited since it began to wait; where all were, the first again. */
export function nextWaiting(
  sessions: readonly SessionRecord[],
  visits: Visits,
): { readonly session: SessionRecord; readonly visits: Visits } | undefined {
  const waiting = waitingFirst(sessions);
  const fresh = waiting.find((session) => visits[session.id] !== sinceOf(session));
  const session = fresh ?? waiting[0];
  if (!session) return undefined;
  const known = fresh ? waiting.filter(({ id }) => visits[id] !== undefined) : [];
  const kept = known.map(({ id }) => [id, visits[id] as Instant]);
  return { session, visits: { ...Object.fromEntries(kept), [session.id]: sinceOf(session) } };
}

function sinceOf({ waiting, stateSince }: SessionRecord): Instant {
  return waiting?.since ?? stateSince;
}
