import { type Asked, AT_PROMPT, type Signal } from "../../../domain/supervise/signal.ts";
import { textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { type ClaudeMemory, hookCalls } from "../memory.ts";
import { isAbout, requestOf } from "../requests.ts";
import { readySignal, requestSignal, turnOverSignal, workingSignal } from "../signals.ts";

type Fields = Readonly<Record<string, string>>;

/** The provider lets this account do nothing more for a while. */
const LIMIT = /\b(?:usage|hour|weekly|session|spending) limit\b|\bhit your\b.*\blimit\b/iu;

/** Its messages that name nothing in particular. */
const NAMELESS = ["dialog open", "permission prompt", "input needed"];

/** A report by OSC 7501. One with an `id` belongs to a sub-agent; requests of sub-agents have none. */
export function parseReport(fields: Fields, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  const { app, id, state } = fields;
  if (app !== "claude-code") return {};
  if (id !== undefined) return id === "" ? {} : { child: { nativeId: id } };
  const msg = decodeText(fields.msg);
  switch (state) {
    case "idle":
      return parseIdle(memory);
    case "working":
      return {
        signal: workingSignal("terminal", "report_working", msg),
        memory: { ...REPORTING, cleared: false },
      };
    case "done":
      return { signal: turnOverSignal("terminal", "report_done", "good"), memory: OVER, awaits: "turn" };
    case "error":
      return { signal: errorSignal(msg), memory: OVER, awaits: "turn" };
    case "blocked":
      return fields.kind === "auth" ? parseLogout(msg) : parseRequest(fields.kind, msg, memory);
    default:
      return {};
  }
}

const REPORTING: ClaudeMemory = { reports: true, blocked: null };
const OVER: ClaudeMemory = { ...REPORTING, hookCalls: [] };

/** A turn that ends without `done` was interrupted, unless it was a command that began another conversation. */
function parseIdle({ reports, cleared, blocked, fileStatus }: ClaudeMemory): Parsed<ClaudeMemory> {
  // The file has shown a turn already: this report is older than that.
  if (reports !== true && fileStatus === "busy") return { memory: OVER };
  const rule = "report_idle";
  if (cleared === true) return { signal: readySignal("terminal", rule), memory: { ...OVER, cleared: false } };
  if (textOf(blocked) !== null) return { signal: turnOverSignal("terminal", rule, "aborted"), memory: OVER };
  return { signal: readySignal("terminal", rule, "aborted"), memory: OVER };
}

function errorSignal(msg: string | null): Signal {
  if (msg === null || !LIMIT.test(msg)) return turnOverSignal("terminal", "report_error", "failed", msg);
  return requestSignal("terminal", "report_limit", { ...AT_PROMPT, for: "limit", question: msg }, msg);
}

/** It reports that it is blocked, but stands at its prompt: nothing continues before someone has logged in. */
function parseLogout(msg: string | null): Parsed<ClaudeMemory> {
  return { signal: turnOverSignal("terminal", "report_auth", "failed", msg), memory: OVER, awaits: "turn" };
}

/** The call itself comes by a hook, before this report or after it. */
function parseRequest(
  kind: string | undefined,
  msg: string | null,
  memory: ClaudeMemory,
): Parsed<ClaudeMemory> {
  const calls = hookCalls(memory);
  const call = kind === undefined ? undefined : calls.find((one) => isAbout(msg ?? "", one));
  const asked = call ? requestOf(call) : requestInReport(kind, msg, memory);
  const isHookToCome = !call && asked.for !== "dialog" && memory.hooks === true;
  return {
    ...(isHookToCome ? { awaits: "hook" } : {}),
    signal: requestSignal("terminal", `report_${asked.for}`, asked, msg),
    memory: {
      reports: true,
      blocked: msg ?? "something",
      isCallKnown: call !== undefined,
      hookCalls: calls.filter((one) => one !== call),
    },
  };
}

/** A hook, where there are some, completes the request in a moment, in its own words. */
function requestInReport(kind: string | undefined, msg: string | null, { hooks }: ClaudeMemory): Asked {
  const what = kind === "permission" || kind === "question" ? kind : "dialog";
  const isNameless = msg === null || NAMELESS.includes(msg) || (what !== "dialog" && hooks === true);
  return { ...AT_PROMPT, for: what, question: isNameless ? null : msg };
}

function decodeText(base64: string | undefined): string | null {
  return base64 === undefined || base64 === "" ? null : Buffer.from(base64, "base64").toString();
}
