import type { SessionRow } from "../session/session.ts";
import { isEnded } from "../session/state.ts";
import {
  askedEnding,
  decideExit,
  decideNothingLeft,
  isLost,
  markFound,
  markLost,
  namesOf,
} from "./decide-end.ts";
import type { Action, Observation, Traces } from "./observation.ts";

/** A session that is being started may have no process yet. */
const YOUNG_MS = 10_000;
/** The guard ends what a lost holder left, and writes it down. */
const GUARD_MS = 200;
/** The grace that was asked for is not kept: a holder that is ending already uses the shorter one. */
const GRACE_MS = 10_000;

/**
 * Decides about a session that a daemon finds: the real end, a living holder to follow, leftovers to end, or
 * the admission that it cannot be known. Never a guess.
 */
export function decideTraces(
  row: SessionRow,
  { traces, tellsTurns }: Extract<Observation, { saw: "traces" }>,
): readonly Action[] {
  const { exit, leftovers, survivors, wasEmpty } = traces;
  if (isEnded(row.state)) return traces.isHolderAlive ? [{ do: "adopt" }] : [{ do: "close" }];
  if (exit?.tree.state === "empty" || exit?.tree.state === "kept")
    return decideExit(row, { saw: "exit", exit, leftovers, tellsTurns });
  if (traces.isHolderAlive) return [...markFound(row), { do: "adopt" }, ...repeatAct(row)];
  if (isOtherBoot(row, traces))
    return decideNothingLeft(row, { reason: "machine_reboot", exit, survivors: [], wasEmpty, tellsTurns });
  if (traces.isGuardAlive) return [{ do: "look_again", afterMs: GUARD_MS }];
  if (isYoung(traces) && (row.process === null || leftovers.length > 0))
    return [{ do: "look_again", afterMs: YOUNG_MS - traces.ageMs }];
  if (leftovers.length > 0) return [...decideUnheld(row, { traces, tellsTurns }), { do: "kill", leftovers }];
  const reason = row.process === null && traces.holderBootId === null ? "no_process" : "holder_lost";
  return decideNothingLeft(row, { reason, exit, survivors, wasEmpty, tellsTurns });
}

/** An act that was recorded, and then perhaps not done. Each is harmless if it was. */
export function repeatAct(row: SessionRow): readonly Action[] {
  if (row.state === "stopping") return askedEnding(row) ? [{ do: "end_tree", graceMs: GRACE_MS }] : [];
  if (row.state === "paused") return [{ do: "pause_tree" }];
  // The operator's last word was to go on, and the agent has said nothing since; or a pause was lost with all else.
  return row.stateSource === "operator" || isLost(row) ? [{ do: "continue_tree" }] : [];
}

/** Processes are left that nobody holds: known to have ended where the agent's exit was written, lost otherwise. */
function decideUnheld(
  row: SessionRow,
  { traces: { exit, survivors }, tellsTurns }: { readonly traces: Traces; readonly tellsTurns: boolean },
): readonly Action[] {
  if (exit !== null) return decideExit(row, { saw: "exit", exit, leftovers: [], tellsTurns });
  return row.state === "stopping" ? [] : markLost(row, "holder_lost", namesOf(survivors));
}

function isOtherBoot(row: SessionRow, { bootId, holderBootId }: Traces): boolean {
  return (holderBootId ?? row.process?.bootId ?? bootId) !== bootId;
}

/** No holder has written anything yet; what carries the marker may be a holder on its way. */
function isYoung({ holderBootId, ageMs }: Traces): boolean {
  return holderBootId === null && ageMs >= 0 && ageMs < YOUNG_MS;
}
