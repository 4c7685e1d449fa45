import type { SessionEvent } from "../domain/session/event.ts";
import { OUTCOMES } from "../domain/session/outcome.ts";
import { isFinal, OUTCOME_OF_PHASE, PHASES } from "../domain/session/phase.ts";
import type { SessionRow } from "../domain/session/session.ts";
import { isEnded, isLive, STATES } from "../domain/session/state.ts";

/** The rules of the design that a session breaks; empty for a legal one. */
export function illegalities(row: SessionRow): string[] {
  const live = isLive(row.state);
  const final = isFinal(row.phase);
  return broken({
    "the state is one of the list": STATES.includes(row.state),
    "the phase is one of the list": PHASES.includes(row.phase),
    "the outcome is one of the list": row.outcome === null || OUTCOMES.includes(row.outcome),
    "a live session has no outcome unless it was finalised": !live || final || row.outcome === null,
    "the outcome of finalised work is that of its phase":
      !isFinal(row.phase) || row.outcome === OUTCOME_OF_PHASE[row.phase],
    "a failed session without final phase is a failure":
      row.state !== "failed" || final || row.outcome === "failure",
    "an unknown session has no outcome unless it was finalised":
      row.state !== "unknown" || final || row.outcome === null,
    "finalized_at is set exactly when the phase is final": final === (row.finalizedAt !== null),
    "a final phase is never ready to resume": !final || !row.resumeReady,
    "ended_at is set exactly when the state is an end": isEnded(row.state) === (row.endedAt !== null),
    "an exit is only known of what has ended":
      isEnded(row.state) || (row.exitCode === null && row.exitSignal === null),
    "a live session has no reason for its end": !live || row.endReason === null,
    "only who waits for input waits for something": row.state === "waiting_input" || row.waiting === null,
    "only what is paused knows what it was paused from":
      row.state === "paused" || (row.carried?.pausedFrom ?? null) === null,
    "only what is being ended knows how it ends":
      !live || row.state === "stopping" || (row.carried?.ending ?? null) === null,
    "the reason of an end comes with how it ends":
      row.carried === null || row.carried.ending !== null || row.carried.endReason === null,
    "the history leads to the phase": leadsToPhase(row),
    "there is a last error when there were errors": row.errorCount === 0 || row.lastError !== null,
    "a turn has ended exactly when it is done": (row.turn?.state === "done") === (row.turn?.endedAt != null),
    "only a turn that is done has an outcome or an error":
      row.turn?.state === "done" ||
      ((row.turn?.outcome ?? null) === null && (row.turn?.error ?? null) === null),
    "nobody has waited for a negative time": row.waitedMs >= 0,
    "every resume raised the generation": row.generation >= 1 + row.resumeCount,
    "counters are whole and not negative": [row.errorCount, row.resumeCount, row.turns, row.seq].every(
      (count) => Number.isSafeInteger(count) && count >= 0,
    ),
    "the row survives being written down":
      JSON.stringify(row) === JSON.stringify(JSON.parse(JSON.stringify(row))),
  });
}

/** The rules that are broken between one event and the next. */
export function illegalStep(before: SessionRow, event: SessionEvent, after: SessionRow): string[] {
  return broken({
    "the seq is that of the event": after.seq === event.seq,
    "a final phase never changes": !isFinal(before.phase) || after.phase === before.phase,
    "errors are never taken back": after.errorCount >= before.errorCount,
    "the generation never falls": after.generation >= before.generation,
    "turns are never taken back": after.turns >= before.turns,
    "the number of the turn never falls": (after.turn?.number ?? 0) >= (before.turn?.number ?? 0),
    "a turn that is done stays done":
      before.turn?.state !== "done" ||
      after.turn?.number !== before.turn.number ||
      after.turn.state === "done",
    "the history only grows": before.history.every((step, index) => after.history[index] === step),
    "a new generation begins only after an end or out of the unknown":
      after.generation === before.generation || (!isLive(before.state) && isLive(after.state)),
    "finalised work is not revived": !(isFinal(before.phase) && isEnded(before.state) && isLive(after.state)),
    "who and when never change":
      after.id === before.id &&
      after.createdAt === before.createdAt &&
      (after.origin === before.origin || isAdopted(before, event, after)),
    "activity goes forward unless a writer knows better":
      after.lastActiveAt >= before.lastActiveAt || event.body.kind === "identified",
    "a session is carried from its beginning or never, unless it was imported and is resumed":
      (before.carried === null) === (after.carried === null) || isAdopted(before, event, after),
    "a carried process is known anew in each generation":
      before.carried === null || after.generation === before.generation || after.process === null,
    "how a launch was made changes only with a new generation":
      after.generation > before.generation || after.carried?.launch === before.carried?.launch,
    "all of a wait for a person that is over is added, and nothing else": isWaitAdded(before, event, after),
    "reconciling is no activity":
      event.body.kind !== "reconciled" || after.lastActiveAt === before.lastActiveAt,
  });
}

function isAdopted(before: SessionRow, { body }: SessionEvent, after: SessionRow): boolean {
  const isOurs = body.kind === "resumed" && body.launch !== null && after.generation > before.generation;
  return isOurs && before.origin === "imported" && after.origin === "started" && after.carried !== null;
}

/** By itself, beside the rule that is under test. */
function isWaitAdded(before: SessionRow, event: SessionEvent, after: SessionRow): boolean {
  const beginning = ({ waiting, carried }: SessionRow) => {
    const wait = waiting ?? carried?.pausedFrom?.waiting;
    const isForPerson = wait && !["prompt", "limit"].includes(wait.for);
    return isForPerson ? Date.parse(wait.since) : undefined;
  };
  const [from, next] = [beginning(before), beginning(after)];
  const until = Math.min(Date.parse(event.at), next ?? Number.POSITIVE_INFINITY);
  const waited = from === undefined || from === next ? 0 : Math.max(0, until - from);
  return after.waitedMs - before.waitedMs === waited;
}

function leadsToPhase({ history, phase }: SessionRow): boolean {
  const isChain = history.every(
    (step, index) =>
      step.fromPhase === (history[index - 1]?.toPhase ?? "initializing") && !isFinal(step.fromPhase),
  );
  // Finalising directly leaves no step behind.
  return isChain && (isFinal(phase) || phase === (history.at(-1)?.toPhase ?? "initializing"));
}

function broken(rules: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(rules)
    .filter(([, holds]) => !holds)
    .map(([rule]) => rule);
}
