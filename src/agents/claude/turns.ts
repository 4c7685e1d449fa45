import type { JsonObject } from "../../domain/json.ts";
import { INTERRUPTED } from "../../domain/transcript/entry.ts";
import type { Notes, Seen, TurnOver } from "../agent.ts";
import { objectOf, textOf } from "./lines.ts";
import { SYNTHETIC } from "./usage.ts";

/**
 * Adds where turns begin and end, by the lines of the transcript alone: read again, they give the same. A terminal
 * session writes how long each turn took, a headless one adds up its cost as it leaves. Neither comes for every turn.
 */
export function withTurn(seen: Seen, line: JsonObject, notes: Notes): Seen {
  const isOpen = notes.turnOpen === "yes";
  if (beginsTurn(line, notes)) return begun(seen, isOpen ? overBefore(notes) : undefined);
  if (!isOpen) return seen;
  const over = overAt(seen, line, notes);
  if (over) return { ...seen, turn: { over }, notes: { ...seen.notes, ...AT_REST } };
  const rests = restsAfter(line);
  return rests === undefined ? seen : { ...seen, notes: { ...seen.notes, rests } };
}

/** The end of the open turn, of a session that shows itself to be at its prompt. */
export function turnAtRest(notes: Notes): TurnOver | undefined {
  return notes.turnOpen === "yes" && notes.rests === "yes" ? overNow(notes) : undefined;
}

const AT_REST: Notes = { turnOpen: "", rests: "" };

function begun(seen: Seen, over: TurnOver | undefined): Seen {
  const noted = { result: "", why: "", ...seen.notes, turnOpen: "yes", rests: "" };
  return { ...seen, turn: { ...(over ? { over } : {}), isBegun: true }, notes: noted };
}

/** A text that was queued, or a background task that ended, belongs to the turn that is open. */
function beginsTurn(line: JsonObject, notes: Notes): boolean {
  const { type, promptSource } = line;
  const isOpen = notes.turnOpen === "yes";
  if (type === "assistant") return !isOpen && isByModel(line);
  if (type !== "user" || typeof promptSource !== "string") return false;
  const isHeadlessAtRest = notes.rests === "yes" && (textOf(line.entrypoint) ?? "").startsWith("sdk");
  const isJoining = promptSource === "queued" || promptSource === "system";
  return !(isOpen && isJoining && !isHeadlessAtRest);
}

function isByModel({ message, isApiErrorMessage }: JsonObject): boolean {
  return isApiErrorMessage !== true && objectOf(message).model !== SYNTHETIC;
}

/** Without a word on how the turn before went, nobody knows. */
function overBefore(notes: Notes): TurnOver {
  return turnAtRest(notes) ?? { result: null, why: null };
}

function overAt(seen: Seen, { type }: JsonObject, notes: Notes): TurnOver | undefined {
  if (seen.isTurnRead) return overNow(notes);
  if (seen.entries?.some(({ name }) => name === INTERRUPTED)) return { result: "aborted", why: null };
  return type === "cost-state" ? turnAtRest(notes) : undefined;
}

function overNow({ result, why }: Notes): TurnOver {
  if (result === "failed") return { result, why: why || null };
  return { result: result === "aborted" ? "aborted" : "good", why: null };
}

/** Every block of a message has the reason why the message ended. */
function restsAfter({ type, message }: JsonObject): "yes" | "" | undefined {
  if (type !== "assistant") return undefined;
  const { stop_reason: reason } = objectOf(message);
  return typeof reason === "string" && reason !== "tool_use" ? "yes" : "";
}
