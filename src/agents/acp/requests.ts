import type { Json, JsonObject } from "../../domain/json.ts";
import { shortParams, shortText } from "../../domain/short-value.ts";
import { idOf, jsonLines, listOf, objectOf, textOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import { type AcpMemory, callOf, type Option, type Pending, pendingRequests } from "./memory.ts";
import { decision, notOffered } from "./protocol.ts";
import { afterAnswer, askSignal } from "./signals.ts";
import { callParams, mergeCall, tellCall } from "./tool-calls.ts";

/** Nobody answers so many; what an agent asks for beyond them is refused. */
const MOST_PENDING = 100;
const MOST_OPTIONS = 100;
const MOST_NAME_CHARS = 200;
const MOST_QUESTION_CHARS = 1000;

/** A request of the agent. One that is not for a person is answered at once, or the agent would wait for ever. */
export function parseRequest(
  id: Json,
  method: string,
  params: JsonObject,
  memory: AcpMemory,
): Parsed<AcpMemory> {
  if (method !== "session/request_permission") return { reply: notOffered(id, method) };
  const pending = pendingRequests(memory);
  const hasId = typeof id === "number" || idOf(id) !== null;
  // The turn is being cancelled: so is all that it asks for.
  if (memory.isCancelled === true || !hasId) return { reply: jsonLines(decision(id, null)) };
  const asked = pendingOf(id, params, memory);
  if (pending.some(({ requestId }) => requestId === asked.requestId)) return {};
  if (pending.length >= MOST_PENDING) return { reply: jsonLines(decision(id, null)) };
  const told = tellCall(objectOf(params.toolCall), memory);
  return {
    ...told,
    // Calls may be made side by side: the oldest request is asked for first.
    ...(pending.length === 0 ? { signal: askSignal(asked) } : {}),
    memory: { ...told.memory, pending: [...pending, asked] },
  };
}

/** The agent takes a request back. */
export function parseWithdrawn({ requestId }: JsonObject, memory: AcpMemory): Parsed<AcpMemory> {
  const pending = pendingRequests(memory);
  const rest = pending.filter(({ id }) => id !== requestId);
  return rest.length === pending.length ? {} : afterAnswer(rest, "request_withdrawn", memory);
}

/** The transcript has the call in full: the memory is written again with each piece. */
function pendingOf(id: Json, { toolCall, options }: JsonObject, memory: AcpMemory): Pending {
  const callId = idOf(objectOf(toolCall).toolCallId) ?? "";
  const call = mergeCall(callOf(memory, callId), objectOf(toolCall));
  return {
    requestId: requestIdOf(id, memory),
    id,
    callId,
    tool: shortText(call.name, MOST_NAME_CHARS),
    input: shortParams(callParams(call)),
    question: shortText(call.title, MOST_QUESTION_CHARS),
    options: listOf(options).slice(0, MOST_OPTIONS).flatMap(optionOf),
  };
}

/** The agent counts its requests from 0 in every process: in the record their ids have the launch before them. */
function requestIdOf(id: Json, { launch }: AcpMemory): string {
  return `${textOf(launch) ?? ""}-${textOf(id) ?? JSON.stringify(id)}`;
}

function optionOf(option: Json): Option[] {
  const { optionId, kind, name } = objectOf(option);
  const id = idOf(optionId);
  const kindName = idOf(kind);
  if (id === null || kindName === null) return [];
  return [{ id, kind: kindName, name: shortText(textOf(name) ?? id, MOST_NAME_CHARS) }];
}
