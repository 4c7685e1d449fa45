import type { EventBody } from "../session/event.ts";
import type { Evidence } from "../session/evidence.ts";
import type { LastTurn, Outcome } from "../session/outcome.ts";
import type { SessionRow } from "../session/session.ts";
import { isGoalDone, isOpen, isUntaken, NOT_DELIVERED, outcomeOfResult } from "../session/turn.ts";
import type { Action, Observation } from "./observation.ts";

type TextGiven = Extract<Observation, { saw: "text_given" }>;

/** A text begins a turn at the prompt. In mid-turn it waits for the agent to take it up, and the turn is told later. */
export function decideText(row: SessionRow, given: TextGiven): readonly Action[] {
  const { generation } = row;
  const { by, text, isCommand } = given;
  if (row.state !== "running" && row.waiting?.for !== "prompt") return [];
  const input = { kind: "input_given", by, generation, text } as const;
  if (row.carried?.launch.tellsTurns !== true) return [append(input)];
  if (by === "prompt") return [append({ ...input, ...turnOf(row) })];
  if (row.waiting?.for !== "prompt" || given.isBehindQueued)
    return [append({ ...input, ...turnOf(row), isQueued: true })];
  const number = nextNumber(row);
  const evidence: Evidence = { source: "operator", rule: "text_given", excerpt: null };
  return [
    append({ kind: "turn_began", number, generation, by: "text", ...(isCommand ? { isCommand } : {}) }),
    append({ ...input, turn: number }),
    append({ kind: "at_work", state: "running", evidence, generation }),
  ];
}

function turnOf({ turn }: SessionRow): { turn?: number } {
  return isOpen(turn) ? { turn: turn.number } : {};
}

/**
 * The turn of a text that a launch begins with. Empty where the agent tells no turns, or there is no text. `about` is
 * that text in one line, without secrets.
 */
export function firstTurn(
  launch: { readonly hasPrompt: boolean; readonly tellsTurns: boolean },
  { turn, generation }: Pick<SessionRow, "turn" | "generation">,
  about?: string,
): EventBody[] {
  if (!launch.hasPrompt || !launch.tellsTurns) return [];
  const number = (turn?.number ?? 0) + 1;
  return [{ kind: "turn_began", number, generation, by: "text", ...(about ? { about } : {}) }];
}

/** Something else than its state shows that the agent has the text. */
export function decideTaken(row: SessionRow, evidence: Evidence): readonly Action[] {
  if (!isUntaken(row.turn) || row.state !== "running") return [];
  return [append({ kind: "at_work", state: "running", evidence, generation: row.generation })];
}

/** The text may or may not have reached the agent: it is never given twice. */
export function decideNotTaken(
  row: SessionRow,
  { turn, afterMs }: Extract<Observation, { saw: "text_not_taken" }>,
): readonly Action[] {
  if (!isUntaken(row.turn) || row.turn.number !== turn || row.state !== "running") return [];
  const excerpt = `nothing seen of the text in ${afterMs} ms`;
  return [
    append(turnEndEvent(row, "failure", NOT_DELIVERED)),
    ...rest(row, { source: "timer", rule: NOT_DELIVERED, excerpt }),
  ];
}

/** The effect of an agent's own command on the screen is all there will be where the agent said nothing of it. */
export function decideCommandShown(row: SessionRow, turn: number): readonly Action[] {
  const isSilent = row.state === "running" && row.turn?.isReported === false;
  if (!isOpen(row.turn) || row.turn.number !== turn || !row.turn.isCommand || !isSilent) return [];
  return [
    append(turnEndEvent(row, "success", null)),
    ...rest(row, { source: "screen", rule: "command_shown", excerpt: null }),
  ];
}

/** Input that a running session is still owed: its first text, or the end of its input. */
export function owedInput(row: SessionRow, isReadyAtExec: boolean): readonly Action[] {
  const { carried } = row;
  if (carried === null || row.state !== "running") return [];
  const { hasPrompt, closesInput, tellsTurns } = carried.launch;
  if (!tellsTurns && !isReadyAtExec) return [];
  if (hasPrompt && !carried.isPromptGiven) return [{ do: "give_text" }];
  const isDone = tellsTurns ? isGoalDone(row) : closesInput;
  return isDone ? [{ do: "close_input" }] : [];
}

/** The agent rests after a turn: at its prompt, or, where it works on one goal, about to leave. */
export function rest(row: SessionRow, evidence: Evidence): readonly Action[] {
  if (row.kind === "autonomous") return [{ do: "close_input" }];
  const { generation } = row;
  return [append({ kind: "at_prompt", state: "waiting_input", evidence, generation })];
}

/** The end of the open turn. A command of the agent's own that tells nothing of itself went well. */
export function turnOver(row: SessionRow, result: LastTurn, why: string | null): EventBody[] {
  if (!isOpen(row.turn)) return [];
  const outcome = result === null ? (row.turn.isCommand ? "success" : null) : outcomeOfResult(result);
  return [turnEndEvent(row, outcome, outcome === "failure" ? why : null)];
}

function turnEndEvent(row: SessionRow, outcome: Outcome | null, error: string | null): EventBody {
  const { generation, turn } = row;
  return { kind: "turn_ended", number: turn?.number ?? 1, generation, outcome, error };
}

/** A turn that was missed: the agent tells only how it went. */
export function missedTurn(
  row: SessionRow,
  result: Exclude<LastTurn, null>,
  why: string | null,
): EventBody[] {
  if (row.carried?.launch.tellsTurns !== true) return [];
  const outcome = outcomeOfResult(result);
  const number = nextNumber(row);
  const { generation } = row;
  return [
    { kind: "turn_began", number, generation, by: "agent" },
    { kind: "turn_ended", number, generation, outcome, error: outcome === "failure" ? why : null },
  ];
}

/** The agent shows to work, or asks in the middle of its work, without a text of ours. */
export function begunByAgent(row: SessionRow): EventBody[] {
  if (row.carried?.launch.tellsTurns !== true || isOpen(row.turn)) return [];
  return [{ kind: "turn_began", number: nextNumber(row), generation: row.generation, by: "agent" }];
}

/** Ends the open turn with the session: by its outcome, or by nothing where the session was lost. */
export function withTurnEnds(row: SessionRow, actions: readonly Action[]): readonly Action[] {
  const at = actions.findIndex((action) => action.do === "append" && outcomeOfEnd(action.body) !== undefined);
  const action = actions[at];
  if (!isOpen(row.turn) || action?.do !== "append") return actions;
  return actions.toSpliced(at, 0, append(turnEndEvent(row, outcomeOfEnd(action.body) ?? null, null)));
}

/** Undefined where the session goes on. */
function outcomeOfEnd(body: EventBody): Outcome | null | undefined {
  if (body.kind === "lost") return null;
  return body.kind === "ended" ? body.outcome : undefined;
}

function nextNumber({ turn }: SessionRow): number {
  return (turn?.number ?? 0) + 1;
}

export function append(body: EventBody): Action {
  return { do: "append", body };
}
