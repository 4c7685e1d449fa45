import type { JsonObject } from "../domain/json.ts";
import type { AgentTotals } from "../domain/reported-totals.ts";
import type { LastTurn } from "../domain/session/outcome.ts";
import type { Signal } from "../domain/supervise/signal.ts";
import type { Instant } from "../domain/time.ts";
import type { NewEntry } from "../domain/transcript/entry.ts";
import type { UnknownRecord } from "../domain/transcript/unknown-record.ts";
import type { UsageEntry } from "../domain/usage.ts";
import type { Deed } from "./deed.ts";

/** Memory of the parsers of one mode, from one piece to the next. Survives the daemon; gone with the launch. */
export type Memory = JsonObject;

/** The meaning of one piece of an agent's output, transcript, hooks or events. */
export interface Parsed<M extends Memory = Memory> {
  /** When the agent said it, where it says so: a piece from before the launch belongs to an earlier one. */
  readonly at?: Instant;
  readonly signal?: Signal;
  readonly entries?: readonly NewEntry[];
  readonly usage?: readonly UsageEntry[];
  /** The agent's own totals; kept beside the ledger and never counted. */
  readonly totals?: AgentTotals;
  /** Requests of which the agent does not say when they were made: they get the time at which they are taken in. */
  readonly untimedUsage?: readonly UntimedUsage[];
  readonly identity?: { readonly nativeId?: string; readonly model?: string; readonly agentVersion?: string };
  /** Texts that the agent shows to have, though it may still work on another one. */
  readonly taken?: readonly string[];
  /**
   * Another source completes this piece. `turn`: wait up to a second for the end of the turn in the transcript. `hook`:
   * wait up to half a second for a hook, then parse the piece again. `transcript`: read what is there of it by now, then
   * parse the piece again.
   */
  readonly awaits?: "turn" | "hook" | "transcript";
  /** In a transcript: a turn is over here. */
  readonly isTurnRead?: true;
  /** Turns that end and begin at this piece of a transcript or a stream, in this order; a text in it begins the turn. */
  readonly turn?: TurnMark;
  /** In a transcript: so many turns, the newest ones, were taken back before this piece. */
  readonly rewinds?: number;
  /** From now on it writes its transcript here. */
  readonly transcript?: string;
  /** In a transcript: this release does not know the record, or not all of it. */
  readonly unknown?: UnknownRecord;
  /** Merged into the memory, key by key; other keys stay. */
  readonly memory?: Partial<M>;
  /** Answers the protocol at once, whatever people do. */
  readonly reply?: Deed;
  /** The piece belongs to a sub-agent: nothing of it but the memory counts for this session. */
  readonly child?: { readonly nativeId: string };
  /** Sub-agents that are done with their task, whatever their own transcripts say. */
  readonly doneChildren?: readonly string[];
}

export type UntimedUsage = Omit<UsageEntry, "at">;

export interface TurnMark {
  readonly over?: TurnOver;
  readonly isBegun?: true;
}

/** How a turn went; `why` where it failed. */
export interface TurnOver {
  readonly result: LastTurn;
  readonly why: string | null;
}
