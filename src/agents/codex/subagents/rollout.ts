import { type JsonObject, readJsonObject } from "../../../domain/json.ts";
import { countOf, listOf, objectOf, textFields, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { CodexMemory } from "../memory.ts";
import { parseRollout } from "../rollout/rollout.ts";

/**
 * One line of the rollout of a sub-agent. It may begin with a copy of its parent's history: newer releases say where
 * that ends; in older ones it ends with the first turn that is none of the parent's (`inheritedTurns`).
 */
export function parseSubagent(text: string, memory: CodexMemory): Parsed<CodexMemory> {
  const line = readJsonObject(text);
  if (line === undefined) return {};
  const payload = objectOf(line.payload);
  if (line.type === "session_meta") return parseMeta(payload, memory);
  if (isInherited(line, payload, memory)) return {};
  // Its totals may go on from those of its parent.
  const { signal: _, taken: __, isTurnRead: ___, totals: ____, ...parsed } = parseRollout(text, memory);
  const isOwn = memory.isInherited === true ? { memory: { ...parsed.memory, isInherited: false } } : {};
  return { ...parsed, ...isOwn };
}

/** The first is its own; a second one heads the copy of its parent's history. */
function parseMeta(meta: JsonObject, { hasMeta, ownFrom }: CodexMemory): Parsed<CodexMemory> {
  if (hasMeta === true) return ownFrom === undefined ? { memory: { isInherited: true } } : {};
  const from = countOf(meta.subagent_history_start_ordinal);
  return {
    identity: textFields({ agentVersion: meta.cli_version }),
    memory: { hasMeta: true, ...(from === null ? {} : { ownFrom: from }) },
  };
}

function isInherited(line: JsonObject, payload: JsonObject, memory: CodexMemory): boolean {
  const { ownFrom, isInherited: isCopy, inheritedTurns } = memory;
  const ordinal = countOf(line.ordinal);
  if (typeof ownFrom === "number" && ordinal !== null) return ordinal < ownFrom;
  const turn = textOf(payload.turn_id);
  if (isCopy !== true || inheritedTurns === undefined) return false;
  return turn === null || listOf(inheritedTurns).includes(turn);
}
