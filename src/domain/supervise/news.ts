import type { FeedEvent } from "../session/event.ts";
import type { SessionRecord } from "../session/session.ts";
import { isEnded, type State, type WaitingFor } from "../session/state.ts";

/**
 * Whether an event is worth a person's attention, by the session as it stands now: it began to wait, ended or was lost.
 * A prompt before any turn is none, and neither is that of an autonomous session, which is about to leave.
 */
export function isNews({ body }: FeedEvent, session: SessionRecord): boolean {
  const to = newState(body);
  if (to === undefined || to !== session.state || session.origin !== "started") return false;
  if (to !== "waiting_input") return isEnded(to) || to === "unknown";
  if (session.waiting?.for !== "prompt") return true;
  return session.kind !== "autonomous" && (session.turn !== null || isByPattern(body));
}

/** The state that an event leads to; undefined where it says nothing of it. */
export function newState(body: FeedEvent["body"]): State | undefined {
  return "evidence" in body ? body.state : undefined;
}

/** Says what the session waits for after an event; null where the event does not make it wait. */
export function waitingForAfter(body: FeedEvent["body"]): WaitingFor | null {
  if (body.kind === "at_prompt") return "prompt";
  return body.kind === "asked" || body.kind === "continued" ? (body.waiting?.for ?? null) : null;
}

/** A plain command has no turns, but its user said how to know that it waits. */
function isByPattern(body: FeedEvent["body"]): boolean {
  return "evidence" in body && body.evidence.rule === "wait_pattern";
}
