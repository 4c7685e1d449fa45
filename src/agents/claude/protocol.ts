import type { JsonObject } from "../../domain/json.ts";

/** The lines of JSON that it takes in its two-way stream. */
type Line = Readonly<Record<string, unknown>>;

/** Our own ids begin like this; it answers with them. */
export const INITIALIZE = "rollcall-initialize";

export function initialize(): string {
  return written({ type: "control_request", request_id: INITIALIZE, request: { subtype: "initialize" } });
}

export function interrupt(): string {
  return written({
    type: "control_request",
    request_id: "rollcall-interrupt",
    request: { subtype: "interrupt" },
  });
}

export function said(text: string): string {
  return written({ type: "user", message: { role: "user", content: text } });
}

/** It wants the input back, and runs what it is given. */
export function allowed(requestId: string, updatedInput: JsonObject): string {
  return answered(requestId, { behavior: "allow", updatedInput });
}

/** By rules that it suggested itself. */
export function allowedForGood(
  requestId: string,
  updatedInput: JsonObject,
  updatedPermissions: readonly JsonObject[],
): string {
  return answered(requestId, { behavior: "allow", updatedInput, updatedPermissions });
}

export function refused(requestId: string, message: string): string {
  return answered(requestId, { behavior: "deny", message });
}

/** For what Rollcall has no words for: without an answer it would wait for ever. */
export function notOffered(requestId: string): string {
  return written({
    type: "control_response",
    response: { subtype: "error", request_id: requestId, error: "This is not offered here." },
  });
}

function answered(requestId: string, response: Line): string {
  return written({
    type: "control_response",
    response: { subtype: "success", request_id: requestId, response },
  });
}

function written(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}
