import type { JsonObject } from "../domain/json.ts";
import type { LastTurn } from "../domain/session/outcome.ts";
import type { Signal } from "../domain/supervise/signal.ts";
import type { Instant } from "../domain/time.ts";
import type { NewEntry } from "../domain/transcript/entry.ts";
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
  readonly identity?: { readonly nativeId?: string; readonly model?: string; readonly agentVersion?: string };
  /** Texts that the agent shows to have, though it may still work on another one. */
  readonly taken?: readonly string[];
  /**
   * Another source completes this piece. `turn`: wait up to a second for the end of the turn in the transcript. `hook`:
   * wait up to half a second for a hook, then parse the piece again.
   */
  readonly awaits?: "turn" | "hook";
  /** In a transcript: a turn is over here. */
  readonly isTurnRead?: true;
  /** Turns that end and begin at this line of a transcript, in this order. */
  readonly turn?: TurnMark;
  /** From now on it writes its transcript here. */
  readonly transcript?: string;
  /** Merged into the memory, key by key; other keys stay. */
  readonly memory?: Partial<M>;
  /** Answers the protocol at once, whatever people do. */
  readonly reply?: Deed;
  /** The piece belongs to a sub-agent: nothing of it but the memory counts for this session. */
  readonly child?: { readonly nativeId: string; readonly agentName?: string };
}

export interface TurnMark {
  readonly over?: TurnOver;
  readonly isBegun?: true;
}

/** How a turn went; `why` where it failed. */
export interface TurnOver {
  readonly result: LastTurn;
  readonly why: string | null;
}
