import type { JsonObject } from "../../domain/json.ts";
import { AT_PROMPT, type Signal } from "../../domain/supervise/signal.ts";
import type { Notes, Seen } from "../agent.ts";
import { asking, ready, working } from "./signals.ts";

/** Its words for what it waits for; anything else is a dialog. */
const WAITS: Readonly<Record<string, "permission" | "question">> = {
  "permission prompt": "permission",
  "sandbox request": "permission",
  "worker request": "permission",
  "goal proposal": "permission",
  "input needed": "question",
};

/** `sessions/PID.json`. It knows of dialogs that a person opened, of which reports say nothing. */
export function file(content: JsonObject, notes: Notes): Seen {
  const { sessionId, version, status } = content;
  const isDialog = status === "waiting" && content.waitingFor === "dialog open";
  const signal = signalOf(content, isDialog, notes);
  return {
    ...(signal === undefined ? {} : { signal }),
    identity: {
      ...(typeof sessionId === "string" ? { nativeId: sessionId } : {}),
      ...(typeof version === "string" ? { agentVersion: version } : {}),
    },
    notes: {
      dialog: isDialog ? "open" : "",
      ...(typeof status === "string" ? { file: status } : {}),
      ...movedOn(sessionId, notes),
    },
  };
}

/** Where reports come it adds only what they leave out: the two are told in no order. */
function signalOf({ status, waitingFor }: JsonObject, isDialog: boolean, notes: Notes): Signal | undefined {
  const isNeeded = notes.reports === undefined || notes.dialog === "open";
  if (isDialog) return { ...asked("dialog open"), fillsGap: true };
  if (!isNeeded) return undefined;
  if (status === "busy") return working("file", "file_busy");
  if (status === "waiting") return asked(String(waitingFor));
  // The first one comes while it is still loading: a report or the screen tells when it takes input.
  return status === "idle" && notes.file !== undefined ? ready("file", "file_idle") : undefined;
}

function asked(waitingFor: string): Signal {
  const what = Object.hasOwn(WAITS, waitingFor) ? (WAITS[waitingFor] ?? "dialog") : "dialog";
  return asking("file", `file_${what}`, { ...AT_PROMPT, for: what }, waitingFor);
}

/** After `/clear` it is in another conversation. */
function movedOn(sessionId: JsonObject[string] | undefined, { session }: Notes): Notes {
  if (typeof sessionId !== "string" || sessionId === session) return {};
  return { session: sessionId, ...(session === undefined ? {} : { cleared: "yes" }) };
}
