import { isJsonObject, type Json, type JsonObject } from "../../domain/json.ts";
import { parseInstant } from "../../domain/time.ts";
import type { NewEntry } from "../../domain/transcript/entry.ts";
import type { UsageEntry } from "../../domain/usage.ts";
import { countOf, textFields, textOf } from "../json-lines.ts";
import type { Parsed } from "../parsed.ts";
import { turnOf } from "./signals.ts";

/** The fields that lines of the transcript and of the stream share. */
export function parseFields(line: JsonObject): Omit<Parsed, "signal"> {
  const { session_id: nativeId, model, version: agentVersion } = line;
  if (line.type === "init") return { identity: textFields({ nativeId, model, agentVersion }) };
  if (line.type === "helper" && typeof line.id === "string" && line.id !== "")
    return { child: { nativeId: line.id } };
  if (line.type === "queued" && typeof line.text === "string") return { taken: [line.text] };
  const entry = entryOf(line);
  const counts = line.type === "result" || line.type === "usage";
  const usage = counts && Array.isArray(line.usage) ? line.usage.flatMap(usageOf) : [];
  return {
    ...(entry === undefined ? {} : { entries: [entry] }),
    // A text that was queued is said when its own turn begins.
    ...(entry?.role === "user" ? { turn: { isBegun: true } as const } : {}),
    ...(usage.length === 0 ? {} : { usage }),
  };
}

function entryOf(line: JsonObject): NewEntry | undefined {
  const text = textOf(line.text);
  switch (line.type) {
    case "user":
    case "assistant":
      return text === null ? undefined : { role: line.type, kind: "text", text, tool: null };
    case "thinking":
      return text === null ? undefined : { role: "assistant", kind: "thinking", text, tool: null };
    case "tool_call":
      return toolEntry("assistant", "tool_call", line, { params: line.params ?? null });
    case "tool_result":
      return toolEntry("tool", "tool_result", line, { result: line.result ?? null });
    case "result":
      return noticeOf(line, text);
    default:
      return undefined;
  }
}

function toolEntry(
  role: "assistant" | "tool",
  kind: "tool_call" | "tool_result",
  { name, id }: JsonObject,
  rest: { readonly params: Json } | { readonly result: Json },
): NewEntry | undefined {
  if (typeof name !== "string") return undefined;
  const call = typeof id === "string" ? { callId: id } : {};
  return { role, kind, text: null, tool: { name, ...call, ...rest } };
}

/** A good turn ends with what the agent said; any other is worth a word. */
function noticeOf({ turn }: JsonObject, text: string | null): NewEntry | undefined {
  const isGood = turnOf(turn) === undefined || turn === "good";
  return isGood || text === null ? undefined : { role: "system", kind: "notice", text, tool: null };
}

function usageOf(value: Json): UsageEntry[] {
  if (!isJsonObject(value)) return [];
  const { request_key: requestKey, cost_usd: cost } = value;
  const at = parseInstant(textOf(value.time) ?? "");
  if (typeof requestKey !== "string" || requestKey === "" || at === undefined) return [];
  return [
    {
      requestKey,
      at,
      model: textOf(value.model),
      tokensInput: countOf(value.input),
      tokensOutput: countOf(value.output),
      tokensCacheRead: countOf(value.cache_read),
      tokensCacheWrite: countOf(value.cache_write),
      tokensCacheWriteHour: null,
      tokensReasoning: countOf(value.reasoning),
      webSearches: null,
      serviceTier: null,
      speed: null,
      reportedNanoUsd: typeof cost === "number" ? countOf(Math.round(cost * 1e9)) : null,
      computedNanoUsd: null,
      pricedBy: null,
    },
  ];
}
