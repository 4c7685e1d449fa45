import type { JsonObject } from "../../../domain/json.ts";

/** A line of JSON that Claude Code reads in its two-way stream. */
type Line = Readonly<Record<string, unknown>>;

/** Our own ids begin like this; the answers have them. */
export const INITIALIZE = "rollcall-initialize";

export function initializeLine(): Line {
  return { type: "control_request", request_id: INITIALIZE, request: { subtype: "initialize" } };
}

export function interruptLine(): Line {
  return { type: "control_request", request_id: "rollcall-interrupt", request: { subtype: "interrupt" } };
}

export function userLine(text: string): Line {
  return { type: "user", message: { role: "user", content: text } };
}

/** Claude Code wants the input back, and runs the one that it is given. Rules are those that it suggested itself. */
export function allowLine(
  requestId: string,
  updatedInput: JsonObject,
  updatedPermissions?: readonly JsonObject[],
): Line {
  const rules = updatedPermissions === undefined ? {} : { updatedPermissions };
  return responseLine(requestId, { behavior: "allow", updatedInput, ...rules });
}

export function denyLine(requestId: string, message: string): Line {
  return responseLine(requestId, { behavior: "deny", message });
}

/** The answer to a request that Rollcall does not know: without one it would wait for ever. */
export function notOfferedLine(requestId: string): Line {
  return {
    type: "control_response",
    response: { subtype: "error", request_id: requestId, error: "This is not offered here." },
  };
}

function responseLine(requestId: string, response: Line): Line {
  return { type: "control_response", response: { subtype: "success", request_id: requestId, response } };
}
