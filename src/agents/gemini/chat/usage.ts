import type { JsonObject } from "../../../domain/json.ts";
import type { Instant } from "../../../domain/time.ts";
import type { UsageEntry } from "../../../domain/usage.ts";
import { countOf } from "../../json-lines.ts";

/**
 * The request behind one answer. The prompt counts what came from the cache, and thoughts stand beside the output;
 * where the sum says otherwise, it is believed. Nothing is written to a cache of its own.
 */
export function usageOf(
  tokens: JsonObject,
  named: { readonly id: string; readonly at: Instant; readonly model: string | null },
): UsageEntry {
  const [input, output, cached] = [count(tokens.input), count(tokens.output), count(tokens.cached)];
  const [thoughts, tool, total] = [count(tokens.thoughts), count(tokens.tool), countOf(tokens.total)];
  const isInside = total === input + output + tool && thoughts <= output;
  const isNet = cached > 0 && total === input + output + thoughts + tool + cached;
  return {
    requestKey: named.id,
    isShared: true,
    at: named.at,
    model: named.model,
    tokensInput: (isNet ? input : Math.max(0, input - cached)) + tool,
    tokensOutput: isInside ? output : output + thoughts,
    tokensCacheRead: cached,
    tokensCacheWrite: 0,
    tokensCacheWriteHour: null,
    tokensReasoning: thoughts,
    webSearches: null,
    serviceTier: null,
    speed: null,
    reportedNanoUsd: null,
    computedNanoUsd: null,
    pricedBy: null,
  };
}

function count(value: JsonObject[string] | undefined): number {
  return countOf(value) ?? 0;
}
