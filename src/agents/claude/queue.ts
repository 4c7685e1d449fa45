import type { JsonObject } from "../../domain/json.ts";
import { INTERRUPTED } from "../../domain/transcript/entry.ts";
import type { Notes, Seen } from "../agent.ts";
import { textOf } from "./lines.ts";
import { ended } from "./signals.ts";

/**
 * What its transcript tells of texts that were typed in mid-turn: each is put into a queue, taken out of it at the end
 * of the turn, and then said. While one waits, or is out and not said yet, what it reports as one turn goes on.
 * Each is known by when it was typed, the oldest goes first: a transcript that is read again counts none twice.
 */
export function queueSeen({ operation, content, timestamp }: JsonObject, notes: Notes): Seen {
  const { waiting, out } = queueIn(notes);
  const [first, ...others] = waiting;
  switch (operation) {
    case "enqueue":
      return {
        ...(typeof content === "string" ? { taken: [content] } : {}),
        notes: kept([...waiting, textOf(timestamp) ?? ""], out),
      };
    case "dequeue":
      return { notes: kept(others, first === undefined ? out : [...out, first]) };
    case "remove":
      return { notes: kept(others, out) };
    default:
      return {};
  }
}

/** A text begins a turn, unless it was a command. One that was typed at the prompt found nothing in the queue. */
export function takenUp(seen: Seen, { promptSource }: JsonObject, notes: Notes): Seen {
  if (typeof promptSource !== "string") return seen;
  const { waiting, out } = queueIn(notes);
  const rest = promptSource === "typed" ? kept([], []) : kept(waiting, out.slice(1));
  return { ...seen, notes: { ...seen.notes, ...rest, inTurn: "yes", result: "", why: "" } };
}

/** Its reports may leave out a turn that is over at once. Where they do not, they come before this time has passed. */
const SETTLE_MS = 300;

export function turnOver(notes: Notes): Seen {
  const { waiting, out } = queueIn(notes);
  if (waiting.length + out.length > 0) return {};
  const { result, why } = notes;
  const turn = result === "failed" || result === "aborted" ? result : "good";
  const signal = ended("transcript", "transcript_turn_over", turn, why || null);
  return {
    isTurnRead: true,
    signal: { ...signal, settleMs: SETTLE_MS, ifUnreported: true },
    notes: { inTurn: "", result: "", why: "" },
  };
}

/** How the turn goes so far: an error of the API and an interrupt stand in the transcript as if they were said. */
export function resultSeen(seen: Seen, { isApiErrorMessage }: JsonObject): Seen {
  const texts = (seen.entries ?? []).map(({ text }) => text ?? "");
  if (isApiErrorMessage === true)
    return { ...seen, notes: { ...seen.notes, result: "failed", why: texts.join("\n") } };
  const isAborted = seen.entries?.some(({ name }) => name === INTERRUPTED) === true;
  return isAborted ? { ...seen, notes: { ...seen.notes, result: "aborted" } } : seen;
}

interface Queue {
  readonly waiting: readonly string[];
  readonly out: readonly string[];
}

function queueIn({ queued, out }: Notes): Queue {
  return { waiting: timesIn(queued), out: timesIn(out) };
}

function timesIn(text: string | undefined): readonly string[] {
  return text ? text.split(" ") : [];
}

function kept(waiting: readonly string[], out: readonly string[]): Notes {
  return { queued: joined(waiting), out: joined(out) };
}

function joined(times: readonly string[]): string {
  return [...new Set(times)].sort().join(" ");
}
