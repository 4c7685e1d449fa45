import { isJsonObject, type JsonObject } from "../../../domain/json.ts";
import type { Instant } from "../../../domain/time.ts";
import { countOf, objectOf, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { CodexMemory } from "../memory.ts";
import { requestOf } from "./usage.ts";

const BUCKETS = [
  ...["input_tokens", "cached_input_tokens", "cache_write_input_tokens"],
  ...["output_tokens", "reasoning_output_tokens"],
] as const;

/** Turns of releases with such ids keep them in every copy of the conversation. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u.test(text);
}

/**
 * The running totals of a release that names no requests. They are written again without a request in between, in which
 * case they are the same; a fork or sub-agent may begin with copies of those of its origin.
 */
export function parseTokenCount(payload: JsonObject, at: Instant, memory: CodexMemory): Parsed<CodexMemory> {
  const { total_token_usage: total, last_token_usage: last } = objectOf(payload.info);
  if (memory.hasRequests === true || !(isJsonObject(total) || isJsonObject(last))) return {};
  const before = isJsonObject(memory.totals) ? memory.totals : undefined;
  const isRepeated = isJsonObject(total) && before !== undefined && vectorOf(total) === vectorOf(before);
  if (isRepeated) return {};
  const resets = (countOf(memory.resets) ?? 0) + (isJsonObject(total) && hasFallen(total, before) ? 1 : 0);
  const remembered = isJsonObject(total)
    ? { memory: { totals: total, ...(resets > 0 ? { resets } : {}) } }
    : {};
  const isUnknown = before === undefined && memory.isBaseUnknown === true && !isJsonObject(last);
  const used = isJsonObject(last) ? last : differenceOf(objectOf(total), before);
  if (BUCKETS.every((bucket) => !countOf(used[bucket]))) return remembered;
  const turn = memory.countedTurn ?? "";
  const isShared = isUuid(turn) && isJsonObject(total);
  const place = `${isShared ? turn : `${turn}/${at}`}${resets > 0 ? `/reset ${resets}` : ""}`;
  const named = { requestKey: `${place}/${vectorOf(isJsonObject(total) ? total : used)}`, at };
  // A first total that goes on from an unknown one says that there was a request, and nothing of its size.
  const request = requestOf(isUnknown ? {} : used, { ...named, model: textOf(memory.model) });
  return { usage: [isShared ? { ...request, isShared } : request], ...remembered };
}

/** Totals that fall have begun anew. */
function differenceOf(total: JsonObject, before: JsonObject | undefined): JsonObject {
  if (before === undefined || hasFallen(total, before)) return total;
  return Object.fromEntries(BUCKETS.map((bucket) => [bucket, riseOf(bucket, total, before)]));
}

function hasFallen(total: JsonObject, before: JsonObject | undefined): boolean {
  return before !== undefined && BUCKETS.some((bucket) => riseOf(bucket, total, before) < 0);
}

function riseOf(bucket: string, total: JsonObject, before: JsonObject): number {
  return (countOf(total[bucket]) ?? 0) - (countOf(before[bucket]) ?? 0);
}

/** All buckets of a count in one text. */
export function vectorOf(usage: JsonObject): string {
  return BUCKETS.map((bucket) => countOf(usage[bucket]) ?? 0).join("-");
}
