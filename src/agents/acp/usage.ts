import type { JsonObject } from "../../domain/json.ts";
import type { AgentTotals } from "../../domain/reported-totals.ts";
import { countOf, listOf, objectOf, textOf } from "../json-lines.ts";
import type { UntimedUsage } from "../parsed.ts";
import type { AcpMemory } from "./memory.ts";

type Counts = Pick<
  UntimedUsage,
  "tokensInput" | "tokensOutput" | "tokensCacheRead" | "tokensCacheWrite" | "tokensReasoning"
>;

const UNKNOWN: Counts = {
  tokensInput: null,
  tokensOutput: null,
  tokensCacheRead: null,
  tokensCacheWrite: null,
  tokensReasoning: null,
};

/** The cost of the whole conversation. Other currencies cannot be added up. */
export function costMemory({ cost }: JsonObject): AcpMemory {
  const { amount, currency } = objectOf(cost);
  const nanoUsd = typeof amount === "number" ? countOf(Math.round(amount * 1e9)) : null;
  return currency === "USD" && nanoUsd !== null ? { cost: nanoUsd } : {};
}

/**
 * The usage of a turn, a row for each model. `model_usage` also counts what the agent asks its model for beside the
 * conversation, such as a title; `usage` is the conversation alone.
 */
export function usageOfTurn(
  promptId: string,
  result: JsonObject,
  memory: AcpMemory,
): { readonly rows: readonly UntimedUsage[]; readonly memory: AcpMemory } {
  const byModel = modelUsages(result);
  const measured = byModel.length > 0 ? byModel : ownUsage(result, memory);
  const spent = spentSince(memory);
  const rows = measured.length === 0 && spent ? [{ model: null, counts: UNKNOWN }] : measured;
  const key = `acp ${textOf(memory.launch) ?? ""} ${promptId}`;
  return {
    // The cost is that of the whole turn: it stands in one row.
    rows: rows.map(({ model, counts }, index) =>
      usageRow(`${key} ${model ?? ""}`.trim(), model, counts, index === 0 || spent === null ? spent : 0),
    ),
    memory: typeof memory.cost === "number" ? { counted: memory.cost } : {},
  };
}

/** The same as totals of the agent's own: all that it says is new, and grows with each turn. */
export function totalsOfTurn(
  rows: readonly UntimedUsage[],
  { countsSubagents }: Pick<AgentTotals, "countsSubagents">,
): { readonly totals?: AgentTotals } {
  if (rows.length === 0) return {};
  const total = rows.map(({ model, reportedNanoUsd: nanoUsd, ...counts }) => {
    const { tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite } = counts;
    return { model, tokensInput, tokensOutput, tokensCacheRead, tokensCacheWrite, nanoUsd };
  });
  return { totals: { source: "stream", countsSubagents, total, sinceLast: total } };
}

/** The models that a turn has used. */
export function modelsOf(result: JsonObject): readonly string[] {
  return modelUsages(result).map(({ model }) => model);
}

/** Null where the agent tells no cost, or nobody knows what the conversation had cost before. */
function spentSince({ cost, counted }: AcpMemory): number | null {
  if (typeof cost !== "number" || typeof counted !== "number") return null;
  return countOf(Math.max(0, cost - counted));
}

function modelUsages(result: JsonObject): { readonly model: string; readonly counts: Counts }[] {
  const { model_usage: usages } = objectOf(objectOf(result._meta).quota);
  return listOf(usages).flatMap((usage) => {
    const { model, token_count } = objectOf(usage);
    const counts = objectOf(token_count);
    // Another agent's counts by other names include the cache: they cannot be told apart.
    if (typeof model !== "string" || countOf(counts.inputTokens) === null) return [];
    const { cachedInputTokens, cachedWriteTokens, cacheWriteInputTokens, reasoningOutputTokens } = counts;
    return nonZero(model, {
      tokensInput: countOf(counts.inputTokens),
      tokensOutput: countOf(counts.outputTokens),
      tokensCacheRead: countOf(cachedInputTokens),
      tokensCacheWrite: countOf(cachedWriteTokens) ?? countOf(cacheWriteInputTokens),
      tokensReasoning: countOf(reasoningOutputTokens),
    });
  });
}

function ownUsage({ usage }: JsonObject, { model }: AcpMemory) {
  const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, thoughtTokens } = objectOf(usage);
  const counts = {
    tokensInput: countOf(inputTokens),
    tokensOutput: countOf(outputTokens),
    tokensCacheRead: countOf(cachedReadTokens),
    tokensCacheWrite: countOf(cachedWriteTokens),
    tokensReasoning: countOf(thoughtTokens),
  };
  return counts.tokensInput === null ? [] : nonZero(textOf(model), counts);
}

/** A turn that was stopped before its first answer has used nothing. */
function nonZero<M extends string | null>(model: M, counts: Counts): { model: M; counts: Counts }[] {
  return Object.values(counts).some((count) => (count ?? 0) > 0) ? [{ model, counts }] : [];
}

function usageRow(
  requestKey: string,
  model: string | null,
  counts: Counts,
  reportedNanoUsd: number | null,
): UntimedUsage {
  return {
    ...{ requestKey, model, ...counts, reportedNanoUsd },
    ...{ tokensCacheWriteHour: null, webSearches: null, serviceTier: null, speed: null },
    ...{ computedNanoUsd: null, pricedBy: null },
  };
}
