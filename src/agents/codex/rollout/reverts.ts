import type { JsonObject } from "../../../domain/json.ts";
import { countOf, listOf, objectOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { CodexMemory } from "../memory.ts";

/** More turns than a person goes back over. */
const MOST_TURNS = 2000;

/**
 * Adds how many turns a line takes back. Older releases say so in a line; newer ones go on in another rollout of the same
 * thread, which names the number of the line that it goes on from.
 */
export function withReverts(
  parsed: Parsed<CodexMemory>,
  { type, ordinal, payload }: JsonObject,
  memory: CodexMemory,
): Parsed<CodexMemory> {
  const { type: event, num_turns: turns, history_base: base } = objectOf(payload);
  const begun = listOf(memory.begun).filter((line) => typeof line === "number");
  if (parsed.turn?.isBegun) {
    const line = countOf(ordinal) ?? begun.at(-1) ?? 0;
    return remember(parsed, begun.includes(line) ? begun : [...begun, line].slice(-MOST_TURNS));
  }
  if (type === "event_msg" && event === "thread_rolled_back") {
    const rewinds = countOf(turns) ?? 0;
    return { ...remember(parsed, begun.slice(0, Math.max(0, begun.length - rewinds))), rewinds };
  }
  // The numbers of lines run on from rollout to rollout, also from that of the thread that it was forked from.
  const from = countOf(objectOf(base).end_ordinal_exclusive);
  if (type !== "session_meta" || from === null) return parsed;
  const left = begun.filter((line) => line < from);
  return { ...remember(parsed, left), rewinds: begun.length - left.length };
}

function remember(parsed: Parsed<CodexMemory>, begun: readonly number[]): Parsed<CodexMemory> {
  return { ...parsed, memory: { ...parsed.memory, begun } };
}
