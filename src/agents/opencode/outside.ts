import { type JsonObject, readJsonObject } from "../../domain/json.ts";
import type { Signal } from "../../domain/supervise/signal.ts";
import type { Outside } from "../agent.ts";
import { objectOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import { databaseRoots } from "./history/database.ts";
import { type HistoryMemory, history, parseRecord } from "./history/history.ts";

/** The commands of OpenCode that serve any folder, and those that speak for one. */
const SERVERS: readonly string[] = ["serve", "web", "acp"];

/**
 * Sessions of OpenCode that someone started by hand: a conversation whose messages grow is one. All processes have the
 * same database open, and none shows which conversation it is in.
 */
export const outside: Outside<HistoryMemory> = {
  sources: { transcript: { parse } },
  trust: ["transcript"],
  ...(history.turnAtRest === undefined ? {} : { turnAtRest: history.turnAtRest }),
  places: (env) => ({ liveFiles: null, transcripts: databaseRoots(env)[0] as string }),
  rows: {
    // A database of years has hundreds of thousands of messages: only the newest can have come since the last look.
    conversations: `SELECT s.id AS id, s.directory AS cwd, m.newest AS newest FROM
      (SELECT session_id, max(time_created) AS newest
        FROM (SELECT session_id, time_created FROM message ORDER BY rowid DESC LIMIT 5000) GROUP BY session_id) m
      JOIN session s ON s.id = m.session_id
      WHERE s.parent_id IS NULL`,
    worksAnywhere: (command) => command.slice(1).some((word) => SERVERS.includes(word)),
  },
  ofTranscript: () => undefined,
};

function parse(line: string, memory: HistoryMemory): Parsed<HistoryMemory> {
  const record = readJsonObject(line);
  if (record === undefined) return {};
  const parsed = parseRecord(record, memory);
  const signal = signalOf(record, parsed);
  return signal === undefined ? parsed : { ...parsed, signal };
}

/** A text is worked on until an answer ends its turn. That a tool waits for a permission stands in no record. */
function signalOf({ type, info }: JsonObject, { turn, entries }: Parsed): Signal | undefined {
  if (type !== "message") return undefined;
  const evidence = { source: "transcript", excerpt: null } as const;
  const isText = objectOf(info).role === "user";
  if (isText && (entries?.length ?? 0) > 0) return { ...evidence, rule: "message_text", says: "working" };
  if (turn?.over === undefined)
    return isText ? undefined : { ...evidence, rule: "message_answer", says: "working" };
  const { result, why } = turn.over;
  const ready = { ...evidence, rule: "message_over", says: "ready" } as const;
  return result === null ? ready : { ...ready, turn: result, excerpt: why };
}
