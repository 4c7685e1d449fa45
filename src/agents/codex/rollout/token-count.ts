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
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

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
  const remembered = isJsonObject(total) ? { memory: { totals: total } } : {};
  const used = isJsonObject(last) ? last : differenceOf(objectOf(total), before);
  if (BUCKETS.every((bucket) => !countOf(used[bucket]))) return remembered;
  const turn = memory.countedTurn ?? "";
  const isShared = UUID.test(turn) && isJsonObject(total);
  const place = isShared ? turn : `${turn}/${at}`;
  const named = { requestKey: `${place}/${vectorOf(isJsonObject(total) ? total : used)}`, at };
  const request = requestOf(used, { ...named, model: textOf(memory.model) });
  return { usage: [isShared ? { ...request, isShared } : request], ...remembered };
}

/** Totals that fall have begun anew. */
function differenceOf(total: JsonObject, before: JsonObject | undefined): JsonObject {
  const rise = BUCKETS.map((bucket) => (countOf(total[bucket]) ?? 0) - (countOf(before?.[bucket]) ?? 0));
  if (before === undefined || rise.some((amount) => amount < 0)) return total;
  return Object.fromEntries(BUCKETS.map((bucket, index) => [bucket, rise[index] as number]));
}

function vectorOf(usage: JsonObject): string {
  return BUCKETS.map((bucket) => countOf(usage[bucket]) ?? 0).join("-");
}
