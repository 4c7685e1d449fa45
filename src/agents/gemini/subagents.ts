import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import { parseInstant } from "../../domain/time.ts";
import { listOf, objectOf, textOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import type { SubagentFiles } from "../subagents.ts";
import { parseChatRecord } from "./chat/chat.ts";
import { unknownIn } from "./chat/record-types.ts";
import type { GeminiMemory } from "./memory.ts";

/** `chats/<session>/<sub-agent>.jsonl`, beside the files of all sessions of the project. It starts none itself. */
const FILE = /\/chats\/([^/]+)\/[^/]+\.jsonl$/u;
/** The only call by which it hands its result over; one that stops without it is told to make it. */
const LAST_CALL = "complete_task";

/** Sub-agents of Gemini CLI. The call of the session that started one tells which one it was once it is over. */
export const subagents: SubagentFiles<GeminiMemory> = {
  folders(transcript, _, nativeId) {
    const chats = transcript.slice(0, transcript.lastIndexOf("/"));
    return nativeId === null ? [] : [`${chats}/${nativeId}`];
  },
  identify(path, firstLine) {
    const { sessionId, kind, startTime } = readJsonObject(firstLine) ?? {};
    const sessionNativeId = FILE.exec(path)?.[1];
    if (sessionNativeId === undefined || kind !== "subagent" || typeof sessionId !== "string")
      return undefined;
    const beganAt = parseInstant(textOf(startTime) ?? "");
    return { nativeId: sessionId, sessionNativeId, ...(beganAt === undefined ? {} : { beganAt }) };
  },
  memory: {},
  parse(line, memory) {
    const record = readJsonObject(line);
    return record === undefined ? {} : { ...parseSubagentRecord(record, memory), ...unknownIn(record) };
  },
};

/** One record of it. Its only turn begins with its task: what it is told later belongs to that, and words alone end nothing. */
export function parseSubagentRecord(record: JsonObject, memory: GeminiMemory): Parsed<GeminiMemory> {
  const {
    signal: _,
    taken: __,
    isTurnRead: ___,
    doneChildren: ____,
    turn,
    ...parsed
  } = parseChatRecord(record, memory);
  const isBegun = turn?.isBegun === true && memory.turn === undefined;
  const over = turn?.isBegun === true ? undefined : turn?.over;
  if (handsOver(record) && memory.turn !== "over")
    return {
      ...parsed,
      turn: { over: { result: "good", why: null } },
      memory: { ...parsed.memory, turn: "over" },
    };
  const isAnswered = parsed.memory?.turn === "answered";
  return {
    ...parsed,
    ...(isBegun ? { turn: { isBegun } } : over === undefined ? {} : { turn: { over } }),
    ...(isAnswered ? { memory: { ...parsed.memory, turn: "open" } } : {}),
  };
}

function handsOver({ toolCalls }: JsonObject): boolean {
  return listOf(toolCalls)
    .map(objectOf)
    .some(({ name, status }) => name === LAST_CALL && status === "success");
}
