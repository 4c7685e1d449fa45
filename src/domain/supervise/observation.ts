import type { TimeLimit, TimeLimitKind } from "../limits/limit.ts";
import type { EventBody } from "../session/event.ts";
import type { Evidence } from "../session/evidence.ts";
import type { Outcome } from "../session/outcome.ts";
import type { ProcessIdentity } from "../session/session.ts";
import type { Signal, TrustOrder } from "./signal.ts";

/** How an agent ended, and whether anything of its tree is left, as its holder or guard wrote it down. */
export interface TreeExit {
  readonly agent: {
    readonly code: number | null;
    readonly signal: string | null;
    /** Null while the agent itself could not be ended. */
    readonly at: string | null;
  };
  readonly reason: "exited" | "asked" | "exec_failed" | "holder_lost";
  readonly error: string | null;
  readonly tree: {
    readonly state: "ending" | "empty" | "kept" | "blocked";
    readonly killed: number;
    readonly remaining: readonly number[];
  };
}

/** A living process that carries the marker of a session and belongs to no holder. */
export type Leftover = ProcessIdentity;

/** Traces that a daemon finds of a session that it did not start itself. */
export interface Traces {
  readonly bootId: string;
  readonly ageMs: number;
  /** The boot that the holder was started in; null where no holder wrote anything. */
  readonly holderBootId: string | null;
  readonly isHolderAlive: boolean;
  readonly isGuardAlive: boolean;
  /** The agent, where the holder could write it down. */
  readonly agent: ProcessIdentity | null;
  readonly exit: TreeExit | null;
  readonly leftovers: readonly Leftover[];
  /** It was lost before, and its guard had ended the whole tree: see `wasProvenEmpty`. */
  readonly wasEmpty: boolean;
  /** Living processes without a marker that belong to the launch by all that is known of its tree: named, never signalled. */
  readonly survivors: readonly ProcessIdentity[];
}

/** Everything that can be seen of a carried session. Each speaks of one generation; an earlier one changes nothing. */
export type Observation =
  | { readonly saw: "launched"; readonly process: ProcessIdentity; readonly isReady: boolean }
  /** The command could not be run, or no holder for it. */
  | { readonly saw: "launch_failed"; readonly error: string; readonly step: string }
  | { readonly saw: "signal"; readonly signal: Signal; readonly trust: TrustOrder }
  | {
      readonly saw: "exit";
      readonly exit: TreeExit;
      /** Looked for once the tree was empty. */
      readonly leftovers: readonly Leftover[];
      readonly tellsTurns: boolean;
    }
  /** No more word from the holder: look what is there. */
  | { readonly saw: "holder_gone" }
  /** A daemon follows the living holder again, and its sources. */
  | { readonly saw: "adopted"; readonly graceMs: number }
  | { readonly saw: "traces"; readonly traces: Traces; readonly tellsTurns: boolean }
  | { readonly saw: "end_asked"; readonly graceMs: number; readonly outcome?: Outcome }
  /** An end was recorded with the requests that used up a budget; nothing was done about it yet. */
  | { readonly saw: "end_recorded"; readonly graceMs: number }
  /** So much of a limit is used up by now. */
  | {
      readonly saw: "limit_passed";
      readonly limit: TimeLimit;
      readonly passedMs: number;
      readonly graceMs: number;
    }
  | { readonly saw: "not_ready"; readonly afterMs: number }
  /** Someone gives it a text; decided and recorded before it is written. */
  | {
      readonly saw: "text_given";
      readonly by: "prompt" | "send";
      readonly text: string;
      /** An order to the agent's own program. */
      readonly isCommand: boolean;
      /** The agent still keeps earlier texts: it rests for a moment between two turns. */
      readonly isBehindQueued?: boolean;
    }
  /** The text is with the agent, as far as a pipe or terminal can tell. */
  | { readonly saw: "text_written" }
  /** Something else than a state or an entry shows that the agent has the text. */
  | { readonly saw: "text_taken"; readonly evidence: Evidence }
  | { readonly saw: "text_not_taken"; readonly turn: number; readonly afterMs: number }
  /** A command of its own shows its effect on the screen, and nothing else is known of it. */
  | { readonly saw: "command_shown"; readonly turn: number }
  | { readonly saw: "pause_asked" }
  | { readonly saw: "continue_asked" };

/** One thing to do about an observation. Events are committed before anything else is done. */
export type Action =
  | { readonly do: "append"; readonly body: EventBody }
  /** Polite stop, then the whole tree, with proof; harmless if it is on its way already. */
  | { readonly do: "end_tree"; readonly graceMs: number }
  /** Give the first text, which waits in the folder of the launch; harmless if it was given. */
  | { readonly do: "give_text" }
  /** Nothing more is to be said to it: end of its input. */
  | { readonly do: "close_input" }
  | { readonly do: "pause_tree" }
  | { readonly do: "continue_tree" }
  /** Connect to the living holder and follow it. */
  | { readonly do: "adopt" }
  | { readonly do: "look_for_traces" }
  /** Each only while pid, start time, boot and marker still match; then traces are looked for again. */
  | { readonly do: "kill"; readonly leftovers: readonly Leftover[] }
  | { readonly do: "look_again"; readonly afterMs: number }
  /** See again how much of a limit is used up. */
  | { readonly do: "check_limit"; readonly limit: TimeLimitKind; readonly afterMs: number }
  /** Nothing of this launch is left but its folder: keep the rest of its output, then remove it. */
  | { readonly do: "close" };
