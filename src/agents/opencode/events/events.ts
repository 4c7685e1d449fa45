import { type JsonObject, readJsonObject } from "../../../domain/json.ts";
import { INTERRUPTED, type NewEntry } from "../../../domain/transcript/entry.ts";
import { countOf, objectOf, textFields, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { ServerEvent } from "../../sources.ts";
import { openConversation, showCall } from "../calls.ts";
import { isChild, isOwn, nativeOf, type OpencodeMemory, textsIn, withNewest } from "../memory.ts";
import { permissionIn, questionIn } from "../requests.ts";
import { errorOf, isAborted } from "../signals.ts";
import { parseAsked, parseReplied } from "./asked.ts";
import { parseMessage, parsePart } from "./messages.ts";
import { NOT_BEGUN, parseStatus } from "./status.ts";

type Known = Parsed<OpencodeMemory>;

/** One event of its server; `data` has type and properties. */
export function parseEvent({ data }: ServerEvent, memory: OpencodeMemory): Known {
  const event = readJsonObject(data);
  if (event === undefined) return {};
  const properties = objectOf(event.properties);
  switch (event.type) {
    case "session.created":
      return parseCreated(objectOf(properties.info), memory);
    case "session.updated":
      return parseUpdated(objectOf(properties.info), memory);
    case "session.status":
      return isOwn(properties.sessionID, memory) ? parseStatus(objectOf(properties.status), memory) : {};
    case "session.error":
      return isOwn(properties.sessionID, memory) ? parseError(objectOf(properties.error)) : {};
    case "message.updated":
      return parseMessage(objectOf(properties.info), memory);
    case "message.part.updated":
      return parsePart(objectOf(properties.part), memory);
    case "permission.asked":
      return parseAsked(permissionIn(properties), properties, memory);
    case "question.asked":
      return parseAsked(questionIn(properties), properties, memory);
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
      return parseReplied(textOf(properties.requestID), memory);
    case "server.heartbeat":
      return parseHeartbeat(memory);
    default:
      return {};
  }
}

/** A session of its own is the conversation; one with a parent is a sub-agent. */
function parseCreated(info: JsonObject, memory: OpencodeMemory): Known {
  const { id, parentID, version, time } = info;
  if (typeof id !== "string" || id === "") return {};
  if (typeof parentID === "string")
    return { memory: { children: withNewest(textsIn(memory, "children"), id) } };
  // The call that seemed to hang was carried out after all: the other conversation has the first text.
  if (memory.isAskedAgain === true && nativeOf(memory) !== null) return { memory: { isAskedAgain: false } };
  const bornMs = countOf(objectOf(time).created) ?? 0;
  return {
    identity: { nativeId: id, ...textFields({ agentVersion: version }) },
    memory: {
      native: id,
      forkOf: null,
      bornMs,
      firstMessage: null,
      openAnswer: null,
      ...OPENED,
      ...NOT_BEGUN,
    },
    ...(memory.hasTerminal === true ? { reply: showCall(id) } : {}),
    signal: { source: "protocol", rule: "session_created", excerpt: null, says: "ready" },
  };
}

/** A sub-agent of an earlier launch may go on in this one. */
function parseUpdated({ id, parentID }: JsonObject, memory: OpencodeMemory): Known {
  const isNew = typeof id === "string" && typeof parentID === "string" && !isChild(id, memory);
  return isNew ? { memory: { children: withNewest(textsIn(memory, "children"), id) } } : {};
}

function parseError(value: JsonObject): Known {
  const error = errorOf(value);
  return error === undefined ? {} : { memory: { error }, entries: [noticeOf(error)] };
}

function noticeOf({ name, message }: { readonly name: string; readonly message: string }): NewEntry {
  const notice = { role: "system", kind: "notice", tool: null } as const;
  if (!isAborted(name)) return { ...notice, text: message };
  return { ...notice, text: "Interrupted by the user.", name: INTERRUPTED };
}

const OPENED = { isOpening: false, hasWaited: false } as const satisfies OpencodeMemory;

/** Its first call may hang for ever, and was given up then: it is made again when two heartbeats have come since. */
function parseHeartbeat(memory: OpencodeMemory): Known {
  if (memory.isOpening !== true || nativeOf(memory) !== null) return {};
  if (memory.hasWaited !== true) return { memory: { hasWaited: true } };
  const again = openConversation({ ...memory, isOpening: false });
  return { ...again, memory: { ...again.memory, hasWaited: false, isAskedAgain: true } };
}
