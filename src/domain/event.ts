import type { Launch } from "./carried.ts";
import type { NewEntry } from "./entry.ts";
import type { Evidence } from "./evidence.ts";
import type { JsonObject } from "./json.ts";
import type { Ending, LastTurn } from "./outcome.ts";
import type { FinalPhase, Phase } from "./phase.ts";
import type { Channel, Identity, Origin, ProcessIdentity, SessionRow, Waiting } from "./session.ts";
import type { State } from "./state.ts";
import type { Instant } from "./time.ts";
import type { DeclaredTotals } from "./usage.ts";

/** What happened to a session. The row of a session is nothing but these, applied in order. */
export type EventBody =
  | {
      readonly kind: "created";
      readonly identity: Identity;
      readonly origin: Origin;
      /** An end is an event of its own. */
      readonly state: Exclude<State, "stopped" | "failed">;
      readonly evidence: Evidence;
      readonly process: ProcessIdentity | null;
      readonly hasFile: boolean;
      /** For a record of something that began before it was written down. */
      readonly createdAt?: Instant;
      /** For a session whose process Rollcall carries. */
      readonly launch?: Launch;
    }
  /** A record brought back from its file, whole. */
  | { readonly kind: "restored"; readonly row: Omit<SessionRow, "seq"> }
  | {
      readonly kind: "updated";
      readonly phase?: Exclude<Phase, FinalPhase>;
      readonly metadata?: JsonObject;
      readonly error?: string;
      readonly name?: string | null;
      readonly resumeReady?: boolean;
    }
  /** `inHistory`: reached by an update of the phase, which leaves its step in the history. */
  | {
      readonly kind: "finalized";
      readonly phase: FinalPhase;
      readonly summary: string | null;
      readonly inHistory: boolean;
    }
  | {
      readonly kind: "state_changed";
      readonly to: State;
      readonly evidence: Evidence;
      /** The generation that the evidence speaks of; an earlier one changes nothing. */
      readonly generation?: number;
      readonly waiting?: Waiting;
      readonly ending?: Ending;
      readonly exitCode?: number;
      readonly exitSignal?: string;
      /** When the agent left, where that was written down before anyone saw it. */
      readonly endedAt?: Instant;
      readonly endReason?: string;
      /** How the turn went that this change ended. */
      readonly turn?: Exclude<LastTurn, null>;
      /** How many processes had to be killed. */
      readonly killed?: number;
      /** For a resume. */
      readonly launch?: Launch;
    }
  /** The process runs; its identity tells it apart from a later one with the same pid. */
  | { readonly kind: "launched"; readonly process: ProcessIdentity; readonly generation: number }
  /** Recorded before it is written: input is given at most once, whatever crashes. */
  | {
      readonly kind: "input_given";
      readonly by: InputKind;
      readonly generation: number;
      readonly text: string;
      /** Given in mid-turn, for a turn of its own. */
      readonly isQueued?: boolean;
    }
  /** Most of a time-out has passed. */
  | { readonly kind: "limit_neared"; readonly limit: string; readonly allowedMs: number }
  /** No living process could be shown. Unlike other changes it does not count as activity. */
  | { readonly kind: "reconciled"; readonly evidence: Evidence }
  | { readonly kind: "identified"; readonly identity: Partial<Identity>; readonly lastActiveAt?: Instant }
  | { readonly kind: "totals_declared"; readonly totals: Partial<DeclaredTotals> }
  | {
      readonly kind: "entry_added";
      readonly entry: NewEntry;
      /** How much of the output of a carried session is in the transcript with this entry. */
      readonly consumed?: { readonly stream: "out" | "err"; readonly offset: number };
    };

export const INPUT_KINDS = ["prompt", "send", "keys", "answer", "interrupt"] as const;
export type InputKind = (typeof INPUT_KINDS)[number];

export type EventKind = EventBody["kind"];

/** An event that was not stored yet. Its id makes appending it twice the same as once. */
export interface NewEvent {
  readonly id: string;
  readonly at: Instant;
  /** Through which channel it was said, where someone said it. */
  readonly channel: Channel | null;
  readonly body: EventBody;
}

export interface SessionEvent extends NewEvent {
  readonly sessionId: string;
  readonly seq: number;
}

/** What the feed carries: every event, and the removal of whole sessions. */
export type FeedEvent =
  | (SessionEvent & { readonly cursor: string })
  | {
      readonly cursor: string;
      readonly sessionId: string;
      readonly at: Instant;
      readonly body: { readonly kind: "deleted" };
    };
