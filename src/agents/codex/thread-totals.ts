import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { AgentTotals, ModelTotal } from "../../domain/reported-totals.ts";
import { countOf, objectOf } from "../json-lines.ts";
import type { CodexMemory } from "./memory.ts";

/** Tokens of a thread, in the words of the app server. Its input includes what was read from the cache or written to it. */
function totalOf(used: JsonObject): ModelTotal {
  const [input, cacheRead, cacheWrite] = [
    used.inputTokens,
    used.cachedInputTokens,
    used.cacheWriteInputTokens,
  ].map(countOf) as [number | null, number | null, number | null];
  return {
    model: null,
    tokensInput: input === null ? null : Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    tokensOutput: countOf(used.outputTokens),
    tokensCacheRead: cacheRead,
    tokensCacheWrite: cacheWrite,
    nanoUsd: null,
  };
}

/** The totals of a message of the stream, to be said when the turn is over. One that is sent again counts once. */
export function noteThreadUsage(
  { turnId, tokenUsage }: JsonObject,
  memory: CodexMemory,
): Partial<CodexMemory> {
  const { total, last } = objectOf(tokenUsage);
  if (!isJsonObject(total)) return {};
  const before = objectOf(memory.streamUsed);
  const isRepeated = JSON.stringify(before.total) === JSON.stringify(total);
  // Without a turn of this launch it repeats what an earlier one has used.
  const isOwn = typeof turnId === "string" && turnId === memory.turnId;
  const turn = isOwn && !isRepeated ? sum(objectOf(before.turn), objectOf(last)) : objectOf(before.turn);
  return { streamUsed: { total, turn } };
}

/** The same of a rollout, which says it with each request. */
export function noteRolloutUsage(record: JsonObject): Partial<CodexMemory> {
  const { thread_token_usage: total, turn_token_usage: turn } = record;
  return isJsonObject(total) && isJsonObject(turn)
    ? { rolloutUsed: { total: camel(total), turn: camel(turn) } }
    : {};
}

/** The totals of the thread, where they were noted; sub-agents are threads of their own. */
export function threadTotals(
  source: AgentTotals["source"],
  memory: CodexMemory,
): { readonly totals?: AgentTotals; readonly memory: Partial<CodexMemory> } {
  const name = source === "stream" ? "streamUsed" : "rolloutUsed";
  const { total, turn } = objectOf(memory[name]);
  if (!isJsonObject(total) || !isJsonObject(turn) || Object.keys(turn).length === 0) return { memory: {} };
  return {
    totals: { source, countsSubagents: false, total: [totalOf(total)], sinceLast: [totalOf(turn)] },
    memory: { [name]: { total, turn: {} } },
  };
}

const FIELDS = ["inputTokens", "cachedInputTokens", "cacheWriteInputTokens", "outputTokens"] as const;

function sum(a: JsonObject, b: JsonObject): JsonObject {
  const add = (x: Json | undefined, y: Json | undefined) => (countOf(x) ?? 0) + (countOf(y) ?? 0);
  return Object.fromEntries(FIELDS.map((name) => [name, add(a[name], b[name])]));
}

function camel(used: JsonObject): JsonObject {
  return {
    inputTokens: used.input_tokens ?? null,
    cachedInputTokens: used.cached_input_tokens ?? null,
    cacheWriteInputTokens: used.cache_write_input_tokens ?? null,
    outputTokens: used.output_tokens ?? null,
  };
}
