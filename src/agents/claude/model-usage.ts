import type { JsonObject } from "../../domain/json.ts";
import { isJsonObject, type Json } from "../../domain/json.ts";
import type { AgentTotals, ModelTotal, TotalsSource } from "../../domain/reported-totals.ts";
import { countOf, objectOf } from "../json-lines.ts";

/**
 * The totals in a `result` of the stream. They go on over earlier runs and the origin of a fork, and count sub-agents in;
 * one run may say several results.
 */
export function resultTotals(line: JsonObject): { readonly totals?: AgentTotals } {
  const since = line.model_usage_since_last_result;
  return totalsOf("stream", {
    models: line.modelUsage,
    usd: line.total_cost_usd,
    sinceLast: isJsonObject(since) ? modelTotals(since) : null,
  });
}

/** The same in a line of the transcript, which Claude Code writes when it leaves, and goes on from when it is resumed. */
export function costStateTotals(line: JsonObject): { readonly totals?: AgentTotals } {
  return totalsOf("transcript", { models: line.modelUsage, usd: line.totalCostUSD, sinceLast: null });
}

function totalsOf(
  source: TotalsSource,
  said: { models: Json | undefined; usd: Json | undefined; sinceLast: readonly ModelTotal[] | null },
): { readonly totals?: AgentTotals } {
  const models = modelTotals(objectOf(said.models));
  const nanoUsd = nanoUsdOf(said.usd);
  // Old releases say the cost alone.
  const total = models.length > 0 || nanoUsd === null ? models : [{ ...NOT_SAID, nanoUsd }];
  return total.length === 0
    ? {}
    : { totals: { source, countsSubagents: true, total, sinceLast: said.sinceLast } };
}

/** A damaged file may hold anything. */
const LONGEST_NAME = 200;
const MOST_MODELS = 100;

const NOT_SAID = {
  ...{ model: null, tokensInput: null, tokensOutput: null, tokensCacheRead: null, tokensCacheWrite: null },
} as const;

/** Tokens and cost by the name of the model. */
function modelTotals(models: JsonObject): ModelTotal[] {
  const named = Object.entries(models).filter(([model]) => model.length <= LONGEST_NAME);
  return named.slice(0, MOST_MODELS).map(([model, said]) => {
    const used = objectOf(said);
    return {
      model,
      tokensInput: countOf(used.inputTokens),
      tokensOutput: countOf(used.outputTokens),
      tokensCacheRead: countOf(used.cacheReadInputTokens),
      tokensCacheWrite: countOf(used.cacheCreationInputTokens),
      nanoUsd: nanoUsdOf(used.costUSD),
    };
  });
}

export function nanoUsdOf(usd: Json | undefined): number | null {
  return typeof usd === "number" ? countOf(Math.round(usd * 1e9)) : null;
}
