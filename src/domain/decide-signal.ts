import type { EventBody } from "./event.ts";
import type { Source } from "./evidence.ts";
import type { Json } from "./json.ts";
import type { Action, Observation } from "./observation.ts";
import type { SessionRow, Waiting } from "./session.ts";
import { type Asked, AT_PROMPT, type Signal, type TrustOrder } from "./signal.ts";
import type { State } from "./state.ts";
import type { Instant } from "./time.ts";

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
  return changes(row, signal, at).map((body) => ({ do: "append", body }));
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
    turn,
  };
  return [{ do: "append", body }];
}

/** What an agent said before it was lost may arrive after; only silence is broken by its word. */
function isBeyondWords(row: SessionRow): boolean {
  return row.state === "unknown" && row.endReason !== "not_ready";
}

/** A weaker source is heard only before any other has spoken, or where it fills a known gap. */
function isTrusted(row: SessionRow, signal: Signal, trust: TrustOrder): boolean {
  const isSilent = row.state === "starting" || row.state === "resuming" || row.state === "unknown";
  return isSilent || signal.fillsGap === true || rank(trust, signal.source) <= rank(trust, row.stateSource);
}

function rank(trust: TrustOrder, source: Source): number {
  const place = trust.indexOf(source);
  return place < 0 ? trust.length : place;
}

function changes(row: SessionRow, signal: Signal, at: Instant): Change[] {
  const to = (state: State, more: Partial<Change> = {}): Change => ({
    kind: "state_changed",
    to: state,
    evidence: { source: signal.source, rule: signal.rule, excerpt: signal.excerpt },
    generation: row.generation,
    ...more,
  });
  switch (signal.says) {
    case "loading":
      return isBeforeFirstPrompt(row) && row.state === "waiting_input" ? [to(loadingState(row))] : [];
    case "working":
      return row.state === "running" ? [] : [to("running")];
    case "ready":
      return ready(row, signal, at, to);
    case "asking":
      return asking(row, signal.asked, at, to);
  }
}

type To = (state: State, more?: Partial<Change>) => Change;

function asking(row: SessionRow, asked: Asked, at: Instant, to: To): Change[] {
  if (row.waiting === null || !isSame(row.waiting, asked))
    return [to("waiting_input", { waiting: waiting(row, asked, at) })];
  const more = completed(row.waiting, asked);
  return JSON.stringify(more) === JSON.stringify(row.waiting) ? [] : [to("waiting_input", { waiting: more })];
}

function ready(row: SessionRow, signal: Extract<Signal, { says: "ready" }>, at: Instant, to: To): Change[] {
  const turn = signal.turn ?? (isInTurn(row) ? signal.inTurn : undefined);
  if (row.waiting?.for === "prompt" && (turn === undefined || turn === row.carried?.lastTurn)) return [];
  const prompt = to("waiting_input", {
    waiting: { ...AT_PROMPT, since: at },
    ...(turn === undefined ? {} : { turn }),
  });
  const isFirst = row.state === "starting" || row.state === "resuming";
  return isFirst ? [to("running"), prompt] : [prompt];
}

/** Not of a process that was only seen to run: of an agent that said that it works or asks. */
function isInTurn(row: SessionRow): boolean {
  const isAsking = row.waiting?.for === "permission" || row.waiting?.for === "question";
  return isAsking || (row.state === "running" && row.stateSource !== "process");
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
