import { apply } from "../domain/session/apply.ts";
import type { EventBody, NewEvent, SessionEvent } from "../domain/session/event.ts";
import type { FinalPhase } from "../domain/session/phase.ts";
import { DEFAULT_IDENTITY, type Identity, type Origin, type SessionRow } from "../domain/session/session.ts";
import type { State } from "../domain/session/state.ts";
import type { Instant } from "../domain/time.ts";
import type { NewEntry } from "../domain/transcript/entry.ts";
import type { UsageEntry } from "../domain/usage.ts";

export const T0: Instant = "2026-01-08T18:05:30.000Z";
export const T1: Instant = "2026-01-08T18:15:30.000Z";
export const T2: Instant = "2026-01-08T18:25:30.000Z";

type Created = Extract<EventBody, { kind: "created" }>;
type StateChanged = Extract<EventBody, { kind: "state_changed" }>;

let events = 0;

export function newEvent(body: EventBody, at: Instant = T0): NewEvent {
  return { id: `event-${++events}`, at, channel: "api", body };
}

export function created(
  given: Partial<Omit<Created, "kind" | "identity">> & { identity?: Partial<Identity> } = {},
): Created {
  return {
    kind: "created",
    origin: "created",
    state: "running",
    evidence: { source: "declared", rule: "create", excerpt: null },
    process: null,
    hasFile: false,
    ...given,
    identity: { ...DEFAULT_IDENTITY, machine: "here", ...given.identity },
  };
}

/** A change of state that was seen, not said. */
export function seen(to: State, given: Partial<Omit<StateChanged, "kind" | "to">> = {}): StateChanged {
  return {
    kind: "state_changed",
    to,
    evidence: { source: "process", rule: "test", excerpt: null },
    ...given,
  };
}

export function said(to: State, given: Partial<Omit<StateChanged, "kind" | "to">> = {}): StateChanged {
  return seen(to, { evidence: { source: "declared", rule: "status", excerpt: null }, ...given });
}

export function finalized(phase: FinalPhase): EventBody {
  return { kind: "finalized", phase, summary: null, inHistory: false };
}

export function entryAdded(text: string, given: Partial<NewEntry> = {}): EventBody {
  return { kind: "entry_added", entry: { role: "assistant", kind: "text", text, tool: null, ...given } };
}

/** Events of one session in their places, a minute apart unless they say when. */
export function place(bodies: readonly EventBody[], sessionId = "s"): SessionEvent[] {
  return bodies.map((body, index) => ({
    ...newEvent(body, new Date(Date.parse(T0) + index * 60_000).toISOString()),
    sessionId,
    seq: index + 1,
  }));
}

export function replay(events: readonly SessionEvent[]): SessionRow | undefined {
  return events.reduce<SessionRow | undefined>(apply, undefined);
}

/** The row after these events, of which the first creates the session. */
export function rowAfter(...bodies: readonly EventBody[]): SessionRow {
  const row = replay(place(bodies));
  if (!row) throw new Error("The first event must create the session.");
  return row;
}

/** The row after one more event. */
export function step(row: SessionRow, body: EventBody, at: Instant = T0): SessionRow {
  return apply(row, { ...newEvent(body, at), sessionId: row.id, seq: row.seq + 1 }) as SessionRow;
}

/** How each state is reached from a new session. */
const WAY: Readonly<Record<State, readonly State[]>> = {
  starting: [],
  running: ["running"],
  waiting_input: ["running", "waiting_input"],
  paused: ["running", "paused"],
  resuming: ["running", "stopped", "resuming"],
  stopping: ["running", "stopping"],
  stopped: ["running", "stopped"],
  failed: ["running", "failed"],
  unknown: ["running", "unknown"],
};

export function bodiesTo(state: State, origin: Origin = "started"): EventBody[] {
  return [created({ origin, state: "starting" }), ...WAY[state].map((to) => seen(to))];
}

export function request(requestKey: string, given: Partial<UsageEntry> = {}): UsageEntry {
  return {
    requestKey,
    at: T0,
    model: "model-a",
    tokensInput: 10,
    tokensOutput: 5,
    tokensCacheRead: 0,
    tokensCacheWrite: 0,
    tokensReasoning: null,
    reportedNanoUsd: 1_000_000,
    computedNanoUsd: null,
    ...given,
  };
}
