import { isJsonObject, type JsonObject } from "../../../domain/json.ts";
import { INTERRUPTED } from "../../../domain/transcript/entry.ts";
import { objectOf, textOf } from "../../json-lines.ts";
import type { Parsed, TurnOver } from "../../parsed.ts";
import { blocksOf } from "../content.ts";
import type { ClaudeMemory } from "../memory.ts";
import { backgroundAfter, backgroundOf, isAwaited } from "./background.ts";
import { SYNTHETIC } from "./usage.ts";
import { isPromptText } from "./user-text.ts";

/**
 * Adds where turns begin and end, by the lines of the transcript alone: read again, they give the same. A terminal
 * session writes how long each turn took, a headless one adds up its cost as it leaves. Neither comes for every turn.
 */
export function withTurn(
  parsed: Parsed<ClaudeMemory>,
  line: JsonObject,
  memory: ClaudeMemory,
): Parsed<ClaudeMemory> {
  const isOpen = memory.isTurnOpen === true;
  const names = typeof line.promptSource === "string";
  const background = backgroundAfter(line, memory);
  const known = {
    ...parsed,
    ...(names || background
      ? {
          memory: {
            ...parsed.memory,
            ...(names ? { namesPrompts: true } : {}),
            ...(background ? { background } : {}),
          },
        }
      : {}),
  };
  if (beginsTurn(line, memory) || isUnnamedPrompt(parsed, line, memory))
    return withBegin(known, isOpen ? overBefore(memory) : undefined);
  if (!isOpen) return known;
  const over = overAt(parsed, line, memory);
  if (over)
    return { ...known, turn: { over }, memory: { ...known.memory, isTurnOpen: false, isAtRest: false } };
  const isAtRest = restsAfter(line);
  return isAtRest === undefined ? known : { ...known, memory: { ...known.memory, isAtRest } };
}

/** The end of the open turn, of a session that shows itself to be at its prompt. */
export function turnAtRest(memory: ClaudeMemory): TurnOver | undefined {
  return memory.isTurnOpen === true && memory.isAtRest === true ? overNow(memory) : undefined;
}

function withBegin(parsed: Parsed<ClaudeMemory>, over: TurnOver | undefined): Parsed<ClaudeMemory> {
  const fresh = { result: null, why: null, background: [] };
  const memory = { ...fresh, ...parsed.memory, isTurnOpen: true, isAtRest: false };
  return { ...parsed, turn: { ...(over ? { over } : {}), isBegun: true }, memory };
}

/** A text that was queued, or a background task that ended, belongs to the turn that is open. */
function beginsTurn(line: JsonObject, memory: ClaudeMemory): boolean {
  const { type, promptSource } = line;
  const isOpen = memory.isTurnOpen === true;
  if (type === "assistant") return !isOpen && isByModel(line);
  if (type !== "user" || typeof promptSource !== "string") return false;
  const isHeadlessAtRest = memory.isAtRest === true && (textOf(line.entrypoint) ?? "").startsWith("sdk");
  const isJoining = promptSource === "queued" || promptSource === "system";
  return !(isOpen && isJoining && (!isHeadlessAtRest || isAwaited(line, memory)));
}

/** Older releases do not say where a text comes from. Commands are no prompts. */
function isUnnamedPrompt(
  parsed: Parsed,
  { type, promptSource, message }: JsonObject,
  memory: ClaudeMemory,
): boolean {
  if (type !== "user" || promptSource !== undefined || memory.namesPrompts === true) return false;
  const isText = parsed.entries?.some(({ role, kind }) => role === "user" && kind === "text") === true;
  return isText && blocksOf(objectOf(message).content).some(({ text }) => isPromptText(textOf(text) ?? ""));
}

function isByModel({ message, isApiErrorMessage }: JsonObject): boolean {
  return isApiErrorMessage !== true && isJsonObject(message) && message.model !== SYNTHETIC;
}

/** Without its last word, nobody knows how the turn before went. */
function overBefore(memory: ClaudeMemory): TurnOver {
  return turnAtRest(memory) ?? { result: null, why: null };
}

function overAt(parsed: Parsed, { type }: JsonObject, memory: ClaudeMemory): TurnOver | undefined {
  if (parsed.isTurnRead) return backgroundOf(memory).length > 0 ? undefined : overNow(memory);
  if (parsed.entries?.some(({ name }) => name === INTERRUPTED)) return { result: "aborted", why: null };
  return type === "cost-state" ? turnAtRest(memory) : undefined;
}

function overNow({ result, why }: ClaudeMemory): TurnOver {
  if (result === "failed") return { result, why: textOf(why) };
  return { result: result === "aborted" ? "aborted" : "good", why: null };
}

/** Every block of a message has the reason why the message ended. */
function restsAfter({ type, message }: JsonObject): boolean | undefined {
  if (type !== "assistant") return undefined;
  const { stop_reason: reason } = objectOf(message);
  return typeof reason === "string" && reason !== "tool_use";
}
