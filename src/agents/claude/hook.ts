import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import type { Notes, Seen } from "../agent.ts";
import { askedBy, type Call, isAbout } from "./asked.ts";
import { callsIn } from "./notes.ts";
import { asking, ended, ready } from "./signals.ts";

/** What it tells the hooks of its settings: who it is, and what it asks for in full. */
export function hook(event: string, payload: JsonObject, notes: Notes): Seen {
  if (event === "SessionStart") return started(payload);
  if (event === "PermissionRequest") return requested(payload, notes);
  if (event === "SessionEnd") return leaving(payload, notes);
  return {};
}

/** Also after `/clear`, which begins another conversation in a file of its own. */
function started({ session_id, model, transcript_path, source }: JsonObject): Seen {
  return {
    identity: {
      ...(typeof session_id === "string" ? { nativeId: session_id } : {}),
      ...(typeof model === "string" ? { model } : {}),
    },
    ...(typeof transcript_path === "string" ? { transcript: transcript_path } : {}),
    notes: { hooks: "yes", ...(source === "clear" ? { cleared: "yes" } : {}) },
  };
}

/** Someone told it to leave. It reports that it works on that; the transcript knows whether it was in a turn. */
function leaving({ reason }: JsonObject, { inTurn }: Notes): Seen {
  if (reason !== "prompt_input_exit") return {};
  const rule = "hook_session_end";
  const signal = inTurn === "yes" ? ended("hook", rule, "aborted") : ready("hook", rule);
  return { signal: { ...signal, fillsGap: true } };
}

function requested({ tool_name, tool_input }: JsonObject, notes: Notes): Seen {
  if (typeof tool_name !== "string") return {};
  const call: Call = { tool: tool_name, input: isJsonObject(tool_input) ? tool_input : {} };
  const asked = askedBy(call);
  const signal = asking("hook", "hook_permission_request", asked, asked.question ?? call.tool);
  const { blocked, told } = notes;
  // The report that is open is about this call, and lacks it.
  if (blocked && told !== "yes" && isAbout(blocked, call)) return { signal, notes: { told: "yes" } };
  const later = { calls: JSON.stringify([...callsIn(notes), call]) };
  return blocked ? { notes: later } : { signal, notes: later };
}
