import type { JsonObject } from "../../domain/json.ts";
import { parseInstant } from "../../domain/time.ts";
import type { History, HistoryFacts, HistoryPlace } from "../history.ts";
import { objectOf, textFields, textOf } from "../json-lines.ts";
import type { ClaudeMemory } from "./memory.ts";
import { kindOf } from "./outside.ts";
import { historyFolders } from "./paths.ts";
import { parseSubagentRecord } from "./subagents/transcript.ts";
import { isNoiseType, sortRecord } from "./transcript/record-types.ts";
import { parseRecord } from "./transcript/transcript.ts";
import { turnAtRest } from "./transcript/turns.ts";
import { usageHistory } from "./transcript/usage-history.ts";

const SUB_AGENT = /(?:^|\/)(?:([^/]+)\/subagents\/(?:.+\/)?)?agent-([^/]+)\.jsonl$/u;
const SESSION = /(?:^|\/)([^/]+)\.jsonl$/u;
/** Prompts of all sessions, which stand beside the folder of the transcripts. */
const PROMPTS = /(?:^|\/)history\.jsonl$/u;

/** The transcripts in the folders of Claude Code. A fork is a file with a copy of each record of its origin. */
export const history: History<ClaudeMemory> = {
  reader: "jsonl",
  hasAsides: true,
  roots: historyFolders,
  placeOf(path): HistoryPlace | undefined {
    const agent = SUB_AGENT.exec(path);
    if (agent) return { nativeId: agent[2] as string, parent: agent[1] ?? null };
    const nativeId = PROMPTS.test(path) ? undefined : SESSION.exec(path)?.[1];
    return nativeId === undefined ? undefined : { nativeId };
  },
  companions: (path) => (SUB_AGENT.test(path) ? undefined : path.replace(/\.jsonl$/u, "")),
  describe: (record) => ({ ...factsOf(record), ...(record.isSidechain === true ? parentOf(record) : {}) }),
  trace({ uuid, parentUuid, timestamp, snapshot, message }) {
    const at = parseInstant(textOf(timestamp ?? objectOf(snapshot).timestamp) ?? "");
    return {
      ...textFields({ key: uuid, answer: objectOf(message).id }),
      isRoot: typeof parentUuid !== "string",
      ...(at === undefined ? {} : { at }),
    };
  },
  sort: sortRecord,
  isNoiseType,
  parse: parseRecord,
  parseSubagent: parseSubagentRecord,
  usage: usageHistory,
  afterCopies: {
    namesPrompts: false,
    isTurnOpen: false,
    isAtRest: false,
    inTurn: false,
    result: null,
    why: null,
  },
  turnAtRest,
};

function factsOf(record: JsonObject): HistoryFacts {
  const { cwd, gitBranch, version, timestamp } = record;
  const startedAt = parseInstant(textOf(timestamp) ?? "");
  return {
    ...(typeof cwd === "string" && cwd !== "" ? { cwd, kind: kindOf(record) } : {}),
    ...(typeof gitBranch === "string" && gitBranch !== "" ? { gitBranch } : {}),
    ...(typeof version === "string" ? { agentVersion: version } : {}),
    ...(startedAt === undefined ? {} : { startedAt }),
  };
}

/** The records of a sub-agent carry the id of the session that it helps. */
function parentOf({ sessionId }: JsonObject): HistoryFacts {
  return typeof sessionId === "string" && sessionId !== "" ? { parent: sessionId } : {};
}
