import type { Json, JsonObject } from "../../domain/json.ts";
import { type Instant, toInstant } from "../../domain/time.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import { countOf, objectOf, textOf } from "../json-lines.ts";

/**
 * The request to the model behind an answer that is complete. A fork copies answers under new ids, with their times
 * and tokens: those name the request, so that it counts once over all sessions.
 */
export function usageOf(message: JsonObject): UsageEntry | undefined {
  const { created, completed } = objectOf(message.time);
  const at = momentOf(completed);
  const buckets = bucketsOf(objectOf(message.tokens));
  if (message.role !== "assistant" || at === undefined || buckets === undefined) return undefined;
  const model = textOf(message.modelID);
  const { tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite } = buckets;
  const counts = [tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite].join("-");
  return {
    requestKey: `opencode:${countOf(created) ?? ""}:${countOf(completed) ?? ""}:${(model ?? "").slice(0, 200)}:${counts}`,
    isShared: true,
    at,
    model,
    ...buckets,
    tokensCacheWriteHour: null,
    webSearches: null,
    serviceTier: null,
    speed: null,
    reportedNanoUsd: nanoUsdOf(message.cost),
    computedNanoUsd: null,
    pricedBy: null,
  };
}

/** The buckets of OpenCode are disjoint; here reasoning is part of the output. An answer that was cut off has none. */
function bucketsOf({ input, output, reasoning, cache }: JsonObject) {
  const { read, write } = objectOf(cache);
  const counts = [input, output, reasoning, read, write].map((count) => countOf(count));
  if (counts.every((count) => count === null || count === 0)) return undefined;
  const [
    tokensInput = null,
    spoken = null,
    tokensReasoning = null,
    tokensCacheRead = null,
    tokensCacheWrite = null,
  ] = counts;
  const tokensOutput = spoken === null ? null : spoken + (tokensReasoning ?? 0);
  return { tokensInput, tokensOutput, tokensReasoning, tokensCacheRead, tokensCacheWrite };
}

/** 0 is said of a model without a known price, and of one that a subscription pays for. */
function nanoUsdOf(cost: Json | undefined): number | null {
  const nanoUsd = typeof cost === "number" ? countOf(Math.round(cost * 1e9)) : null;
  return nanoUsd === 0 ? null : nanoUsd;
}

/** Milliseconds, as every time of OpenCode. */
export function momentOf(ms: Json | undefined): Instant | undefined {
  const count = countOf(ms);
  // The last moment that a date can be.
  return count === null || count > 8.64e15 || count === 0 ? undefined : toInstant(count);
}
