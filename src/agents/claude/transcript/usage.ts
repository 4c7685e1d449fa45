import type { Json, JsonObject } from "../../../domain/json.ts";
import { parseInstant } from "../../../domain/time.ts";
import type { UsageEntry } from "../../../domain/usage.ts";
import { countOf, objectOf, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import { nanoUsdOf } from "../model-usage.ts";

/** The model of a text that stands in place of a model's answer. */
export const SYNTHETIC = "<synthetic>";

/** The usage in a line of the model, and the model itself. */
export function parseUsage(line: JsonObject): Pick<Parsed, "usage" | "identity"> {
  const usage = usageOf(line);
  const { model } = objectOf(line.message);
  return usage === undefined || typeof model !== "string" ? {} : { usage: [usage], identity: { model } };
}

/**
 * The usage of one request. Each of its blocks is a line with the same figures and the same id; proxies may leave out
 * the id of the message, that of the request or both.
 */
function usageOf({ message, timestamp, requestId, uuid, costUSD }: JsonObject): UsageEntry | undefined {
  const { id, model, usage } = objectOf(message);
  const requestKey = [id, requestId, uuid].map(textOf).find((key) => key !== null && key !== "");
  const at = parseInstant(textOf(timestamp) ?? "");
  if (typeof requestKey !== "string" || at === undefined || model === SYNTHETIC) return undefined;
  const used = objectOf(usage);
  const writes = objectOf(used.cache_creation);
  const hour = countOf(writes.ephemeral_1h_input_tokens);
  return {
    requestKey,
    isShared: true,
    at,
    model: textOf(model),
    tokensInput: countOf(used.input_tokens),
    tokensOutput: countOf(used.output_tokens),
    tokensCacheRead: countOf(used.cache_read_input_tokens),
    tokensCacheWrite: largest(
      countOf(used.cache_creation_input_tokens),
      sumOf(countOf(writes.ephemeral_5m_input_tokens), hour),
    ),
    tokensCacheWriteHour: hour,
    tokensReasoning: countOf(objectOf(used.output_tokens_details).thinking_tokens),
    webSearches: countOf(objectOf(used.server_tool_use).web_search_requests),
    serviceTier: nameIn(used.service_tier),
    speed: nameIn(used.speed),
    // Old releases wrote the cost of each answer.
    reportedNanoUsd: nanoUsdOf(costUSD),
    computedNanoUsd: null,
    pricedBy: null,
  };
}

/** A short name; anything else says nothing. */
function nameIn(value: Json | undefined): string | null {
  return typeof value === "string" && /^[\w-]{1,40}$/.test(value) ? value : null;
}

function sumOf(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}

/** Older releases wrote 0 beside the two kinds of cache writes. */
function largest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
