import type { JsonObject } from "../../../domain/json.ts";
import { objectOf, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { CodexMemory } from "../memory.ts";

/** Fast mode: the name that the provider has for it, and the one of older releases. */
const FAST = ["priority", "fast"];

/** The service tier that the settings ask for; empty is the usual one. */
export function parseSettings(payload: JsonObject): Parsed<CodexMemory> {
  return { memory: { tier: textOf(objectOf(payload.thread_settings).service_tier) ?? "" } };
}

/** Codex sends all requests of a turn at one tier. Settings that it applies in between count from the next turn on. */
export function withTier(parsed: Parsed<CodexMemory>, memory: CodexMemory): Parsed<CodexMemory> {
  if (parsed.usage === undefined) return parsed;
  const tier = textOf(memory.turnTier) ?? textOf(memory.tier) ?? "";
  const at = { serviceTier: tier === "" ? null : tier, speed: FAST.includes(tier) ? "fast" : null };
  const usage = parsed.usage.map((request) => ({ ...request, ...at }));
  return memory.turnTier === tier
    ? { ...parsed, usage }
    : { ...parsed, usage, memory: { ...parsed.memory, turnTier: tier } };
}
