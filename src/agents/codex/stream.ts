import { isJsonObject, type Json, type JsonObject, readJsonObject } from "../../domain/json.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import type { NewEntry } from "../../domain/transcript/entry.ts";
import type { Notes, Seen } from "../agent.ts";
import { itemDone, itemStarted } from "./items.ts";
import { objectIn, textOf, texts } from "./lines.ts";
import { answerId, message, OPENING_ID, requestIdOf, saidText } from "./protocol.ts";
import { noteAsked, noteResolved, pendingIn, requestSeen } from "./requests.ts";
import { asking, over, type Turn, working } from "./signals.ts";

const TURNS: Readonly<Record<string, Turn>> = {
  completed: "good",
  interrupted: "aborted",
  failed: "failed",
};

/** One message of the app server: an answer to us, a request of its own, or news. */
export function stream(text: string, notes: Notes): Seen {
  const line = readJsonObject(text);
  if (line === undefined) return {};
  const params = objectIn(line.params);
  if (typeof line.method !== "string") return answered(line);
  if (line.id !== undefined) return requested(line.id, line.method, params, notes);
  return news(line.method, params, notes);
}

function answered({ id, result, error }: JsonObject): Seen {
  if (isJsonObject(error)) return refused(id, textOf(error.message) ?? "no reason was given");
  const text = saidText(id);
  if (text !== undefined) return { taken: [text] };
  if (id !== OPENING_ID || !isJsonObject(result)) return {};
  const thread = objectIn(result.thread);
  const nativeId = textOf(thread.id);
  if (nativeId === null) return {};
  const model = textOf(result.model);
  const path = textOf(thread.path);
  return {
    identity: texts({ nativeId, model: result.model, agentVersion: thread.cliVersion }),
    ...(path === null ? {} : { transcript: path }),
    notes: { thread: nativeId, ...(model === null ? {} : { model }) },
    signal: { source: "protocol", rule: "thread_opened", excerpt: null, says: "ready" },
  };
}

/** A conversation that cannot be opened takes no text, and so its first turn fails. */
function refused(id: Json | undefined, why: string): Seen {
  const entries = [notice(why)];
  if (id === OPENING_ID)
    return {
      signal: { source: "protocol", rule: "thread_refused", excerpt: why, says: "ready" },
      entries,
    };
  if (saidText(id) === undefined) return {};
  return { signal: over({ source: "protocol", rule: "turn_refused" }, "failed", why), entries };
}

/** Whoever is asked something that is not for a person has to be answered, or it waits for ever. */
function requested(id: Json, method: string, params: JsonObject, notes: Notes): Seen {
  const asked = requestSeen(method, params, notes);
  const requestId = requestIdOf(id, params);
  if (!asked || answerId(requestId) === undefined) {
    const error = { code: -32601, message: `Rollcall does not answer ${method}.` };
    return { reply: message({ id, error }) };
  }
  const pending = noteAsked(notes, { ...asked, requestId });
  return { signal: pendingSignal(pending), notes: pending };
}

function news(method: string, params: JsonObject, notes: Notes): Seen {
  if (method === "serverRequest/resolved") return resolved(params, notes);
  // Sub-agents are threads of their own.
  if (params.threadId !== notes.thread) return {};
  const turn = objectIn(params.turn);
  switch (method) {
    case "thread/status/changed":
      return status(objectIn(params.status), notes);
    case "turn/started":
      return { signal: working({ source: "protocol", rule: "turn_started" }), notes: started(turn) };
    case "turn/completed":
      return turnOver(turn);
    case "item/started":
      return itemStarted(objectIn(params.item), notes);
    case "item/completed":
      return itemDone(objectIn(params.item));
    default:
      return {};
  }
}

/** How a turn ended is told by the turn, a moment after the status says that it is over. */
function status({ type, activeFlags }: JsonObject, notes: Notes): Seen {
  const isWaiting = Array.isArray(activeFlags) && activeFlags.length > 0;
  if (type !== "active" || isWaiting || pendingIn(notes).length > 0) return {};
  return { signal: working({ source: "protocol", rule: "status_active" }) };
}

function started({ id }: JsonObject): Notes {
  return { pending: "[]", changes: "{}", ...(typeof id === "string" ? { turn: id } : {}) };
}

function turnOver({ status: how, error }: JsonObject): Seen {
  const turn = TURNS[textOf(how) ?? ""];
  if (turn === undefined) return {};
  const why = textOf(objectIn(error).message);
  return {
    signal: over({ source: "protocol", rule: "turn_completed" }, turn, why),
    ...(why === null ? {} : { entries: [notice(why)] }),
    notes: { pending: "[]" },
  };
}

/** Others may have been asked meanwhile; that it works on is told by its status. */
function resolved({ requestId }: JsonObject, notes: Notes): Seen {
  const rest = noteResolved(notes, requestId);
  return pendingIn(rest).length === 0 ? { notes: rest } : { signal: pendingSignal(rest), notes: rest };
}

function pendingSignal(notes: Notes): Signal {
  return asking({ source: "protocol", rule: "request_approval" }, pendingIn(notes)[0] ?? {});
}

function notice(text: string): NewEntry {
  return { role: "system", kind: "notice", text, tool: null };
}
