import type { EventBody } from "../session/event.ts";
import type { Evidence } from "../session/evidence.ts";
import type { SessionRow } from "../session/session.ts";
import { isLive } from "../session/state.ts";
import type { Instant } from "../time.ts";
import { decideSignal } from "./decide-signal.ts";
import { turnOver } from "./decide-turn.ts";
import type { Signal, TrustOrder } from "./signal.ts";

/** An observation of a session that someone started without Rollcall. */
export type OutsideObservation =
  | { readonly saw: "signal"; readonly signal: Signal; readonly trust: TrustOrder }
  /** It has been silent for a while, and its transcript does not say that the open turn is over. */
  | { readonly saw: "silence" }
  /** Its process is gone. `isTold`: by its own word, and not only because it cannot be found. */
  | { readonly saw: "gone"; readonly isTold: boolean };

/** Decides what an observation changes. Such a session is only observed: nothing follows but the record. */
export function decideOutside(row: SessionRow, observation: OutsideObservation, at: Instant): EventBody[] {
  if (observation.saw === "silence") return row.waiting?.for === "prompt" ? turnOver(row, null, null) : [];
  if (observation.saw === "gone")
    return [...turnOver(row, null, null), ...(isLive(row.state) ? [goneEvent(row, observation.isTold)] : [])];
  if (isLive(row.state)) return signalEvents(row, observation, at);
  if (isJustFound(row)) return signalEvents({ ...row, state: "starting" }, observation, at);
  const { source, rule } = observation.signal;
  const evidence: Evidence = { source, rule, excerpt: "seen again" };
  const generation = row.generation + 1;
  const back: EventBody = { kind: "resumed", state: "resuming", evidence, generation, launch: null };
  const begun: SessionRow = { ...row, state: "resuming", generation, waiting: null };
  return [back, ...signalEvents(begun, observation, at)];
}

/** Its record was made when its file was found, and it has shown nothing yet: that is no end to come back from. */
function isJustFound({ state, stateSource }: SessionRow): boolean {
  return state === "unknown" && stateSource === "file";
}

/** Its turns are those of its transcript: signals tell only what it does now. */
function signalEvents(
  row: SessionRow,
  observation: Extract<OutsideObservation, { saw: "signal" }>,
  at: Instant,
): EventBody[] {
  const actions = decideSignal({ ...row, turn: null }, observation, at);
  return actions.flatMap((action) => (action.do === "append" ? [action.body] : []));
}

/** How it ended is nobody's to know: its exit was seen by who started it. */
function goneEvent({ generation }: SessionRow, isTold: boolean): EventBody {
  const why = (rule: string) =>
    ({ evidence: { source: "process", rule, excerpt: null }, generation }) as const;
  if (!isTold) return { kind: "lost", state: "unknown", ...why("no_process"), endReason: "no_process" };
  const end = { state: "stopped", outcome: null, how: "left", exit: null, endReason: null } as const;
  return { kind: "ended", ...end, ...why("left") };
}
