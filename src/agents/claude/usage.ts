import type { Json, JsonObject } from "../../domain/json.ts";
import { parseInstant } from "../../domain/time.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import { objectOf, textOf } from "./lines.ts";

/** What it writes in place of a model's answer. */
export const SYNTHETIC = "<synthetic>";

/** What one request used. Each of its blocks is a line with the same figures, so that its id tells them apart. */
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

function countOf(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
