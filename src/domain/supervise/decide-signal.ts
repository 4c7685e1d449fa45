import type { Json } from "../json.ts";
import type { EventBody } from "../session/event.ts";
import type { Source } from "../session/evidence.ts";
import type { LastTurn } from "../session/outcome.ts";
import type { SessionRow, Waiting } from "../session/session.ts";
import type { State } from "../session/state.ts";
import { isGoalDone, isOpen, isUntaken } from "../session/turn.ts";
import type { Instant } from "../time.ts";
import { begunByAgent, missedTurn, rest, turnOver } from "./decide-turn.ts";
import type { Action, Observation } from "./observation.ts";
import { type Asked, AT_PROMPT, type Signal, type TrustOrder } from "./signal.ts";

type Change = Extract<EventBody, { kind: "state_changed" }>;

/** The states that an agent's own word can change: a pause and an end are ours. */
const OPEN: readonly State[] = ["starting", "resuming", "running", "waiting_input", "unknown"];

/** What a signal of the agent changes: nothing where it says what is known, or where a stronger source has spoken. */
export function decideSignal(
  row: SessionRow,
  { signal, trust }: Extract<Observation, { saw: "signal" }>,
  at: Instant,
): readonly Action[] {
  if (row.state === "stopping") return lastWords(row, signal);
  if (!OPEN.includes(row.state) || isBeyondWords(row)) return [];
  if (!isTrusted(row, signal, trust)) return complete(row, signal);
  return changes(row, signal, at);
}

/** A weaker source changes no state, but may know in full what a stronger one has said is asked. */
function complete(row: SessionRow, signal: Signal): readonly Action[] {
  const known = row.waiting;
  if (signal.says !== "asking" || known === null || !isSame(known, signal.asked)) return [];
  const waiting = completed(known, signal.asked);
  if (JSON.stringify(waiting) === JSON.stringify(known)) return [];
  const { rule, excerpt } = signal;
  const body: Change = {
    kind: "state_changed",
    to: "waiting_input",
    evidence: { source: row.stateSource, rule, excerpt },
    generation: row.generation,
    waiting,
  };
  return [{ do: "append", body }];
}

/** What is known stays, what was not known is added. */
function completed(known: Waiting, asked: Asked): Waiting {
  return {
    ...known,
    tool: known.tool ?? asked.tool,
    input: known.input ?? asked.input,
    question: known.question ?? asked.question,
    options: known.options ?? asked.options,
  };
}

/** How its last turn went may be told behind its exit: the outcome depends on it. */
function lastWords(row: SessionRow, signal: Signal): readonly Action[] {
  const ending = row.carried?.ending;
  if (ending?.how !== "left" || signal.says !== "ready" || signal.turn === undefined) return [];
  const { turn, source, rule, excerpt } = signal;
  const body: Change = {
    kind: "state_changed",
    to: "stopping",
    evidence: { source, rule, excerpt },
    generation: row.generation,
    ending: { ...ending, lastTurn: turn },
  };
  return [...turnOver(row, turn, excerpt), body].map(append);
}

/** What an agent said before it was lost may arrive after; only silence is broken by its word. */
function isBeyondWords(row: SessionRow): boolean {
  return row.state === "unknown" && row.endReason !== "not_ready";
}

/** A weaker source is heard only before any other has spoken, or where it fills a known gap. */
function isTrusted(row: SessionRow, signal: Signal, trust: TrustOrder): boolean {
  const isSilent = row.state === "starting" || row.state === "resuming" || row.state === "unknown";
  if (signal.ifUnreported) return row.turn?.state === "running" && !row.turn.isReported;
  return isSilent || signal.fillsGap === true || rank(trust, signal.source) <= rank(trust, lastSource(row));
}

/** A text or a pause of ours does not make weaker sources the authority. */
function lastSource({ stateSource, turn }: SessionRow): Source {
  return stateSource === "operator" && isOpen(turn) ? turn.sourceBefore : stateSource;
}

function rank(trust: TrustOrder, source: Source): number {
  const place = trust.indexOf(source);
  return place < 0 ? trust.length : place;
}

function changes(row: SessionRow, signal: Signal, at: Instant): readonly Action[] {
  const to = (state: State, more: Partial<Change> = {}): Change => ({
    kind: "state_changed",
    to: state,
    evidence: { source: signal.source, rule: signal.rule, excerpt: signal.excerpt },
    generation: row.generation,
    ...more,
  });
  switch (signal.says) {
    case "loading":
      return isBeforeFirstPrompt(row) && row.state === "waiting_input" ? [append(to(loadingState(row)))] : [];
    case "working":
      return working(row, to).map(append);
    case "ready":
      return ready(row, signal, at, to);
    case "asking":
      return asking(row, signal.asked, at, to).map(append);
  }
}

type To = (state: State, more?: Partial<Change>) => Change;

/** Said again, it changes nothing. */
function working(row: SessionRow, to: To): EventBody[] {
  const begun = begunByAgent(row);
  const isKnown = row.state === "running" && row.turn?.isReported !== false;
  return isKnown && begun.length === 0 ? [] : [...begun, to("running")];
}

/** A question in the middle of its work belongs to a turn; a dialog that someone opened does not begin one. */
function asking(row: SessionRow, asked: Asked, at: Instant, to: To): EventBody[] {
  const begun = asked.for === "permission" || asked.for === "question" ? begunByAgent(row) : [];
  if (row.waiting === null || !isSame(row.waiting, asked))
    return [...begun, to("waiting_input", { waiting: waiting(row, asked, at) })];
  const more = completed(row.waiting, asked);
  return JSON.stringify(more) === JSON.stringify(row.waiting) ? [] : [to("waiting_input", { waiting: more })];
}

type Ready = Extract<Signal, { says: "ready" }>;

/**
 * A prompt that waits for a text of ours is no rest: the text is given now, or was given and is not taken yet. Any other
 * ends the turn.
 */
function ready(row: SessionRow, signal: Ready, at: Instant, to: To): readonly Action[] {
  if (row.turn?.state === "pending") return readyForText(row, to);
  const result = signal.turn ?? (isInTurn(row) && !isInCommand(row) ? signal.inTurn : undefined);
  if (isOpen(row.turn)) {
    const { source, rule, excerpt } = signal;
    const over = turnOver(row, result ?? null, excerpt).map(append);
    return [...over, ...rest(row, { source, rule, excerpt }, at)];
  }
  if (isGoalDone(row)) return [];
  if (row.waiting?.for === "prompt") return toldAtPrompt(row, result, signal.excerpt).map(append);
  const isFirst = row.state === "starting" || row.state === "resuming";
  const missed =
    result === undefined || (isFirst && result !== "failed") ? [] : missedTurn(row, result, signal.excerpt);
  const prompt = to("waiting_input", { waiting: { ...AT_PROMPT, since: at } });
  return [...missed, ...(isFirst ? [to("running")] : []), prompt].map(append);
}

function readyForText(row: SessionRow, to: To): readonly Action[] {
  if (isUntaken(row.turn)) return [];
  return [...(row.state === "running" ? [] : [append(to("running"))]), { do: "give_text" }];
}

/** A turn that nobody saw, or the reason of one whose failure is known. The last word said again changes nothing. */
function toldAtPrompt(
  row: SessionRow,
  result: Exclude<LastTurn, null> | undefined,
  why: string | null,
): EventBody[] {
  if (result === undefined) return [];
  if (result !== row.carried?.lastTurn) return missedTurn(row, result, why);
  const { turn, generation } = row;
  if (result !== "failed" || why === null || turn === null || turn.error !== null) return [];
  return [{ kind: "turn_ended", number: turn.number, generation, outcome: "failure", error: why }];
}

/** A command of the agent's own ends as an interrupted turn does: what was in progress says nothing of how it went. */
function isInCommand({ turn }: SessionRow): boolean {
  return isOpen(turn) && turn.isCommand;
}

/** Not of a process that was only seen to run: of an agent that said that it works or asks. */
function isInTurn(row: SessionRow): boolean {
  const isAsking = row.waiting?.for === "permission" || row.waiting?.for === "question";
  return isAsking || (row.state === "running" && row.stateSource !== "process");
}

function append(body: EventBody): Action {
  return { do: "append", body };
}

/** A dialog that stands before the first prompt leads back to where the session came from. */
function isBeforeFirstPrompt(row: SessionRow): boolean {
  return row.waiting?.for === "trust" || row.waiting?.for === "login" || row.waiting?.for === "dialog";
}

function loadingState(row: SessionRow): State {
  return row.generation > 1 ? "resuming" : "starting";
}

function waiting(row: SessionRow, asked: Asked, since: Instant): Waiting {
  const requestId = asked.requestId ?? (asked.for === "prompt" ? null : `r${row.seq + 1}`);
  return { ...asked, requestId, since };
}

/** The same request seen once more, perhaps by another source that knows more or less of it. */
function isSame(known: Waiting, asked: Asked): boolean {
  if (known.for !== asked.for) return false;
  if (asked.requestId !== null) return asked.requestId === known.requestId;
  return (["tool", "question", "input"] as const).every((name) => fits(known[name], asked[name]));
}

function fits(known: Json, asked: Json): boolean {
  return known === null || asked === null || JSON.stringify(known) === JSON.stringify(asked);
}
