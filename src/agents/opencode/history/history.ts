import type { JsonObject } from "../../../domain/json.ts";
import { nonEmptyText } from "../../../domain/json.ts";
import type { History, HistoryFacts, RecordTrace } from "../../history.ts";
import { countOf, listOf, objectOf, textOf } from "../../json-lines.ts";
import type { Parsed, TurnOver } from "../../parsed.ts";
import { entriesOfPart } from "../events/entries.ts";
import { errorOf, isAborted } from "../signals.ts";
import { momentOf, usageOf } from "../usage.ts";
import { database, databaseRoots } from "./database.ts";

export type HistoryMemory = {
  /** How the open turn stands; absent where none is open. */
  readonly open?: { readonly result: "good" | "aborted" | "failed"; readonly why: string | null } | null;
};

/** The conversations that OpenCode keeps in its database. A fork repeats its origin under new ids, and does not name it. */
export const history: History<HistoryMemory> = {
  reader: "sqlite",
  database,
  isNotArchived: true,
  roots: databaseRoots,
  placeOf(path) {
    // One that cannot be read stands for itself.
    if (database.files.test(path.slice(path.lastIndexOf("/") + 1))) return { nativeId: null };
    const [, nativeId] = /#(ses_\w+)$/u.exec(path) ?? [];
    return nativeId === undefined ? undefined : { nativeId };
  },
  describe: (record) => (record.type === "session" ? factsOf(record) : {}),
  trace,
  sort: ({ type }) => ({
    type: nonEmptyText(type) ?? "",
    is: type === "message" ? "known" : type === "session" ? "known" : "unknown",
  }),
  isNoiseType: () => false,
  parse: parseRecord,
  parseSubagent: parseRecord,
  usage: { parse: parseRecord, parseSubagent: parseRecord },
  afterCopies: { open: null },
  turnAtRest: ({ open }) => overOf(open),
};

function factsOf({ id, parent, directory, title, version, agent, created }: JsonObject): HistoryFacts {
  const startedAt = momentOf(created);
  const isHelper = typeof parent === "string";
  return {
    ...(typeof id === "string" ? { nativeId: id } : {}),
    ...(typeof directory === "string" ? { cwd: directory, kind: "interactive" } : {}),
    ...(typeof version === "string" ? { agentVersion: version } : {}),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(isHelper ? { parent } : {}),
    ...(isHelper && typeof agent === "string" ? { agentName: agent } : {}),
    ...(isHelper && typeof title === "string" ? { purpose: title } : {}),
  };
}

/** Copies have the times and tokens of the message that they repeat. */
function trace({ type, info, created }: JsonObject): RecordTrace {
  if (type !== "message") {
    const at = momentOf(created);
    return at === undefined ? {} : { at };
  }
  const { role, time, modelID, tokens } = objectOf(info);
  const { created: begun, completed } = objectOf(time);
  const at = momentOf(begun);
  if (at === undefined) return {};
  const key = JSON.stringify([
    role ?? null,
    begun ?? null,
    completed ?? null,
    modelID ?? null,
    tokens ?? null,
  ]);
  return { key, at };
}

/** The meaning of one message with its parts; whoever it belongs to. */
export function parseRecord(record: JsonObject, memory: HistoryMemory): Parsed<HistoryMemory> {
  if (record.type !== "message") return {};
  const info = objectOf(record.info);
  const at = momentOf(objectOf(info.time).created);
  const parts = listOf(record.parts).map((part) => ({
    ...objectOf(objectOf(part).data),
    id: objectOf(part).id ?? null,
  }));
  const said = { ...(at === undefined ? {} : { at }) };
  if (info.role === "user") return { ...said, ...parseUser(parts, memory) };
  return info.role === "assistant" ? { ...said, ...parseAnswer(info, parts) } : {};
}

/** A text begins a turn. What OpenCode adds by itself, as after a summary, belongs to the turn before. */
function parseUser(parts: readonly JsonObject[], { open }: HistoryMemory): Parsed<HistoryMemory> {
  const entries = parts.flatMap((part) => entriesOfPart(part, "user")).map(({ entry }) => entry);
  if (entries.length === 0) return {};
  const over = overOf(open);
  return {
    entries,
    turn: { ...(over === undefined ? {} : { over }), isBegun: true },
    memory: { open: { result: "aborted", why: null } },
  };
}

/** A turn is over with the answer that calls no tool, or with an error. */
function parseAnswer(info: JsonObject, parts: readonly JsonObject[]): Parsed<HistoryMemory> {
  const usage = usageOf(info);
  const model = modelOf(info);
  const entries = parts.flatMap((part) => entriesOfPart(part, "assistant")).map(({ entry }) => entry);
  const over = endOf(info);
  return {
    entries,
    ...(usage === undefined ? {} : { usage: [usage] }),
    ...(model === undefined ? {} : { identity: { model } }),
    ...(over === undefined ? {} : { turn: { over }, memory: { open: null } }),
  };
}

function modelOf({ providerID, modelID }: JsonObject): string | undefined {
  return typeof providerID === "string" && typeof modelID === "string"
    ? `${providerID}/${modelID}`
    : undefined;
}

function endOf(info: JsonObject): TurnOver | undefined {
  const error = errorOf(objectOf(info.error));
  if (error !== undefined)
    return isAborted(error.name)
      ? { result: "aborted", why: null }
      : { result: "failed", why: error.message };
  const finish = textOf(info.finish);
  const isDone =
    finish !== null && finish !== "tool-calls" && countOf(objectOf(info.time).completed) !== null;
  return isDone ? { result: "good", why: null } : undefined;
}

/** Nothing of it came after a call of a tool: it was broken off. */
function overOf(open: HistoryMemory["open"]): TurnOver | undefined {
  const { result, why } = objectOf(open ?? undefined);
  if (result !== "aborted") return undefined;
  return { result, why: textOf(why) };
}
