import type { JsonObject } from "../../../domain/json.ts";
import { parseInstant } from "../../../domain/time.ts";
import type { UsageEntry } from "../../../domain/usage.ts";
import { countOf, objectOf, textOf } from "../../json-lines.ts";

/** The model of a text that stands in place of a model's answer. */
export const SYNTHETIC = "<synthetic>";

/** The usage of one request. Each of its blocks is a line with the same figures and the same id. */
export function usageOf({ message, timestamp }: JsonObject): UsageEntry | undefined {
  const { id, model, usage } = objectOf(message);
  const at = parseInstant(textOf(timestamp) ?? "");
  if (typeof id !== "string" || id === "" || at === undefined || model === SYNTHETIC) return undefined;
  const used = objectOf(usage);
  return {
    requestKey: id,
    isShared: true,
    at,
    model: textOf(model),
    tokensInput: countOf(used.input_tokens),
    tokensOutput: countOf(used.output_tokens),
    tokensCacheRead: countOf(used.cache_read_input_tokens),
    tokensCacheWrite: countOf(used.cache_creation_input_tokens),
    tokensReasoning: countOf(objectOf(used.output_tokens_details).thinking_tokens),
    reportedNanoUsd: null,
    computedNanoUsd: null,
  };
}
