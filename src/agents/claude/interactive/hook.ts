import { isJsonObject, type JsonObject } from "../../../domain/json.ts";
import { textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { type Call, type ClaudeMemory, hookCalls } from "../memory.ts";
import { isAbout, requestOf } from "../requests.ts";
import { parseSessionStart } from "../session-start.ts";
import { readySignal, requestSignal, turnOverSignal } from "../signals.ts";

/** An event of the hooks in its settings: its identity, and requests in full. */
export function parseHook(event: string, payload: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  if (event === "SessionStart") return parseSessionStart(payload);
  if (event === "PermissionRequest") return parseRequest(payload, memory);
  if (event === "SessionEnd") return parseSessionEnd(payload, memory);
  return {};
}

/** A person told it to leave. It reports that it works on that; the transcript knows whether it was in a turn. */
function parseSessionEnd({ reason }: JsonObject, { inTurn }: ClaudeMemory): Parsed<ClaudeMemory> {
  if (reason !== "prompt_input_exit") return {};
  const rule = "hook_session_end";
  const signal = inTurn === true ? turnOverSignal("hook", rule, "aborted") : readySignal("hook", rule);
  return { signal: { ...signal, fillsGap: true } };
}

function parseRequest({ tool_name, tool_input }: JsonObject, memory: ClaudeMemory): Parsed<ClaudeMemory> {
  if (typeof tool_name !== "string") return {};
  const call: Call = { tool: tool_name, input: isJsonObject(tool_input) ? tool_input : {} };
  const asked = requestOf(call);
  const signal = requestSignal("hook", "hook_permission_request", asked, asked.question ?? call.tool);
  const blocked = textOf(memory.blocked);
  // The report that is open is about this call, and lacks it.
  if (blocked !== null && memory.isCallKnown !== true && isAbout(blocked, call))
    return { signal, memory: { isCallKnown: true } };
  const later = { hookCalls: [...hookCalls(memory), call] };
  return blocked === null ? { signal, memory: later } : { memory: later };
}
