import type { JsonObject } from "../../../domain/json.ts";
import type { Instant } from "../../../domain/time.ts";
import type { UsageEntry } from "../../../domain/usage.ts";
import { countOf, objectOf } from "../../json-lines.ts";

/** One request to the model, as the rollout counts it. */
export function usageOf(payload: JsonObject, at: Instant, model: string | null): UsageEntry | undefined {
  const { response_id: requestKey } = payload;
  if (typeof requestKey !== "string" || requestKey === "") return undefined;
  return { isShared: true, ...requestOf(objectOf(payload.usage), { requestKey, at, model }) };
}

/** The buckets of a request, none of which includes another but for the reasoning. */
export function requestOf(
  usage: JsonObject,
  named: Pick<UsageEntry, "requestKey" | "at" | "model">,
): UsageEntry {
  const cacheRead = countOf(usage.cached_input_tokens);
  const cacheWrite = countOf(usage.cache_write_input_tokens);
  const input = countOf(usage.input_tokens);
  return {
    ...named,
    // Its input includes the tokens that were read from the cache or written to it.
    tokensInput: input === null ? null : Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    tokensOutput: countOf(usage.output_tokens),
    tokensCacheRead: cacheRead,
    tokensCacheWrite: cacheWrite,
    tokensCacheWriteHour: null,
    tokensReasoning: countOf(usage.reasoning_output_tokens),
    webSearches: null,
    serviceTier: null,
    speed: null,
    reportedNanoUsd: null,
    computedNanoUsd: null,
    pricedBy: null,
  };
}
