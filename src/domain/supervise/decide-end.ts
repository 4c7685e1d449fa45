import type { EventBody, Exit } from "../session/event.ts";
import type { Evidence } from "../session/evidence.ts";
import { type Ending, endOf, type LastTurn } from "../session/outcome.ts";
import type { ProcessIdentity, SessionRow } from "../session/session.ts";
import { isEnded, LOSSES, type LossReason } from "../session/state.ts";
import { isGoalDone, isOpen } from "../session/turn.ts";
import type { Action, Observation, TreeExit } from "./observation.ts";

/** Someone asked for the end: recorded before anything is signalled. Asking again can only add an outcome. */
export function decideEndAsked(
  row: SessionRow,
  { graceMs, outcome }: Extract<Observation, { saw: "end_asked" }>,
): readonly Action[] {
  if (isEnded(row.state)) return [];
  const isUnproven = row.state === "unknown" && row.endReason === NOT_PROVEN;
  const known = row.state === "stopping" || isUnproven ? (row.carried?.ending ?? null) : null;
  const endTree: Action = { do: "end_tree", graceMs };
  const addsNothing = outcome === undefined || (known !== null && isFailure(known));
  if (known !== null && !isUnproven && addsNothing) return [endTree];
  const begun = known !== null && (addsNothing || known.how === "asked") ? known : newAskedEnding(row);
  const ending = begun.how === "asked" ? { ...begun, outcome: outcome ?? begun.outcome } : begun;
  const endReason = known === null ? null : (row.carried?.endReason ?? null);
  return [beginEnd(row, { source: "operator", rule: "end", excerpt: null }, ending, endReason), endTree];
}

function newAskedEnding(row: SessionRow): Ending {
  const lastTurn = row.carried?.lastTurn ?? null;
  return { how: "asked", atPrompt: isAtPrompt(row), lastTurn, outcome: null };
}

/** It failed before anyone asked: no word makes that an end that was wished for. */
function isFailure(ending: Ending): boolean {
  return ending.how === "left" && !ending.clean;
}

/** The end that someone or a limit asked for and that is not reached yet. */
export function askedEnding({ carried }: SessionRow): Ending | null {
  return carried?.ending?.how === "left" ? null : (carried?.ending ?? null);
}

/** The agent is gone, or its whole tree is. */
export function decideExit(
  row: SessionRow,
  { exit, leftovers, tellsTurns }: Extract<Observation, { saw: "exit" }>,
): readonly Action[] {
  const { state } = exit.tree;
  if (leftovers.length > 0 && state !== "kept") return [{ do: "kill", leftovers }];
  if (isEnded(row.state)) return [{ do: "close" }];
  if (state === "empty" || state === "kept") return [...endActions(row, exit, tellsTurns), { do: "close" }];
  if (row.state === "stopping") return [];
  const isKnown = exit.reason !== "holder_lost" && exit.agent.at !== null;
  const ending = askedOfHolder(row, exit) ?? leftEnding(row, exit, tellsTurns);
  return [beginEnd(row, exitEvidence(exit), isKnown ? ending : null)];
}

/** A request to the holder itself, by a signal or its control file, is a request for the end as well; nothing could be recorded first. */
function askedOfHolder(row: SessionRow, { reason }: TreeExit): Ending | null {
  return reason === "asked" ? newAskedEnding(row) : null;
}

function leftEnding(row: SessionRow, exit: TreeExit, tellsTurns: boolean): Extract<Ending, { how: "left" }> {
  const known = row.carried?.ending;
  const clean = known?.how === "left" ? known.clean : exit.agent.code === 0 || isCancelled(row, exit);
  return { how: "left", clean, tellsTurns, lastTurn: turnAtExit(row, tellsTurns) };
}

/** One that works alone and was interrupted leaves because its input is closed: its exit code is only an echo of that. */
function isCancelled(row: SessionRow, { agent }: TreeExit): boolean {
  return isGoalDone(row) && row.carried?.lastTurn === "aborted" && agent.code !== null;
}

/** A turn that the agent left in the middle of is none that went well. */
function turnAtExit(row: SessionRow, tellsTurns: boolean): LastTurn {
  if (row.carried?.ending?.how === "left") return row.carried.ending.lastTurn;
  // A command such as `/exit` is what makes it leave: the turn before it counts.
  const isInTurn = tellsTurns && isOpen(row.turn) && !row.turn.isCommand;
  return isInTurn ? "aborted" : (row.carried?.lastTurn ?? null);
}

/** Decides where nobody is left: neither the holder, nor its guard, nor a process that carries the marker. */
interface Silence {
  readonly reason: LossReason;
  readonly exit: TreeExit | null;
  readonly survivors: readonly ProcessIdentity[];
  readonly wasEmpty: boolean;
  readonly tellsTurns: boolean;
}

/**
 * The written exit of the agent tells how it ended. Only the holder or its guard can prove that its tree is
 * gone, too: without their word an end that someone asked for is not known to be reached.
 */
export function decideNothingLeft(row: SessionRow, silence: Silence): readonly Action[] {
  const { reason, exit, survivors, tellsTurns } = silence;
  const close: Action = { do: "close" };
  const wished = askedEnding(row) ?? (exit?.agent.at ? askedOfHolder(row, exit) : null);
  const isProven = isGoneFor(silence);
  if (exit?.agent.at && (isProven || wished === null)) {
    const evidence = isProven ? exitEvidence(exit) : unprovenEvidence(silence);
    return [...endActions(row, exit, tellsTurns, evidence), close];
  }
  if (wished === null) return [...markLost(row, reason, namesOf(survivors)), close];
  if (!isProven) return [...markLost(row, "not_proven", unprovenEvidence(silence).excerpt), close];
  const evidence = { source: "process", rule: "nothing_left", excerpt: "no exit was written" } as const;
  const endReason = row.carried?.endReason ?? null;
  const body = endedBody(row, { ending: wished, evidence, exit: null, endReason });
  return [{ do: "append", body }, close];
}

/** No process survives a reboot, and none is left of a command that was never run. */
function isGoneFor({ reason, exit, wasEmpty }: Silence): boolean {
  return reason !== "holder_lost" || wasEmpty || exit?.reason === "exec_failed";
}

function unprovenEvidence({ exit, survivors }: Silence): Evidence {
  const how = exit?.agent.at ? exitEvidence(exit).excerpt : null;
  const parts = [how, namesOf(survivors)].filter((part) => part !== null);
  return { source: "process", rule: NOT_PROVEN, excerpt: parts.length === 0 ? null : parts.join("; ") };
}

/** Null where there is none to name. */
export function namesOf(survivors: readonly ProcessIdentity[]): string | null {
  if (survivors.length === 0) return null;
  return `still running: pids ${survivors.map(({ pid }) => pid).join(", ")}`;
}

/** The rule of a loss after which the guard has ended all that was left. */
const GUARD_ENDED = "guard_ended";

function lostButEmpty(row: SessionRow, { tree }: TreeExit): Action {
  const rule = tree.state === "empty" ? GUARD_ENDED : "holder_lost";
  return lossAction(row, { source: "process", rule, excerpt: null }, "holder_lost");
}

/** Whether the tree of this generation was proven to be empty before its files were removed. */
export function wasProvenEmpty(bodies: readonly EventBody[], generation: number): boolean {
  return bodies.some(
    (body) => body.kind === "lost" && body.generation === generation && body.evidence.rule === GUARD_ENDED,
  );
}

/** The rule of an end that neither the holder nor its guard has proven. */
export const NOT_PROVEN = "not_proven" satisfies LossReason;

/** Known to be lost: only a process that is seen again can bring it back. */
export function isLost({ state, endReason }: SessionRow): boolean {
  return state === "unknown" && (LOSSES as readonly (string | null)[]).includes(endReason);
}

/** Emitted once; the first reason is kept. */
export function markLost(
  row: SessionRow,
  reason: LossReason,
  excerpt: string | null = null,
): readonly Action[] {
  return isLost(row) ? [] : [lossAction(row, { source: "process", rule: reason, excerpt }, reason)];
}

/** It is there after all, and what it does is not known yet. */
export function markFound(row: SessionRow): readonly Action[] {
  if (!isLost(row)) return [];
  const evidence: Evidence = { source: "process", rule: "found_again", excerpt: null };
  const { generation } = row;
  return [{ do: "append", body: { kind: "silent", state: "unknown", evidence, generation } }];
}

function lossAction({ generation }: SessionRow, evidence: Evidence, endReason: LossReason): Action {
  return { do: "append", body: { kind: "lost", state: "unknown", evidence, generation, endReason } };
}

function endActions(
  row: SessionRow,
  exit: TreeExit,
  tellsTurns: boolean,
  evidence = exitEvidence(exit),
): readonly Action[] {
  const wished = askedEnding(row) ?? askedOfHolder(row, exit);
  if (exit.reason === "holder_lost" && wished === null) return isLost(row) ? [] : [lostButEmpty(row, exit)];
  const { code, signal, at } = exit.agent;
  const body = endedBody(row, {
    ending: wished ?? leftEnding(row, exit, tellsTurns),
    evidence,
    exit: { code, signal, at, killed: exit.tree.killed },
    endReason: reasonOf(row, exit),
  });
  return [{ do: "append", body }];
}

interface Ended {
  readonly ending: Ending;
  readonly evidence: Evidence;
  readonly exit: Exit | null;
  readonly endReason: string | null;
}

export function endedBody({ generation }: SessionRow, ended: Ended): EventBody {
  const { ending, evidence, exit, endReason } = ended;
  return { kind: "ended", ...endOf(ending), evidence, generation, how: ending.how, exit, endReason };
}

/** The first cause is kept. */
function reasonOf(row: SessionRow, exit: TreeExit): string | null {
  return row.carried?.endReason ?? (exit.reason === "exec_failed" ? "exec_failed" : null);
}

export function beginEnd(
  { generation }: SessionRow,
  evidence: Evidence,
  ending: Ending | null,
  endReason: string | null = null,
): Action {
  const body = { kind: "end_began", state: "stopping", evidence, generation, ending, endReason } as const;
  return { do: "append", body };
}

function exitEvidence({ agent, error, reason, tree }: TreeExit): Evidence {
  const how = agent.signal ?? (agent.code === null ? (error ?? reason) : `exit ${agent.code}`);
  const kept = tree.state === "kept" && tree.remaining.length > 0;
  const excerpt = kept ? `${how}; left running: pids ${tree.remaining.join(", ")}` : how;
  return { source: "process", rule: reason === "asked" ? "ended" : reason, excerpt };
}

function isAtPrompt(row: SessionRow): boolean {
  const before = row.state === "paused" ? row.carried?.pausedFrom : row;
  if (before?.state === "running") return isGoalDone(row);
  return before?.state === "waiting_input" && before.waiting?.for === "prompt";
}
