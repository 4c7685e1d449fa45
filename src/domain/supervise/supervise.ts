import type { ProcessIdentity, SessionRow } from "../session/session.ts";
import { isEnded, isLive } from "../session/state.ts";
import type { Instant } from "../time.ts";
import { askedEnding, decideEndAsked, decideExit, endedBody, isLost, markFound } from "./decide-end.ts";
import { decideLimit } from "./decide-limit.ts";
import { decideSignal } from "./decide-signal.ts";
import {
  append,
  decideCommandShown,
  decideNotTaken,
  decideTaken,
  decideText,
  owedInput,
  withTurnEnds,
} from "./decide-turn.ts";
import type { Action, Observation } from "./observation.ts";
import { decideTraces, repeatAct } from "./recover.ts";

/** An observation with what it speaks of and when it was made. */
export interface StampedObservation {
  readonly observation: Observation;
  readonly generation: number;
  readonly at: Instant;
}

/**
 * Decides what follows from an observation of a carried session. Pure, and fed by the durable row alone: a daemon that was
 * killed a moment ago decides the same. Every row and observation has an answer.
 */
export function decide(row: SessionRow, stamped: StampedObservation): readonly Action[] {
  if (row.carried === null || stamped.generation !== row.generation) return [];
  return withTurnEnds(row, decideAlone(row, stamped));
}

function decideAlone(row: SessionRow, { observation, at }: StampedObservation): readonly Action[] {
  switch (observation.saw) {
    case "launched":
      return decideLaunched(row, observation);
    case "launch_failed":
      return decideLaunchFailed(row, observation);
    case "signal":
      return decideSignal(row, observation, at);
    case "exit":
      return decideExit(row, observation);
    case "holder_gone":
      return isEnded(row.state) ? [] : [{ do: "look_for_traces" }];
    case "adopted":
      return decideAdopted(row, observation.graceMs);
    case "traces":
      return decideTraces(row, observation);
    case "end_asked":
      return decideEndAsked(row, observation);
    case "end_recorded":
      return row.state === "stopping" ? [{ do: "end_tree", graceMs: observation.graceMs }] : [];
    case "limit_passed":
      return decideLimit(row, observation, at);
    case "not_ready":
      return decideNotReady(row, observation.afterMs);
    case "text_given":
      return decideText(row, observation);
    case "text_written":
      return owedInput(row, true);
    case "text_taken":
      return decideTaken(row, observation.evidence);
    case "text_not_taken":
      return decideNotTaken(row, observation);
    case "command_shown":
      return decideCommandShown(row, observation.turn);
    case "pause_asked":
      return decidePause(row);
    case "continue_asked":
      return decideContinue(row);
  }
}

/** An act that was asked for while no daemon followed the session, or that the daemon before may not have done. */
function decideAdopted(row: SessionRow, graceMs: number): readonly Action[] {
  if (row.state === "stopping") return [{ do: "end_tree", graceMs }];
  return row.state === "paused" ? [{ do: "pause_tree" }] : [];
}

/** Seen by who launched it, and again by every daemon that adopts it. */
function decideLaunched(
  row: SessionRow,
  { process, isReady }: Extract<Observation, { saw: "launched" }>,
): readonly Action[] {
  if (isEnded(row.state)) return [];
  const { generation } = row;
  const launched = isSame(row.process, process) ? [] : [append({ kind: "launched", process, generation })];
  const isOwed = row.state === "stopping" || row.state === "paused" || isLost(row);
  const runs = decideRuns(row, process, isReady);
  const isBegun = runs.length > 0 && isReady && row.state !== "paused";
  const input = owedInput(isBegun ? { ...row, state: "running" } : row, isReady);
  return [...launched, ...runs, ...input, ...(isOwed ? repeatAct(row) : [])];
}

/** A process that runs is evidence where nothing else was known. */
function decideRuns(row: SessionRow, { pid }: ProcessIdentity, isReady: boolean): readonly Action[] {
  const before = row.state === "paused" ? row.carried?.pausedFrom?.state : row.state;
  const isSilent = before === "starting" || before === "resuming" || before === "unknown";
  if (!isReady || !isSilent) return markFound(row);
  const evidence = { source: "process", rule: "exec_succeeded", excerpt: `pid ${pid}` } as const;
  const runs = append({ kind: "at_work", state: "running", evidence, generation: row.generation });
  return row.state === "paused" ? [runs, pauseAction(row)] : [runs];
}

function isSame(a: ProcessIdentity | null, b: ProcessIdentity): boolean {
  return a?.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId;
}

function decideLaunchFailed(
  row: SessionRow,
  { error, step }: Extract<Observation, { saw: "launch_failed" }>,
): readonly Action[] {
  if (isEnded(row.state)) return [];
  const evidence = { source: "process", rule: "launch_failed", excerpt: `${step}: ${error}` } as const;
  const ending = askedEnding(row) ?? { how: "left", clean: false, tellsTurns: false, lastTurn: null };
  const endReason = row.carried?.endReason ?? "launch_failed";
  return [append(endedBody(row, { ending, evidence, exit: null, endReason })), { do: "close" }];
}

function decideNotReady(row: SessionRow, afterMs: number): readonly Action[] {
  if (row.state !== "starting" && row.state !== "resuming") return [];
  const evidence = { source: "timer", rule: "not_ready", excerpt: `nothing seen in ${afterMs} ms` } as const;
  return [append({ kind: "silent", state: "unknown", evidence, generation: row.generation })];
}

function decidePause(row: SessionRow): readonly Action[] {
  if (!isLive(row.state) || row.state === "stopping" || row.state === "paused") return [];
  return [pauseAction(row), { do: "pause_tree" }];
}

function pauseAction(row: SessionRow): Action {
  const evidence = { source: "operator", rule: "pause", excerpt: null } as const;
  return append({ kind: "paused", state: "paused", evidence, generation: row.generation });
}

function decideContinue(row: SessionRow): readonly Action[] {
  const before = row.carried?.pausedFrom;
  if (row.state !== "paused" || !before) return [];
  const evidence = { source: "operator", rule: "continue", excerpt: null } as const;
  const { state, waiting } = before;
  return [
    append({ kind: "continued", state, evidence, generation: row.generation, waiting }),
    { do: "continue_tree" },
    ...owedInput({ ...row, state }, false),
  ];
}
