import { isJsonObject, type JsonObject } from "../../domain/json.ts";
import { parseInstant } from "../../domain/time.ts";
import type { History, HistoryFacts, RecordTrace } from "../history.ts";
import { countOf, objectOf, textOf } from "../json-lines.ts";
import { codexHome } from "./home.ts";
import type { CodexMemory } from "./memory.ts";
import { isExec } from "./outside.ts";
import { isNoiseType, sortRecord } from "./rollout/record-types.ts";
import { identityInName, parseRolloutRecord, parseUsageRecord, rolloutIdInName } from "./rollout/rollout.ts";
import { isUuid, vectorOf } from "./rollout/token-count.ts";
import { describeSubagent } from "./subagents/subagents.ts";

/** The rollouts of Codex. A fork or sub-agent names its origin, and may repeat it or refer to it. */
export const history: History<CodexMemory> = {
  reader: "jsonl",
  isNamedOnce: true,
  roots(env) {
    const home = codexHome(env);
    return [`${home}/sessions`, `${home}/archived_sessions`];
  },
  placeOf(path) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const [nativeId, file] = [identityInName(name)?.nativeId, rolloutIdInName(name)];
    return nativeId === undefined ? undefined : { nativeId, ...(file === undefined ? {} : { file }) };
  },
  describe: ({ type, payload }) => (type === "session_meta" ? factsOf(objectOf(payload)) : {}),
  trace,
  sort: sortRecord,
  isNoiseType,
  parse: parseRolloutRecord,
  parseSubagent: parseRolloutRecord,
  usage: {
    // Parts of "token_usage_record", "token_count", "turn_context" and "thread_settings_applied".
    marks: ["_usage_", '_count"', "_contex", "_applie"],
    parse: parseUsageRecord,
    parseSubagent: parseUsageRecord,
  },
  afterCopies: { isTurnOpen: false, calls: [] },
  afterBase,
};

/** The running totals go on from there. */
function afterBase(memory: CodexMemory | undefined): Partial<CodexMemory> {
  if (memory === undefined) return { isBaseUnknown: true };
  const { totals, resets } = memory;
  return { ...(totals === undefined ? {} : { totals }), ...(resets === undefined ? {} : { resets }) };
}

/** A file may begin with the description of its origin behind its own: only the first has this id. */
function factsOf(meta: JsonObject): HistoryFacts {
  const { id, cwd, cli_version: version, git } = meta;
  const startedAt = parseInstant(textOf(meta.timestamp) ?? "");
  const { branch, commit_hash: commit } = objectOf(git);
  const subagent = describeSubagent(meta);
  const forkedFrom = textOf(meta.forked_from_id);
  const ownOrdinal = countOf(meta.subagent_history_start_ordinal);
  const { thread_id: file, end_ordinal_exclusive: end } = objectOf(meta.history_base);
  const before = countOf(end);
  return {
    ...(typeof id === "string" ? { nativeId: id } : {}),
    ...(typeof cwd === "string" ? { cwd, kind: isExec(meta) ? "autonomous" : "interactive" } : {}),
    ...(typeof version === "string" ? { agentVersion: version } : {}),
    ...(typeof branch === "string" ? { gitBranch: branch } : {}),
    ...(typeof commit === "string" ? { gitCommit: commit } : {}),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(subagent === null || subagent.agentName === undefined ? {} : { agentName: subagent.agentName }),
    ...(subagent === null || subagent.purpose === undefined ? {} : { purpose: subagent.purpose }),
    ...(subagent === null ? {} : { parent: subagent.parent }),
    ...(forkedFrom === null ? {} : { forkedFrom }),
    ...(ownOrdinal === null ? {} : { ownOrdinal }),
    ...(typeof file === "string" && before !== null ? { base: { file, before } } : {}),
  };
}

/** Copies may have other times, so that only names count: those of turns and requests, and the sums after each request. */
function trace({ type, payload, timestamp, ordinal }: JsonObject): RecordTrace {
  const at = parseInstant(textOf(timestamp) ?? "");
  const number = countOf(ordinal);
  return {
    ...keyOf(type, objectOf(payload)),
    ...(at === undefined ? {} : { at }),
    ...(number === null ? {} : { ordinal: number }),
  };
}

const TURN_BEGINS = ["task_started", "turn_started"];

/** Sums, and the names of turns in older releases, may be those of any other session. */
function keyOf(type: unknown, payload: JsonObject): Pick<RecordTrace, "key" | "isWeak"> {
  const turn = textOf(payload.turn_id);
  const isTurn =
    type === "turn_context" || (type === "event_msg" && TURN_BEGINS.includes(String(payload.type)));
  if (isTurn) return turn === null ? {} : { key: `turn ${turn}`, ...(isUuid(turn) ? {} : { isWeak: true }) };
  const response = type === "token_usage_record" ? textOf(payload.response_id) : null;
  if (response !== null) return { key: `response ${response}` };
  const total =
    type === "event_msg" && payload.type === "token_count" ? objectOf(payload.info).total_token_usage : null;
  return isJsonObject(total) ? { key: `total ${vectorOf(total)}`, isWeak: true } : {};
}
