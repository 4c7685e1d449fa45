import type { JsonObject } from "../../domain/json.ts";
import { parseInstant } from "../../domain/time.ts";
import type { History, HistoryFacts, RecordTrace } from "../history.ts";
import { listOf, textOf } from "../json-lines.ts";
import { isContext, parseChatRecord, turnAtRest } from "./chat/chat.ts";
import { sortRecord } from "./chat/record-types.ts";
import { usageHistory } from "./chat/usage-history.ts";
import { projectNoteOf, projectsFolder } from "./home.ts";
import type { GeminiMemory } from "./memory.ts";
import { parseSubagentRecord } from "./subagents.ts";

const SESSION = /(?:^|\/)session-[^/]*\.jsonl$/u;
const SUB_AGENT = /(?:^|\/)chats\/([^/]+)\/([^/]+)\.jsonl$/u;

/** The conversations of Gemini CLI. It forks none; one that is resumed may leave a second file that has only a head. */
export const history: History<GeminiMemory> = {
  reader: "json",
  // The name of a file has only a part of the id.
  isNotArchived: true,
  roots: (env) => [projectsFolder(env)],
  placeOf(path) {
    if (SESSION.test(path)) return { nativeId: null };
    const [, parent, nativeId] = SUB_AGENT.exec(path) ?? [];
    return parent === undefined || nativeId === undefined ? undefined : { nativeId, parent };
  },
  folderNoteOf: projectNoteOf,
  describe,
  trace,
  sort: sortRecord,
  // A line begins with its id, or with what it changes.
  isNoiseType: () => false,
  parse: parseChatRecord,
  parseSubagent: parseSubagentRecord,
  usage: usageHistory,
  afterCopies: { turn: "over", isRepeating: false },
  turnAtRest,
};

/** The head of a file. It says in which folder the conversation is held only where it names several. */
function describe({ sessionId, startTime, directories }: JsonObject): HistoryFacts {
  const startedAt = parseInstant(textOf(startTime) ?? "");
  const cwd = textOf(listOf(directories)[0]);
  if (typeof sessionId !== "string" || sessionId === "") return {};
  return {
    nativeId: sessionId,
    kind: "interactive",
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(cwd === null ? {} : { cwd }),
  };
}

/** The message about the folder has the same id in every conversation. */
function trace({ id, timestamp, content }: JsonObject): RecordTrace {
  const at = parseInstant(textOf(timestamp) ?? "");
  const isOwn = typeof id === "string" && !isContext(content);
  return { ...(isOwn ? { key: id } : {}), ...(at === undefined ? {} : { at }) };
}
