import { isJsonObject, type JsonObject, readJsonObject } from "../../domain/json.ts";
import type { Notes, Seen } from "../agent.ts";
import { askedBy } from "./asked.ts";
import { blocksOf, objectOf, textOf } from "./lines.ts";
import { type Pending, pendingIn, rulesIn } from "./notes.ts";
import { INITIALIZE, notOffered } from "./protocol.ts";
import { asking, ended, ready, working } from "./signals.ts";

/** One line of an autonomous session: what it does and asks. What it says is in its transcript, with what it used. */
export function stream(text: string, notes: Notes): Seen {
  const line = readJsonObject(text);
  switch (line?.type) {
    case "control_response":
      return responded(objectOf(line.response), notes);
    case "control_request":
      return requested(line, notes);
    case "control_cancel_request":
      return settled(notes, ({ requestId }) => requestId === line.request_id);
    case "system":
      return told(line, notes);
    case "user":
      return resulted(line, notes);
    case "result":
      return finished(line, notes);
    default:
      return {};
  }
}

/** To our first line, or our own answer to a request, repeated. */
function responded({ request_id, subtype, response }: JsonObject, notes: Notes): Seen {
  if (request_id !== INITIALIZE) return answered(notes, ({ requestId }) => requestId === request_id);
  if (subtype !== "success") return {};
  const version = textOf(objectOf(response).claude_code_version);
  return {
    signal: ready("stream", "stream_initialized"),
    ...(version === null ? {} : { identity: { agentVersion: version } }),
  };
}

function requested({ request_id, request }: JsonObject, notes: Notes): Seen {
  const { subtype, tool_name, tool_use_id, input, permission_suggestions } = objectOf(request);
  if (typeof request_id !== "string") return {};
  if (subtype !== "can_use_tool" || typeof tool_name !== "string" || !isJsonObject(input))
    return { reply: notOffered(request_id) };
  const pending = pendingIn(notes);
  if (pending.some(({ requestId }) => requestId === request_id)) return {};
  const rules = rulesIn(permission_suggestions);
  const asked = { requestId: request_id, tool: tool_name, input, callId: textOf(tool_use_id), rules };
  // Those of sub-agents may stand beside each other: the oldest is asked for first.
  return { ...(pending.length === 0 ? ask(asked) : {}), notes: kept([...pending, asked]) };
}

function ask(pending: Pending): Seen {
  const asked = askedBy(pending, pending.requestId);
  return { signal: asking("stream", "stream_request", asked, asked.question ?? asked.tool) };
}

/** No longer asked for: it was answered or withdrawn, or its result is there. */
function settled(notes: Notes, isIt: (pending: Pending) => boolean): Seen {
  const pending = pendingIn(notes);
  const rest = pending.filter((one) => !isIt(one));
  if (rest.length === pending.length) return {};
  const [next] = rest;
  return { ...(next && next !== pending[0] ? ask(next) : {}), notes: kept(rest) };
}

function answered(notes: Notes, isIt: (pending: Pending) => boolean): Seen {
  const seen = settled(notes, isIt);
  if (seen.notes?.pending !== "") return seen;
  return { ...seen, signal: working("stream", "stream_answered") };
}

function kept(pending: readonly Pending[]): Notes {
  return { pending: pending.length === 0 ? "" : JSON.stringify(pending) };
}

function told(line: JsonObject, notes: Notes): Seen {
  switch (line.subtype) {
    case "session_state_changed":
      return changed(line.state, notes);
    case "init":
      return { ...begun(notes), identity: identityOf(line) };
    case "background_tasks_changed":
      return { notes: { tasks: Array.isArray(line.tasks) && line.tasks.length > 0 ? "yes" : "" } };
    default:
      return {};
  }
}

/** Its own word, which also knows of sub-agents in the background. */
function changed(state: JsonObject[string] | undefined, notes: Notes): Seen {
  const known = { states: "yes", pending: "" };
  if (state === "running") return { signal: working("stream", "stream_running"), notes: known };
  if (state !== "idle") return { notes: { states: "yes" } };
  return { ...atRest(notes, "stream_idle"), notes: { ...known, turn: "", error: "" } };
}

function atRest({ turn, error }: Notes, rule: string): Seen {
  if (turn !== "good" && turn !== "failed" && turn !== "aborted") return { signal: ready("stream", rule) };
  return { signal: ended("stream", rule, turn, error || null) };
}

/** Each turn begins with it; a release that tells no states is known by nothing else. */
function begun({ states }: Notes): Seen {
  return states === "yes" ? {} : { signal: working("stream", "stream_init") };
}

function identityOf({
  session_id,
  model,
  claude_code_version: version,
}: JsonObject): NonNullable<Seen["identity"]> {
  return {
    ...(typeof session_id === "string" ? { nativeId: session_id } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(typeof version === "string" ? { agentVersion: version } : {}),
  };
}

function resulted({ message }: JsonObject, notes: Notes): Seen {
  const ids = blocksOf(objectOf(message).content).map(({ tool_use_id }) => tool_use_id);
  return answered(notes, ({ callId }) => callId !== null && ids.includes(callId));
}

/** An error says `success`, too; `is_error` tells. */
function finished(line: JsonObject, notes: Notes): Seen {
  const isAborted = textOf(line.terminal_reason)?.startsWith("aborted") === true;
  const turn = line.is_error !== true ? "good" : isAborted ? "aborted" : "failed";
  const error = turn === "failed" ? (textOf(line.result) ?? firstOf(line.errors) ?? "") : "";
  const isOver = notes.states !== "yes" && notes.tasks !== "yes" && pendingIn(notes).length === 0;
  if (!isOver) return { notes: { turn, error } };
  return { ...atRest({ turn, error }, "stream_result"), notes: { turn: "", error: "" } };
}

function firstOf(errors: JsonObject[string] | undefined): string | null {
  return Array.isArray(errors) ? textOf(errors[0]) : null;
}
