import type { Evidence } from "./evidence.ts";
import type { Action, Observation, TreeExit } from "./observation.ts";
import type { Ending, LastTurn } from "./outcome.ts";
import type { SessionRow } from "./session.ts";
import { isEnded } from "./state.ts";

/** Someone asked for the end: recorded before anything is signalled. Asking again can only add an outcome. */
export function decideEndAsked(
  row: SessionRow,
  { graceMs, outcome }: Extract<Observation, { saw: "end_asked" }>,
): readonly Action[] {
  if (isEnded(row.state)) return [];
  const known = row.state === "stopping" ? (row.carried?.ending ?? null) : null;
  const endTree: Action = { do: "end_tree", graceMs };
  if (known !== null && (outcome === undefined || isFailure(known))) return [endTree];
  const ending: Ending = {
    ...(known?.how === "asked" ? known : asked(row)),
    ...(outcome === undefined ? {} : { outcome }),
  };
  const endReason = known === null ? undefined : (row.carried?.endReason ?? undefined);
  return [stopping(row, { source: "operator", rule: "end", excerpt: null }, ending, endReason), endTree];
}

function asked(row: SessionRow): Ending {
  return { how: "asked", atPrompt: isAtPrompt(row), lastTurn: row.carried?.lastTurn ?? null };
}

/** It failed before anyone asked: no word makes that an end that was wished for. */
function isFailure(ending: Ending): boolean {
  return ending.how === "left" && !ending.clean;
}

/** The end that someone or a limit asked for and that is not reached yet. */
export function askedEnding({ carried }: SessionRow): Ending | null {
  return carried?.ending?.how === "left" ? null : (carried?.ending ?? null);
}

/** A limit is no one's wish: the outcome is `interrupted`, and the reason is kept. */
export function decideLimit(
  row: SessionRow,
  { limit, graceMs }: Extract<Observation, { saw: "limit_reached" }>,
): readonly Action[] {
  if (isEnded(row.state) || row.state === "stopping" || isLost(row)) return [];
  const evidence: Evidence = { source: "timer", rule: limit, excerpt: null };
  return [stopping(row, evidence, { how: "limit" }, limit), { do: "end_tree", graceMs }];
}

/** The agent is gone, or its whole tree is. */
export function decideExit(
  row: SessionRow,
  { exit, leftovers, tellsTurns }: Extract<Observation, { saw: "exit" }>,
): readonly Action[] {
  const { state } = exit.tree;
  if (leftovers.length > 0 && state !== "kept") return [{ do: "kill", leftovers }];
  if (isEnded(row.state)) return [{ do: "close" }];
  if (state === "empty" || state === "kept") return [...ended(row, exit, tellsTurns), { do: "close" }];
  if (row.state === "stopping") return [];
  const isKnown = exit.reason !== "holder_lost" && exit.agent.at !== null;
  const ending = askedOfHolder(row, exit) ?? left(row, exit, tellsTurns);
  return [stopping(row, exitEvidence(exit), isKnown ? ending : null)];
}

/** Who asks the holder itself, by a signal or its control file, asks for the end as well; nothing could be recorded first. */
function askedOfHolder(row: SessionRow, { reason }: TreeExit): Ending | null {
  return reason === "asked" ? asked(row) : null;
}

function left(row: SessionRow, exit: TreeExit, tellsTurns: boolean): Extract<Ending, { how: "left" }> {
  const known = row.carried?.ending;
  const clean = known?.how === "left" ? known.clean : exit.agent.code === 0 || isCancelled(row, exit);
  return { how: "left", clean, tellsTurns, lastTurn: turnAtExit(row, tellsTurns) };
}

/** One that works alone and was interrupted leaves because its input is closed: its exit code is only an echo of that. */
function isCancelled(row: SessionRow, { agent }: TreeExit): boolean {
  const isInterrupted = row.carried?.lastTurn === "aborted" && isAtPrompt(row);
  return row.kind === "autonomous" && isInterrupted && agent.code !== null;
}

/** A turn that the agent left in the middle of is none that went well. */
function turnAtExit(row: SessionRow, tellsTurns: boolean): LastTurn {
  if (row.carried?.ending?.how === "left") return row.carried.ending.lastTurn;
  const isAsking = row.state === "waiting_input" && row.waiting?.for !== "prompt";
  const isWorking = row.state === "running" && row.stateSource !== "process";
  const isInTurn = tellsTurns && (isWorking || isAsking);
  return isInTurn ? "aborted" : (row.carried?.lastTurn ?? null);
}

/** The holder is gone, and so is everything else. What was written of the agent's exit still tells how it ended. */
export function decideNothingLeft(
  row: SessionRow,
  {
    reason,
    exit,
    tellsTurns,
  }: { readonly reason: LossReason; readonly exit: TreeExit | null; readonly tellsTurns: boolean },
): readonly Action[] {
  const close: Action = { do: "close" };
  if (exit !== null && exit.agent.at !== null) return [...ended(row, exit, tellsTurns), close];
  const ending = askedEnding(row);
  if (ending === null) return [...markLost(row, reason), close];
  const body = {
    kind: "state_changed",
    to: "stopped",
    evidence: { source: "process", rule: "nothing_left", excerpt: "no exit was written" },
    generation: row.generation,
    ending,
    ...(row.carried?.endReason ? { endReason: row.carried.endReason } : {}),
  } as const;
  return [{ do: "append", body }, close];
}

const LOSSES = ["holder_lost", "machine_reboot", "no_process"] as const;
type LossReason = (typeof LOSSES)[number];

/** Known to be lost: only a process that is seen again can bring it back. */
export function isLost({ state, endReason }: SessionRow): boolean {
  return state === "unknown" && (LOSSES as readonly (string | null)[]).includes(endReason);
}

/** Said once; the first reason is kept. */
export function markLost(row: SessionRow, reason: LossReason): readonly Action[] {
  return isLost(row) ? [] : [unknown(row, { source: "process", rule: reason, excerpt: null }, reason)];
}

/** It is there after all, and what it does is not known yet. */
export function markFound(row: SessionRow): readonly Action[] {
  if (!isLost(row)) return [];
  return [unknown(row, { source: "process", rule: "found_again", excerpt: null }, "not_ready")];
}

function unknown({ generation }: SessionRow, evidence: Evidence, endReason: string): Action {
  return { do: "append", body: { kind: "state_changed", to: "unknown", evidence, generation, endReason } };
}

function ended(row: SessionRow, exit: TreeExit, tellsTurns: boolean): readonly Action[] {
  const wished = askedEnding(row) ?? askedOfHolder(row, exit);
  if (exit.reason === "holder_lost" && wished === null) return markLost(row, "holder_lost");
  const endReason = reasonOf(row, exit);
  const own = left(row, exit, tellsTurns);
  const body = {
    kind: "state_changed",
    to: wished !== null || own.clean ? "stopped" : "failed",
    evidence: exitEvidence(exit),
    generation: row.generation,
    ending: wished ?? own,
    killed: exit.tree.killed,
    ...(exit.agent.code === null ? {} : { exitCode: exit.agent.code }),
    ...(exit.agent.signal === null ? {} : { exitSignal: exit.agent.signal }),
    ...(exit.agent.at === null ? {} : { endedAt: exit.agent.at }),
    ...(endReason === undefined ? {} : { endReason }),
  } as const;
  return [{ do: "append", body }];
}

/** The first cause is kept. */
function reasonOf(row: SessionRow, exit: TreeExit): string | undefined {
  return row.carried?.endReason ?? (exit.reason === "exec_failed" ? "exec_failed" : undefined);
}

function stopping(row: SessionRow, evidence: Evidence, ending: Ending | null, endReason?: string): Action {
  return {
    do: "append",
    body: {
      kind: "state_changed",
      to: "stopping",
      evidence,
      generation: row.generation,
      ...(ending === null ? {} : { ending }),
      ...(endReason === undefined ? {} : { endReason }),
    },
  };
}

function exitEvidence({ agent, error, reason, tree }: TreeExit): Evidence {
  const how = agent.signal ?? (agent.code === null ? (error ?? reason) : `exit ${agent.code}`);
  const kept = tree.state === "kept" && tree.remaining.length > 0;
  const excerpt = kept ? `${how}; left running: pids ${tree.remaining.join(", ")}` : how;
  return { source: "process", rule: reason === "asked" ? "ended" : reason, excerpt };
}

function isAtPrompt(row: SessionRow): boolean {
  const before = row.state === "paused" ? row.carried?.pausedFrom : row;
  return before?.state === "waiting_input" && before.waiting?.for === "prompt";
}
