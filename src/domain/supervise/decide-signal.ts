import type { Json } from "../json.ts";
import type { EventBody } from "../session/event.ts";
import type { Evidence, Source } from "../session/evidence.ts";
import type { LastTurn } from "../session/outcome.ts";
import type { Request, SessionRow, Waiting } from "../session/session.ts";
import { NOT_READY, type State } from "../session/state.ts";
import { isGoalDone, isOpen, isUntaken } from "../session/turn.ts";
import type { Instant } from "../time.ts";
import { append, begunByAgent, missedTurn, rest, turnOver } from "./decide-turn.ts";
import type { Action, Observation } from "./observation.ts";
import { shortSignal } from "./short-signal.ts";
import type { Asked, Signal, TrustOrder } from "./signal.ts";

/** The states that an agent's own word can change: a pause and an end are ours. */
const OPEN: readonly State[] = ["starting", "resuming", "running", "waiting_input", "unknown"];

/** Decides what a signal changes: nothing where it repeats what is known, or where a stronger source has spoken. */
export function decideSignal(
  row: SessionRow,
  { signal: whole, trust }: Extract<Observation, { saw: "signal" }>,
  at: Instant,
): readonly Action[] {
  const signal = shortSignal(whole);
  if (row.state === "stopping") return lastWords(row, signal);
  if (!OPEN.includes(row.state) || isBeyondWords(row)) return [];
  if (!isTrusted(row, signal, trust)) return complete(row, signal);
  const actions = changes(row, signal, at);
  return actions.length === 0 && isFirstWord(row, signal, trust) ? [append(atPrompt(row, signal))] : actions;
}

/**
 * A stronger source says that the first prompt is there, which a weaker one has said before. It is the authority from now on:
 * what it says late of a turn must not count beside what the weaker one said of it.
 */
function isFirstWord(row: SessionRow, { says, source, fillsGap }: Signal, trust: TrustOrder): boolean {
  if (says !== "ready" || fillsGap === true || row.waiting?.for !== "prompt" || row.turn !== null)
    return false;
  return row.carried?.launch.tellsTurns === true && rank(trust, source) < rank(trust, row.stateSource);
}

function atPrompt({ generation }: SessionRow, { source, rule, excerpt }: Evidence): EventBody {
  return { kind: "at_prompt", state: "waiting_input", evidence: { source, rule, excerpt }, generation };
}

/** A weaker source changes no state, but may know in full what a stronger one has said is asked. */
function complete(row: SessionRow, signal: Signal): readonly Action[] {
  const known = row.waiting;
  if (signal.says !== "asking" || known === null || !isSame(known, signal.asked)) return [];
  const waiting = completedRequest(row, known, signal.asked);
  if (JSON.stringify(waiting) === JSON.stringify(known)) return [];
  const { rule, excerpt } = signal;
  const evidence = { source: row.stateSource, rule, excerpt };
  const { generation } = row;
  return [append({ kind: "asked", state: "waiting_input", evidence, generation, waiting })];
}

/** Adds details that were not known; known ones stay. */
function completedRequest(row: SessionRow, known: Waiting, asked: Asked): Request {
  return {
    ...known,
    for: asked.for,
    requestId: known.requestId ?? requestIdOf(row, asked),
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
  const body: EventBody = {
    kind: "end_began",
    state: "stopping",
    evidence: { source, rule, excerpt },
    generation: row.generation,
    ending: { ...ending, lastTurn: turn },
    endReason: null,
  };
  return [...turnOver(row, turn, excerpt), body].map(append);
}

/** A signal from before the loss may arrive after it: only a session that was silent is found again by its word. */
function isBeyondWords(row: SessionRow): boolean {
  return row.state === "unknown" && row.endReason !== NOT_READY;
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
  const { source, rule, excerpt } = signal;
  const why: Why = { evidence: { source, rule, excerpt }, generation: row.generation };
  switch (signal.says) {
    case "loading":
      return loadingEvents(row, why).map(append);
    case "working":
      return workEvents(row, why).map(append);
    case "ready":
      return readyActions(row, signal, why);
    case "asking":
      return askEvents(row, signal.asked, at, why).map(append);
  }
}

/** The fields that every event of a signal has. */
interface Why {
  readonly evidence: Evidence;
  readonly generation: number;
}

/** A dialog that stands before the first prompt leads back to where the session came from. */
function loadingEvents({ state, waiting, generation }: SessionRow, why: Why): EventBody[] {
  const isBeforeFirstPrompt =
    waiting?.for === "trust" || waiting?.for === "login" || waiting?.for === "dialog";
  if (state !== "waiting_input" || !isBeforeFirstPrompt || waiting.requestId === null) return [];
  const { requestId } = waiting;
  return [{ kind: "answered", state: generation > 1 ? "resuming" : "starting", requestId, ...why }];
}

/** A repeated signal changes nothing. */
function workEvents(row: SessionRow, why: Why): EventBody[] {
  const begun = begunByAgent(row);
  const isKnown = row.state === "running" && row.turn?.isReported !== false;
  return isKnown && begun.length === 0 ? [] : [...begun, atWork(row, why)];
}

/** It works: for the first time, or because its request was answered. */
function atWork({ waiting }: SessionRow, why: Why): EventBody {
  const requestId = waiting?.requestId ?? null;
  if (requestId === null) return { kind: "at_work", state: "running", ...why };
  return { kind: "answered", state: "running", requestId, ...why };
}

/** A question in the middle of its work belongs to a turn; a dialog that someone opened does not begin one. */
function askEvents(row: SessionRow, asked: Asked, at: Instant, why: Why): EventBody[] {
  const begun = asked.for === "permission" || asked.for === "question" ? begunByAgent(row) : [];
  const body = (waiting: Request): EventBody => ({ kind: "asked", state: "waiting_input", waiting, ...why });
  if (row.waiting === null || !isSame(row.waiting, asked))
    return [...begun, body({ ...asked, requestId: requestIdOf(row, asked), since: at })];
  const more = completedRequest(row, row.waiting, asked);
  return JSON.stringify(more) === JSON.stringify(row.waiting) ? [] : [body(more)];
}

type Ready = Extract<Signal, { says: "ready" }>;

/**
 * A prompt that waits for a text of ours is no rest: the text is given now, or was given and is not taken yet. Any other
 * ends the turn.
 */
function readyActions(row: SessionRow, signal: Ready, why: Why): readonly Action[] {
  if (row.turn?.state === "pending") return readyForText(row, why);
  const result = signal.turn ?? (isInTurn(row) && !isInCommand(row) ? signal.inTurn : undefined);
  if (isOpen(row.turn)) {
    const over = turnOver(row, result ?? null, signal.excerpt).map(append);
    return [...over, ...rest(row, why.evidence)];
  }
  if (isGoalDone(row)) return [];
  if (row.waiting?.for === "prompt") return toldAtPrompt(row, result, signal.excerpt).map(append);
  const isFirst = row.state === "starting" || row.state === "resuming";
  const missed =
    result === undefined || (isFirst && result !== "failed") ? [] : missedTurn(row, result, signal.excerpt);
  return [...missed, ...(isFirst ? [atWork(row, why)] : []), atPrompt(row, why.evidence)].map(append);
}

function readyForText(row: SessionRow, why: Why): readonly Action[] {
  if (isUntaken(row.turn)) return [];
  return [...(row.state === "running" ? [] : [append(atWork(row, why))]), { do: "give_text" }];
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

/** Made up where the agent has none. */
function requestIdOf({ seq }: SessionRow, { requestId }: Asked): string {
  return requestId ?? `r${seq + 1}`;
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
