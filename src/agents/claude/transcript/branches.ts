import type { Json, JsonObject } from "../../../domain/json.ts";
import { listOf, textOf } from "../../json-lines.ts";
import type { Parsed } from "../../parsed.ts";
import type { ClaudeMemory } from "../memory.ts";

/** Enough of an id to tell the records of one file apart. */
const ID_LENGTH = 8;
/** A prompt follows one of the last records of the turn that it continues: of a turn that is over, no others are kept. */
const MOST_ENDS = 6;
const MOST_IDS = 60;
/** All of this is written down with each line that is read live. */
const MOST_TURNS = 100;

/**
 * The records of a transcript form a tree: each names its parent. A person who goes back begins another branch, and the
 * turns behind its beginning are no part of the conversation any more. Only a prompt tells that: calls side by side
 * branch too.
 */
export function followBranch(
  line: JsonObject,
  isPrompt: boolean,
  memory: ClaudeMemory,
): Parsed<ClaudeMemory> {
  const id = idOf(line.uuid);
  const turns = branchOf(memory);
  // A line that is read again changes nothing.
  if (id === undefined || turnOf(id, turns) !== undefined) return {};
  const at = turnOf(parentOf(line), turns) ?? turns.length - 1;
  if (!isPrompt) return { memory: { branch: turns.with(at, noted(turns[at], id)) } };
  const left = turns.slice(at + 1);
  // A prompt that continues a branch that was taken back belongs behind the same turn.
  const end = [lastOf(turns[at], MOST_ENDS), ...left].reduce((ids = "", more = "") => noted(ids, more));
  return {
    memory: { branch: [...turns.slice(0, at), lastOf(end, MOST_ENDS), id].slice(-MOST_TURNS) },
    ...(left.length === 0 ? {} : { rewinds: left.length }),
  };
}

function branchOf({ branch }: ClaudeMemory): string[] {
  const turns = listOf(branch).filter((ids) => typeof ids === "string");
  return turns.length === 0 ? [""] : turns;
}

/** The turn that a record belongs to; undefined where nobody knows. What has no parent stands before all turns. */
function turnOf(parent: string | null | undefined, turns: readonly string[]): number | undefined {
  if (parent === undefined) return undefined;
  if (parent === null) return turns.length < MOST_TURNS ? 0 : undefined;
  // Nearly none holds it, which the text tells faster than its parts.
  const at = turns.findLastIndex((ids) => ids.includes(parent) && ids.split(" ").includes(parent));
  return at < 0 ? undefined : at;
}

/** A summary of what was said before continues that. */
function parentOf({ parentUuid, logicalParentUuid, subtype }: JsonObject): string | null | undefined {
  if (subtype === "compact_boundary") return idOf(logicalParentUuid);
  return parentUuid === null ? null : idOf(parentUuid);
}

function noted(ids: string | undefined, more: string): string {
  return lastOf(`${ids ?? ""} ${more}`, MOST_IDS);
}

/** The first one, by which a prompt is known that is read again, and the last ones. */
function lastOf(ids: string | undefined, count: number): string {
  const [first = "", ...others] = (ids ?? "").split(" ").filter(Boolean);
  return [first, ...others.slice(-count)].join(" ");
}

function idOf(uuid: Json | undefined): string | undefined {
  const text = textOf(uuid);
  return text === null || text === "" ? undefined : text.slice(-ID_LENGTH);
}
