import { apply } from "../domain/session/apply.ts";
import type { EventBody, NewEvent, SessionEvent, StateEvent } from "../domain/session/event.ts";
import type { FinalPhase } from "../domain/session/phase.ts";
import {
  DEFAULT_IDENTITY,
  type Identity,
  type Origin,
  type Request,
  type SessionRow,
} from "../domain/session/session.ts";
import { DECLARED_STATUS, type State, type Status } from "../domain/session/state.ts";
import { AT_PROMPT } from "../domain/supervise/signal.ts";
import type { Instant } from "../domain/time.ts";
import type { NewEntry } from "../domain/transcript/entry.ts";
import type { UsageEntry } from "../domain/usage.ts";

export const T0: Instant = "2026-01-08T18:05:30.000Z";
export const T1: Instant = "2026-01-08T18:15:30.000Z";
export const T2: Instant = "2026-01-08T18:25:30.000Z";

type Created = Extract<EventBody, { kind: "created" }>;

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

const evidence = { source: "process", rule: "test", excerpt: null } as const;
/** Late for no session of a test. */
const generation = 9;

export const REQUEST: Request = {
  ...AT_PROMPT,
  for: "permission",
  requestId: "r1",
  tool: "Bash",
  since: T0,
};

const STATE_EVENTS: { readonly [K in StateEvent["kind"]]: Extract<StateEvent, { kind: K }> } = {
  at_work: { kind: "at_work", state: "running", evidence, generation },
  at_prompt: { kind: "at_prompt", state: "waiting_input", evidence, generation },
  asked: { kind: "asked", state: "waiting_input", evidence, generation, waiting: REQUEST },
  answered: { kind: "answered", state: "running", evidence, generation, requestId: "r1" },
  paused: { kind: "paused", state: "paused", evidence, generation },
  continued: { kind: "continued", state: "running", evidence, generation, waiting: null },
  resumed: { kind: "resumed", state: "resuming", evidence, generation: 2, launch: null },
  end_began: { kind: "end_began", state: "stopping", evidence, generation, ending: null, endReason: null },
  ended: {
    kind: "ended",
    ...{ state: "stopped", outcome: null, how: "left", exit: null, endReason: null },
    ...{ evidence, generation },
  },
  lost: { kind: "lost", state: "unknown", evidence, generation, endReason: "holder_lost" },
  silent: { kind: "silent", state: "unknown", evidence, generation },
  reconciled: {
    ...{ kind: "reconciled", state: "unknown" },
    evidence: { source: "process", rule: "no_living_process", excerpt: null },
  },
  status_declared: { ...declared("active") },
};

/** An event that leads to a state, with what a test says of it. */
export function happened<K extends StateEvent["kind"]>(
  kind: K,
  given: Partial<Omit<Extract<StateEvent, { kind: K }>, "kind">> = {},
): Extract<StateEvent, { kind: K }> {
  return { ...STATE_EVENTS[kind], ...given };
}

/** The event that leads to a state as a rule. */
export function seen(state: State): StateEvent {
  switch (state) {
    case "starting":
      return happened("answered", { state });
    case "running":
      return happened("at_work");
    case "waiting_input":
      return happened("at_prompt");
    case "paused":
      return happened("paused");
    case "resuming":
      return happened("resumed");
    case "stopping":
      return happened("end_began");
    case "stopped":
      return happened("ended");
    case "failed":
      return left(1);
    case "unknown":
      return happened("lost");
  }
}

/** It left by itself with this exit code. */
export function left(code: number): StateEvent {
  const end = code === 0 ? ({ state: "stopped", outcome: null } as const) : FAILED;
  return { ...STATE_EVENTS.ended, ...end, exit: { code, signal: null, at: null, killed: 0 } };
}

const FAILED = { state: "failed", outcome: "failure" } as const;

export function declared(status: Status): Extract<StateEvent, { kind: "status_declared" }> {
  const said = { source: "declared", rule: "status", excerpt: status } as const;
  return { kind: "status_declared", ...DECLARED_STATUS[status], evidence: said };
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
    tokensCacheWriteHour: null,
    tokensReasoning: null,
    webSearches: null,
    serviceTier: null,
    speed: null,
    reportedNanoUsd: 1_000_000,
    computedNanoUsd: null,
    pricedBy: null,
    ...given,
  };
}
