import type { HistoryBase, HistoryFacts } from "../agents/history.ts";
import { objectOf } from "../agents/json-lines.ts";
import type { Memory } from "../agents/parsed.ts";
import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import { OUTCOMES, type Outcome } from "../domain/session/outcome.ts";
import type { Instant } from "../domain/time.ts";
import type { TurnCount } from "./transcript-turns.ts";

/** The memory of an import between two records of a history, kept with the cursor beside the parser's own. */
export interface ImportState extends TurnCount {
  readonly memory: Memory;
  /** Up to this offset the file repeats records of other files. */
  readonly copiedTo: number;
  /** They are of another file of the same session, so that a turn goes on behind them. */
  readonly isOwnCopy: boolean;
  /** Nothing of its own was read so far: what is added next may still be a copy. */
  readonly isCopy: boolean;
  readonly isSubagent: boolean;
  /** Keys of records that a copy may begin with, the first ones. */
  readonly roots: readonly string[];
  /** Native ids of the session that it continues, and of the one that it helps, as the file says. */
  readonly forkedFrom: string | null;
  readonly parent: string | null;
  /** Records numbered below this one are copies, as the file says. */
  readonly ownOrdinal: number | null;
  /** The place in another history that it goes on from, as the file says. */
  readonly base: HistoryBase | null;
  /** That place was found. */
  readonly isBaseRead: boolean;
  /** Records that a relative counts as its own, because this file was shorter then: if one of them comes here, both are read again. */
  readonly awaited: readonly string[];
  /** Some of it has come. */
  readonly isOutgrown: boolean;
  /** Turns that are part of the conversation, as `VisibleTurns` keeps them. */
  readonly visible: JsonObject;
  /** How the last turn went that is over; null while one is open. */
  readonly outcome: Outcome | null;
  /** When the last record was written. */
  readonly lastAt: Instant | null;
}

export const NEW_STATE: ImportState = {
  memory: {},
  number: 0,
  isOpen: false,
  copiedTo: 0,
  isOwnCopy: false,
  isCopy: false,
  isSubagent: false,
  roots: [],
  forkedFrom: null,
  parent: null,
  ownOrdinal: null,
  base: null,
  isBaseRead: true,
  awaited: [],
  isOutgrown: false,
  visible: {},
  outcome: null,
  lastAt: null,
};

/** The state in a cursor, which may also come from someone who followed the file while it was written. */
export function readState(kept: Json | undefined): ImportState {
  if (!isJsonObject(kept)) return NEW_STATE;
  const { memory, number, isOpen, copiedTo, outcome, lastAt } = kept;
  return {
    memory: isJsonObject(memory) ? memory : {},
    number: typeof number === "number" ? number : 0,
    isOpen: isOpen === true,
    copiedTo: typeof copiedTo === "number" ? copiedTo : 0,
    isOwnCopy: kept.isOwnCopy === true,
    isCopy: kept.isCopy === true,
    isSubagent: kept.isSubagent === true,
    roots: textsIn(kept.roots),
    forkedFrom: textIn(kept.forkedFrom),
    parent: textIn(kept.parent),
    ownOrdinal: typeof kept.ownOrdinal === "number" ? kept.ownOrdinal : null,
    base: baseIn(kept.base),
    isBaseRead: kept.isBaseRead !== false,
    awaited: textsIn(kept.awaited),
    isOutgrown: kept.isOutgrown === true,
    visible: objectOf(kept.visible),
    outcome: OUTCOMES.find((each) => each === outcome) ?? null,
    lastAt: textIn(lastAt),
  };
}

/** Facts of copies that the beginning of the history states. */
export function keptFacts({ forkedFrom, ownOrdinal, base }: ImportState): HistoryFacts {
  return {
    ...(forkedFrom === null ? {} : { forkedFrom }),
    ...(ownOrdinal === null ? {} : { ownOrdinal }),
    ...(base === null ? {} : { base }),
  };
}

function baseIn(value: Json | undefined): HistoryBase | null {
  const { file, before } = objectOf(value);
  return typeof file === "string" && typeof before === "number" ? { file, before } : null;
}

function textIn(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}

export function writeState(state: ImportState): JsonObject {
  return { ...state };
}
