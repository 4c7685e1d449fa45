import { isJsonObject, type Json } from "../../../domain/json.ts";
import type { NewEntry } from "../../../domain/transcript/entry.ts";
import type { UsageEntry } from "../../../domain/usage.ts";
import { listOf, objectOf, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { CatchUp } from "../../sources.ts";
import { openConversation, pathPart } from "../calls.ts";
import { nativeOf, type OpencodeMemory, type OpenRequest, openRequests, textsIn } from "../memory.ts";
import { permissionIn, questionIn } from "../requests.ts";
import { MOST_REQUESTS } from "./asked.ts";
import { parseMessage, parsePart } from "./messages.ts";
import { parseRest, parseStatus } from "./status.ts";

export const missedMessages: CatchUp<OpencodeMemory> = {
  // Without a conversation there are no messages, and any short answer will do.
  path: (memory) => {
    const native = nativeOf(memory);
    return native === null ? "/global/health" : `/session/${pathPart(native)}/message?limit=200`;
  },
  parse: parseMissed,
};

/** Asked for at every connection, in this order. */
export const catchUp: readonly CatchUp<OpencodeMemory>[] = [
  {
    path: () => "/global/health",
    parse: (body) => {
      const { version } = objectOf(body);
      return typeof version === "string" ? { identity: { agentVersion: version } } : {};
    },
  },
  { path: () => "/permission", parse: (body, memory) => parseListed(body, "permission", memory) },
  { path: () => "/question", parse: (body, memory) => parseListed(body, "question", memory) },
  missedMessages,
  { path: () => "/session/status", parse: parseStatuses },
];

/** The requests of one kind that nobody has answered. Those of turns that are over are listed, too. */
function parseListed(body: Json, kind: OpenRequest["kind"], memory: OpencodeMemory): Parsed<OpencodeMemory> {
  const sessions = [nativeOf(memory), ...textsIn(memory, "children")];
  const stale = textsIn(memory, "stale");
  const listed = listOf(body).flatMap((one) => {
    const request = kind === "permission" ? permissionIn(objectOf(one)) : questionIn(objectOf(one));
    const isOurs = sessions.includes(textOf(objectOf(one).sessionID)) && !stale.includes(request?.id ?? "");
    return request !== undefined && isOurs ? [request] : [];
  });
  const others = openRequests(memory).filter((one) => one.kind !== kind);
  return { memory: { requests: [...others, ...listed].slice(0, MOST_REQUESTS) } };
}

/** Messages of this launch: what is in the record is left out, as in the events. */
function parseMissed(body: Json, memory: OpencodeMemory): Parsed<OpencodeMemory> {
  let news: Partial<OpencodeMemory> = {};
  const entries: NewEntry[] = [];
  const usage: UsageEntry[] = [];
  const first = textOf(memory.firstMessage ?? undefined);
  if (first === null) return {};
  for (const message of listOf(body)) {
    const { info, parts } = objectOf(message);
    const { id } = objectOf(info);
    if (typeof id !== "string" || id < first) continue;
    const pieces = [
      (now: OpencodeMemory) => parseMessage(objectOf(info), now),
      ...listOf(parts).map((part) => (now: OpencodeMemory) => parsePart(objectOf(part), now)),
    ];
    for (const parse of pieces) {
      const found = parse({ ...memory, ...news });
      news = { ...news, ...found.memory };
      entries.push(...(found.entries ?? []));
      usage.push(...(found.usage ?? []));
    }
  }
  return { entries, usage, memory: news };
}

/** Only sessions that are busy are listed. */
function parseStatuses(body: Json, memory: OpencodeMemory): Parsed<OpencodeMemory> {
  const native = nativeOf(memory);
  const statuses = objectOf(body);
  const status = native !== null && Object.hasOwn(statuses, native) ? statuses[native] : undefined;
  if (isJsonObject(status)) return parseStatus(status, memory);
  const isUp = memory.isUp === true || memory.hasTerminal !== true;
  if (!isUp) return {};
  return native === null ? openConversation(memory) : parseRest(memory);
}
