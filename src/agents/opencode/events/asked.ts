import type { JsonObject } from "../../../domain/json.ts";
import type { Parsed } from "../../parsed.ts";
import { isChild, isOwn, type OpencodeMemory, type OpenRequest, openRequests, textsIn } from "../memory.ts";
import { busySignal } from "../signals.ts";

/** Nobody answers so many; the agent is asked for those beyond when it is connected to again. */
export const MOST_REQUESTS = 100;

/** Requests of sub-agents are put to the same person. */
export function parseAsked(
  request: OpenRequest | undefined,
  { sessionID }: JsonObject,
  memory: OpencodeMemory,
): Parsed<OpencodeMemory> {
  const isOurs = isOwn(sessionID, memory) || isChild(sessionID, memory);
  if (request === undefined || !isOurs || textsIn(memory, "stale").includes(request.id)) return {};
  const others = openRequests(memory).filter(({ id }) => id !== request.id);
  const requests = [...others, request].slice(0, MOST_REQUESTS);
  return { signal: busySignal("request_asked", { ...memory, requests }), memory: { requests } };
}

/** The next open request, if any, is asked now. */
export function parseReplied(requestId: string | null, memory: OpencodeMemory): Parsed<OpencodeMemory> {
  const known = openRequests(memory);
  const requests = known.filter(({ id }) => id !== requestId);
  if (requests.length === known.length) return {};
  return { signal: busySignal("request_answered", { ...memory, requests }), memory: { requests } };
}
