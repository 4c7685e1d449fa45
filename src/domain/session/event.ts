import type { JsonObject } from "../json.ts";
import type { Budget, Limit } from "../limits/limit.ts";
import type { ReadCursor } from "../read-cursor.ts";
import type { AgentTotals } from "../reported-totals.ts";
import type { Instant } from "../time.ts";
import type { NewEntry } from "../transcript/entry.ts";
import type { NewUnknownRecord } from "../transcript/unknown-record.ts";
import type { DeclaredTotals, Usage, UsageEntry } from "../usage.ts";
import type { Launch } from "./carried.ts";
import type { Evidence } from "./evidence.ts";
import type { End, Ending, Outcome } from "./outcome.ts";
import type { FinalPhase, Phase } from "./phase.ts";
import type { Channel, Identity, Origin, ProcessIdentity, Request, SessionRow, Waiting } from "./session.ts";
import type { DeclaredState, LiveState, LossReason, State } from "./state.ts";

/** The caller of a command: a process of this machine, and the session that it runs in, if any. */
export interface Asker {
  readonly uid: number;
  readonly pid: number;
  readonly terminal: string | null;
  readonly sessionId: string | null;
}

/** A change of a session. The row of a session is nothing but these, applied in order. */
export type EventBody = Happening & {
  /** The caller, where a command asked for it; changes nothing of the row. */
  readonly asker?: Asker;
};

type Happening =
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
  | StateEvent
  /** The process runs; its identity tells it apart from a later one with the same pid. */
  | { readonly kind: "launched"; readonly process: ProcessIdentity; readonly generation: number }
  /** Recorded before it is written: input is given at most once, whatever crashes. */
  | {
      readonly kind: "input_given";
      readonly by: InputKind;
      readonly generation: number;
      readonly text: string;
      /** The turn that it begins, or in which it is queued. */
      readonly turn?: number;
      /** Given in mid-turn: the agent takes it into that turn, or into one of its own. */
      readonly isQueued?: boolean;
    }
  /** `text`: one is recorded for delivery. `agent`: it began to work without one of ours. */
  | {
      readonly kind: "turn_began";
      readonly number: number;
      readonly generation: number;
      readonly by: "text" | "agent";
      /** The text in one line, where it is given only once the agent is ready. */
      readonly about?: string;
      /** The text is an order to the agent's own program, such as `/clear`. */
      readonly isCommand?: boolean;
    }
  /** Appended again for the same turn only to add an outcome or an error that was not known before. */
  | {
      readonly kind: "turn_ended";
      readonly number: number;
      readonly generation: number;
      readonly outcome: Outcome | null;
      readonly error: string | null;
    }
  /** Most of a limit is used up. */
  | { readonly kind: "limit_neared"; readonly limit: Limit; readonly used?: number }
  /** A model without a known price was used under a budget of money, which cannot count it. Once for each model. */
  | { readonly kind: "limit_uncounted"; readonly limit: Budget; readonly model: string | null }
  | { readonly kind: "identified"; readonly identity: Partial<Identity>; readonly lastActiveAt?: Instant }
  | { readonly kind: "totals_declared"; readonly totals: Partial<DeclaredTotals> }
  /** The agent says what it has used in all. Kept beside the ledger, and never counted. */
  | ({ readonly kind: "totals_reported" } & AgentTotals)
  /** The ledger has other sums than before: the usage of the session with this change, however many requests it brought. */
  | { readonly kind: "usage_changed"; readonly usage: Usage }
  | {
      readonly kind: "entry_added";
      readonly entry: NewEntry;
      /** How much of the output of a carried session is in the transcript with this entry. */
      readonly consumed?: { readonly stream: "out" | "err"; readonly offset: number };
      /** A user's text that begins a turn of its own, by what the transcript says before it. */
      readonly opensTurn?: boolean;
    }
  /**
   * A person took the conversation back to before this event: from it on, up to here, entries are no part of it any
   * more. Turns and usage stay counted. `fromSeq`: the seq of that event, which the store fills in; absent where the
   * session has no such event.
   */
  | { readonly kind: "rewound"; readonly since: string; readonly fromSeq?: number };

/** An event that leads to a state, and its evidence. A timeline shows each of them as it is. */
export type StateEvent = AgentEvent | OperatorEvent | EndEvent | UnknownEvent | RecordEvent;

/** `generation`: the one that the evidence speaks of; an earlier one changes nothing. */
interface LeadsTo<S extends State> {
  readonly state: S;
  readonly evidence: Evidence;
  readonly generation: number;
}

type AgentEvent =
  /** Its process runs, a text was given, or it works by its own word. Appended again when a better source says so. */
  | ({ readonly kind: "at_work" } & LeadsTo<"running">)
  /** It rests and takes a text. */
  | ({ readonly kind: "at_prompt" } & LeadsTo<"waiting_input">)
  /** It put a request to a person. Appended again, with the same id, when more of the request is known. */
  | ({ readonly kind: "asked"; readonly waiting: Request } & LeadsTo<"waiting_input">)
  /** Its request is over and it goes on: with its work, or with loading where a dialog stood before the first prompt. */
  | ({ readonly kind: "answered"; readonly requestId: string } & LeadsTo<
      "running" | "starting" | "resuming"
    >);

type OperatorEvent =
  | ({ readonly kind: "paused" } & LeadsTo<"paused">)
  /** Back to the state before the pause. `waiting`: null unless it waits again. */
  | ({ readonly kind: "continued"; readonly waiting: Waiting | null } & LeadsTo<LiveState>)
  /** Work goes on after an end, as the generation that the event names. `launch`: null for a session outside, seen again. */
  | ({ readonly kind: "resumed"; readonly launch: Launch | null } & LeadsTo<"resuming">);

type EndEvent =
  /**
   * It is being ended, or left and the rest of its tree is. Appended again only to add an outcome, or how the last turn
   * went. `ending`: null where its exit is not known. `endReason`: null where no limit is the cause.
   */
  | ({
      readonly kind: "end_began";
      readonly ending: Ending | null;
      readonly endReason: string | null;
    } & LeadsTo<"stopping">)
  /** `exit`: null where nobody wrote one down. `endReason`: null where `how` says all. */
  | ({
      readonly kind: "ended";
      readonly how: Ending["how"];
      readonly exit: Exit | null;
      readonly endReason: string | null;
    } & Omit<LeadsTo<State>, "state"> &
      End);

type UnknownEvent =
  /** Neither a process nor its end can be shown. */
  | ({ readonly kind: "lost"; readonly endReason: LossReason } & LeadsTo<"unknown">)
  /** It runs, and nothing shows what it does. */
  | ({ readonly kind: "silent" } & LeadsTo<"unknown">)
  /** No living process could be shown for a record. Unlike the others it does not count as activity. */
  | ({ readonly kind: "reconciled" } & Omit<LeadsTo<"unknown">, "generation">);

/** A person or program said how a record stands that Rollcall does not run: the word stands. */
type RecordEvent = { readonly kind: "status_declared"; readonly evidence: Evidence } & DeclaredState;

/** How an agent's process ended, as its holder wrote it down. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** When the agent left; null while it could not be ended. */
  readonly at: Instant | null;
  /** How many processes of its tree had to be killed. */
  readonly killed: number;
}

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

/** One change of a session: events, requests for its ledger, and how far its sources were read for them. */
export interface Decision {
  readonly events: readonly NewEvent[];
  readonly usage?: readonly UsageEntry[];
  /** When the requests were learned of: the time of what the store decides by them. */
  readonly at?: Instant;
  readonly cursors?: readonly ReadCursor[];
  /** Records of transcripts that this release does not know; one whose key the session has already is left out. */
  readonly unknown?: readonly NewUnknownRecord[];
}

export interface SessionEvent extends NewEvent {
  readonly sessionId: string;
  readonly seq: number;
}

/** An item of the feed: an event, or the removal of a whole session. */
export type FeedEvent =
  | (SessionEvent & { readonly cursor: string })
  | {
      readonly cursor: string;
      readonly sessionId: string;
      readonly at: Instant;
      readonly body: { readonly kind: "deleted" };
    };
