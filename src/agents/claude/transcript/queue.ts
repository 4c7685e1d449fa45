import type { JsonObject } from "../../../domain/json.ts";
import { INTERRUPTED } from "../../../domain/transcript/entry.ts";
import { listOf, MOST_OPEN, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { ClaudeMemory } from "../memory.ts";
import { turnOverSignal } from "../signals.ts";

/**
 * An operation on the queue of texts that were typed in mid-turn: each is enqueued, dequeued at the end of the turn, and
 * then said. While one waits, or is dequeued and not said yet, the turn that it reports as one goes on. Each is known
 * by the time at which it was typed, the oldest goes first: a transcript that is read again counts none twice.
 */
export function parseQueueOperation(
  { operation, content, timestamp }: JsonObject,
  memory: ClaudeMemory,
): Parsed<ClaudeMemory> {
  const { waiting, out } = queueOf(memory);
  const [first, ...others] = waiting;
  switch (operation) {
    case "enqueue":
      return {
        ...(typeof content === "string" ? { taken: [content] } : {}),
        memory: queueMemory([...waiting, textOf(timestamp) ?? ""], out),
      };
    case "dequeue":
      return { memory: queueMemory(others, first === undefined ? out : [...out, first]) };
    case "remove":
      return { memory: queueMemory(others, out) };
    default:
      return {};
  }
}

/** A text begins a turn, unless it was a command. One that was typed at the prompt found nothing in the queue. */
export function withPrompt(
  parsed: Parsed<ClaudeMemory>,
  { promptSource }: JsonObject,
  memory: ClaudeMemory,
): Parsed<ClaudeMemory> {
  if (typeof promptSource !== "string") return parsed;
  const { waiting, out } = queueOf(memory);
  const rest = promptSource === "typed" ? queueMemory([], []) : queueMemory(waiting, out.slice(1));
  return { ...parsed, memory: { ...parsed.memory, ...rest, inTurn: true, result: null, why: null } };
}

/** Reports may leave out a turn that is over at once. Those that do not arrive before this time has passed. */
const SETTLE_MS = 300;

/** The line with the duration of a turn. With a text in the queue, the turn goes on. */
export function parseTurnDuration(memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const { waiting, out } = queueOf(memory);
  if (waiting.length + out.length > 0) return {};
  const { result, why } = memory;
  const turn = result === "failed" || result === "aborted" ? result : "good";
  const signal = turnOverSignal("transcript", "transcript_turn_over", turn, textOf(why));
  return {
    isTurnRead: true,
    signal: { ...signal, settleMs: SETTLE_MS, ifUnreported: true },
    memory: { inTurn: false, result: null, why: null },
  };
}

/** Remembers how the turn goes so far: an error of the API and an interrupt stand in the transcript as texts. */
export function withResult(
  parsed: Parsed<ClaudeMemory>,
  { isApiErrorMessage }: JsonObject,
): Parsed<ClaudeMemory> {
  const texts = (parsed.entries ?? []).map(({ text }) => text ?? "");
  if (isApiErrorMessage === true)
    return { ...parsed, memory: { ...parsed.memory, result: "failed", why: texts.join("\n") || null } };
  const isAborted = parsed.entries?.some(({ name }) => name === INTERRUPTED) === true;
  return isAborted ? { ...parsed, memory: { ...parsed.memory, result: "aborted" } } : parsed;
}

interface Queue {
  readonly waiting: readonly string[];
  readonly out: readonly string[];
}

function queueOf({ queued, dequeued }: ClaudeMemory): Queue {
  return { waiting: timesIn(queued), out: timesIn(dequeued) };
}

function timesIn(times: ClaudeMemory["queued"]): readonly string[] {
  return listOf(times).filter((time) => typeof time === "string");
}

function queueMemory(waiting: readonly string[], out: readonly string[]): ClaudeMemory {
  return { queued: sortedTimes(waiting), dequeued: sortedTimes(out) };
}

function sortedTimes(times: readonly string[]): readonly string[] {
  return [...new Set(times)].sort().slice(-MOST_OPEN);
}
