import type { JsonObject } from "../../../domain/json.ts";
import { countOf, objectOf, textFields, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { bornMsOf, isChild, isOwn, type OpencodeMemory, textsIn, withNewest } from "../memory.ts";
import { errorOf } from "../signals.ts";
import { momentOf, usageOf } from "../usage.ts";
import { entriesOfPart } from "./entries.ts";
import { NOT_BEGUN } from "./status.ts";

type Known = Parsed<OpencodeMemory>;

/** A message is told with every change. Its words are in its parts. */
export function parseMessage(info: JsonObject, memory: OpencodeMemory): Known {
  const { id, sessionID, role } = info;
  if (typeof id !== "string" || typeof sessionID !== "string") return {};
  const usage = usageOf(info);
  const used = usage === undefined ? {} : { usage: [usage] };
  // Without a database nothing else keeps the requests of a sub-agent: they are its session's then.
  if (isChild(sessionID, memory))
    return memory.hasNoDatabase === true ? used : { child: { nativeId: sessionID } };
  if (!isOwn(sessionID, memory)) return role === "user" ? parseOther(id, sessionID, info) : {};
  if (isCopy(info, memory)) return {};
  const first = textOf(memory.firstMessage ?? undefined) === null ? { firstMessage: id } : {};
  if (role === "user") return { ...chosenIn(info), memory: { ...first, ...asUser(id, info, memory) } };
  return { ...used, ...modelIn(info), memory: { ...first, ...answerState(id, info, memory) } };
}

/** A part of a message, which is told again with every change of it. */
export function parsePart(part: JsonObject, memory: OpencodeMemory): Known {
  const { sessionID, messageID } = part;
  if (!isOwn(sessionID, memory) || typeof messageID !== "string") return {};
  const first = textOf(memory.firstMessage ?? undefined);
  if (first === null || messageID < first) return {};
  const role = textsIn(memory, "userMessages").includes(messageID) ? "user" : "assistant";
  const told = textsIn(memory, "told");
  const news = entriesOfPart(part, role).filter(({ key }) => !told.includes(key));
  if (news.length === 0) return {};
  const entries = news.map(({ entry }) => entry);
  const taken = role === "user" ? entries.flatMap(({ text }) => text ?? []) : [];
  return {
    ...timeOfPart(part),
    entries,
    ...(taken.length === 0 ? {} : { taken }),
    memory: { told: withNewest(told, ...news.map(({ key }) => key)) },
  };
}

/** Its user went on in another conversation. What is told of an older text, such as its summary, does not say so. */
function parseOther(id: string, sessionID: string, info: JsonObject): Known {
  if (info.summary !== undefined) return {};
  const begun = { native: sessionID, bornMs: 0, firstMessage: id, openAnswer: null, ...NOT_BEGUN };
  return { identity: { nativeId: sessionID }, memory: { ...begun, hasText: true, userMessages: [id] } };
}

function isCopy({ time }: JsonObject, memory: OpencodeMemory): boolean {
  const created = countOf(objectOf(time).created);
  return created !== null && created < bornMsOf(memory);
}

/** The next text goes to the agent and model that its user has chosen. */
function asUser(id: string, info: JsonObject, memory: OpencodeMemory): Partial<OpencodeMemory> {
  const { providerID, modelID } = objectOf(info.model);
  const isChosen = typeof providerID === "string" && typeof modelID === "string";
  const known = textsIn(memory, "userMessages");
  return {
    // A text is told again with its summary.
    ...(known.includes(id) ? {} : { hasText: true }),
    userMessages: withNewest(known, id),
    ...textFields({ agent: info.agent }),
    ...(isChosen ? { model: `${providerID}/${modelID}` } : {}),
  };
}

function chosenIn({ model }: JsonObject): Known {
  return modelIn(objectOf(model));
}

function modelIn({ providerID, modelID }: JsonObject): Known {
  if (typeof providerID !== "string" || typeof modelID !== "string") return {};
  return { identity: { model: `${providerID}/${modelID}` } };
}

function answerState(id: string, info: JsonObject, memory: OpencodeMemory): Partial<OpencodeMemory> {
  const isOpen = countOf(objectOf(info.time).completed) === null;
  const finish = textOf(info.finish);
  const failed = errorOf(objectOf(info.error));
  const error = failed === undefined ? {} : { error: failed };
  if (isOpen) return { openAnswer: id, finish, ...error };
  return { finish, ...error, ...(memory.openAnswer === id ? { openAnswer: null } : {}) };
}

function timeOfPart(part: JsonObject): Known {
  const { start, end } = objectOf(part.time);
  const at = momentOf(end) ?? momentOf(start);
  return at === undefined ? {} : { at };
}
