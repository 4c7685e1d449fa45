import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import { type Instant, parseInstant } from "../../domain/time.ts";
import type { NewEntry } from "../../domain/transcript/entry.ts";
import type { Notes, Seen } from "../agent.ts";
import { callIn, noteAnswered, noteOpened, openCalls } from "./calls.ts";
import { objectIn, textIn, textOf, texts } from "./lines.ts";
import { over, type Turn, working } from "./signals.ts";
import { usageIn } from "./usage.ts";

/** The name of a rollout ends in the id of its conversation; one that was reverted has an id of its own behind it. */
const NAME = /^rollout-.+-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:_[\da-f-]+)?\.jsonl$/;

export function transcriptName(name: string): Seen["identity"] | undefined {
  const nativeId = NAME.exec(name)?.[1];
  return nativeId === undefined ? undefined : { nativeId };
}

/** Sub-agents run in the process of the session that they help, each with a rollout of its own. */
export function isOwnTranscript(firstLine: string): boolean {
  const { type, payload } = readJsonObject(firstLine) ?? {};
  const { thread_source: source = "user", parent_thread_id: parent = null } = objectIn(payload);
  return type === "session_meta" && source === "user" && parent === null;
}

/** One line of the rollout. Where the app server tells the same by its protocol, only the usage is taken from here. */
export function transcript(text: string, notes: Notes): Seen {
  const line = readJsonObject(text);
  const at = parseInstant(textOf(line?.timestamp) ?? "");
  if (line === undefined || at === undefined) return {};
  const payload = objectIn(line.payload);
  if (line.type === "token_usage_record") return { at, ...usageSeen(payload, at, notes) };
  if (line.type === "turn_context" && typeof payload.model === "string")
    return { at, identity: { model: payload.model }, notes: { model: payload.model } };
  if (notes.thread !== undefined) return { at };
  return { at, ...seenIn(line.type, payload, notes) };
}

function usageSeen(payload: JsonObject, at: Instant, notes: Notes): Seen {
  const usage = usageIn(payload, at, notes.model ?? null);
  return usage ? { usage: [usage] } : {};
}

function seenIn(type: unknown, payload: JsonObject, notes: Notes): Seen {
  if (type === "session_meta")
    return { identity: texts({ nativeId: payload.id, agentVersion: payload.cli_version }) };
  if (type === "event_msg") return eventSeen(payload);
  return type === "response_item" ? callSeen(payload, notes) : {};
}

/** A turn's end is believed whatever was reported: reports may leave it out. */
function eventSeen(payload: JsonObject): Seen {
  switch (payload.type) {
    case "task_started":
      return {
        signal: working({ source: "transcript", rule: "rollout_task_started" }),
        turn: { isBegun: true },
        notes: { turn: "open", calls: "[]" },
      };
    case "task_complete":
      return completed(payload);
    case "turn_aborted":
      return turnOver("rollout_turn_aborted", "aborted", textOf(payload.reason));
    case "item_completed":
      return itemSeen(objectIn(payload.item));
    default:
      return {};
  }
}

function completed({ error }: JsonObject): Seen {
  const why = textOf(objectIn(error).message);
  const turn = error === undefined || error === null ? "good" : "failed";
  const entry: NewEntry = { role: "system", kind: "notice", text: why, tool: null };
  return {
    ...turnOver("rollout_task_complete", turn, why),
    ...(why === null ? {} : { entries: [entry] }),
  };
}

function turnOver(rule: string, turn: Turn, excerpt: string | null): Seen {
  const signal = over({ source: "transcript", rule }, turn, excerpt);
  return {
    signal: { ...signal, fillsGap: true },
    isTurnRead: true,
    turn: { over: { result: turn, why: turn === "failed" ? excerpt : null } },
    notes: { turn: "over" },
  };
}

function itemSeen(item: JsonObject): Seen {
  switch (item.type) {
    case "UserMessage":
      return said("user", "text", textIn(item.content));
    case "AgentMessage":
      return said("assistant", "text", textIn(item.content));
    case "Reasoning":
      return said("assistant", "thinking", textIn(item.summary_text) || textIn(item.raw_content));
    default:
      return {};
  }
}

function said(role: "user" | "assistant", kind: "text" | "thinking", text: string): Seen {
  if (text === "") return {};
  return { entries: [{ role, kind, text, tool: null }], ...(role === "user" ? { taken: [text] } : {}) };
}

function callSeen(payload: JsonObject, notes: Notes): Seen {
  const call = callIn(payload);
  if (call) {
    const tool = { name: call.name, callId: call.id, params: call.input };
    return {
      entries: [{ role: "assistant", kind: "tool_call", text: null, tool }],
      notes: noteOpened(notes, call),
    };
  }
  const { type, call_id: id, output } = payload;
  const isResult = type === "function_call_output" || type === "custom_tool_call_output";
  return isResult && typeof id === "string" ? resultSeen(id, textIn(output), notes) : {};
}

/** A script that tells more than once answers the same call again. */
function resultSeen(id: string, result: string, notes: Notes): Seen {
  const name = openCalls(notes).find((call) => call.id === id)?.name ?? "tool";
  const tool = { name, callId: id, result };
  return {
    entries: [{ role: "tool", kind: "tool_result", text: null, tool }],
    notes: noteAnswered(notes, id),
  };
}
