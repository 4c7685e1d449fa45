import type { Json } from "../../domain/json.ts";
import type { Lines } from "../deed.ts";
import { jsonLines } from "../json-lines.ts";

/** The version of the protocol that this codec speaks. */
export const VERSION = 1;

/** The ids of our requests; each answer has the id of its request. */
export const INITIALIZE = "initialize";
export const OPEN = "open";
export const MODEL = "model";
export const SETTLE = "settle";
export const CLOSE = "close";
const PROMPT = "prompt-";

/** The id of the n-th text of a launch. */
export function promptId(number: number): string {
  return `${PROMPT}${number}`;
}

export function isPromptId(id: Json | undefined): boolean {
  return typeof id === "string" && id.startsWith(PROMPT);
}

/** Errors of the protocol that have a meaning of their own. */
export const AUTH_REQUIRED = -32000;
export const REQUEST_CANCELLED = -32800;
const METHOD_NOT_FOUND = -32601;

export function request(id: string, method: string, params: object): object {
  return { jsonrpc: "2.0", id, method, params };
}

export function notification(method: string, params: object): object {
  return { jsonrpc: "2.0", method, params };
}

export function answer(id: Json, result: object): object {
  return { jsonrpc: "2.0", id, result };
}

/** The answer to what we do not offer, so that the agent does not wait for it. */
export function notOffered(id: Json, method: string): Lines {
  const error = { code: METHOD_NOT_FOUND, message: `Rollcall does not offer ${method}.` };
  return jsonLines({ jsonrpc: "2.0", id, error });
}

/** The first line. We offer neither files nor terminals: the agent has its own. */
export function initializeRequest(): object {
  return request(INITIALIZE, "initialize", {
    protocolVersion: VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: "rollcall", title: "Rollcall", version: "0" },
  });
}

/** The person's decision on a request: an option of the agent's, or none because the turn is cancelled. */
export function decision(id: Json, optionId: string | null): object {
  const outcome = optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  return answer(id, { outcome });
}
