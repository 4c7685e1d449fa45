import type { Json, JsonObject } from "../../../domain/json.ts";
import { AT_PROMPT, type Signal } from "../../../domain/supervise/signal.ts";
import { textFields, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { ClaudeMemory } from "../memory.ts";
import { readySignal, requestSignal, workingSignal } from "../signals.ts";

/** Its words for the requests that it waits for; anything else is a dialog. */
const WAITS: Readonly<Record<string, "permission" | "question">> = {
  "permission prompt": "permission",
  "sandbox request": "permission",
  "worker request": "permission",
  "goal proposal": "permission",
  "input needed": "question",
};

/** The file names the time of its status, which may lie before that of the start. */
const COMING_UP_MS = 500;

/** `sessions/PID.json`. It shows dialogs that a person opened, which reports leave out. */
export function parseLiveFile(content: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const { sessionId, version } = content;
  const status = isComingUp(content) ? undefined : content.status;
  const isDialogOpen = status === "waiting" && content.waitingFor === "dialog open";
  const signal = signalOf({ ...content, status: status ?? null }, isDialogOpen, memory);
  return {
    ...(signal === undefined ? {} : { signal }),
    identity: textFields({ nativeId: sessionId, agentVersion: version }),
    memory: { isDialogOpen, ...textFields({ fileStatus: status }), ...conversationMemory(sessionId, memory) },
  };
}

/** Beside reports the file adds only states that they leave out: the two arrive in any order. */
function signalOf(
  { status, waitingFor }: JsonObject,
  isDialogOpen: boolean,
  memory: ClaudeMemory,
): Signal | undefined {
  const isNeeded = memory.reports !== true || memory.isDialogOpen === true;
  if (isDialogOpen) return { ...waitingSignal("dialog open"), fillsGap: true };
  if (!isNeeded) return undefined;
  if (status === "busy") return workingSignal("file", "file_busy");
  if (status === "waiting") return waitingSignal(String(waitingFor));
  // The first `idle` comes while it is still loading: a report or the screen shows when it accepts input.
  return status === "idle" && textOf(memory.fileStatus) !== null
    ? readySignal("file", "file_idle")
    : undefined;
}

/** A session that a program runs says `idle` for a few milliseconds on its way into its first text. */
function isComingUp({ entrypoint, status, startedAt, statusUpdatedAt }: JsonObject): boolean {
  if (status !== "idle" || !isRunByProgram(entrypoint)) return false;
  return Number(statusUpdatedAt) - Number(startedAt) < COMING_UP_MS;
}

function waitingSignal(waitingFor: string): Signal {
  const what = Object.hasOwn(WAITS, waitingFor) ? (WAITS[waitingFor] ?? "dialog") : "dialog";
  return requestSignal("file", `file_${what}`, { ...AT_PROMPT, for: what }, waitingFor);
}

/** After `/clear` it is in another conversation. */
function conversationMemory(sessionId: JsonObject[string] | undefined, memory: ClaudeMemory): ClaudeMemory {
  const before = textOf(memory.fileSession);
  if (typeof sessionId !== "string" || sessionId === before) return {};
  return { fileSession: sessionId, ...(before === null ? {} : { cleared: true }) };
}

/** A session that a program runs, by the SDK or by `claude -p`, has nobody at a terminal. */
export function isRunByProgram(entrypoint: Json | undefined): boolean {
  return typeof entrypoint === "string" && entrypoint.startsWith("sdk");
}
