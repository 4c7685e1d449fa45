import type { JsonObject } from "../domain/json.ts";
import type { ScreenRule } from "../domain/screen/screen-rules.ts";
import type { HostName } from "../domain/session/carried.ts";
import type { LastTurn } from "../domain/session/outcome.ts";
import type { AgentType, Kind, Waiting } from "../domain/session/session.ts";
import type { Signal, TrustOrder } from "../domain/supervise/signal.ts";
import type { Instant } from "../domain/time.ts";
import type { NewEntry } from "../domain/transcript/entry.ts";
import type { UsageEntry } from "../domain/usage.ts";
import type { AgentHooks } from "./hooks.ts";

/**
 * All that Rollcall knows of one agent: how to launch it, how to understand what it says, how to answer it. Pure:
 * it plans and parses, and others read, write and signal. Differences between agents are facts here, never tests
 * for a name elsewhere.
 */
export interface Agent {
  readonly type: AgentType;
  readonly capabilities: Capabilities;
  /** The release that conformance was measured on; null for programs of any kind and for our own. */
  readonly testedVersion: string | null;
  /** Sockets that change how it has to be launched if someone answers there. */
  sockets?(env: LaunchRequest["env"]): readonly string[];
  /** A file that whoever is in a conversation has open for writing: two of them would mix their words. */
  lockOf?(env: LaunchRequest["env"], nativeId: string): string | undefined;
  /** Throws a coded error where the request cannot be met. */
  plan(request: LaunchRequest): LaunchPlan;
  /** The sources of its state, the declared authority first. */
  trust(kind: Kind): TrustOrder;
  readonly observe: Observe;
  readonly controls: Controls;
  readonly outside?: Outside;
  /** Hooks of ours that its own settings take; a line of `hook-registry.ts` names them, too. */
  readonly hooks?: AgentHooks;
}

/** How sessions of this agent are found that someone started without Rollcall. */
export interface Outside {
  /** What its parsers remember of one that may have been there for long, and whose start nobody saw. */
  readonly notes?: Notes;
  /**
   * How the open turn went, of a session that shows itself to be at its prompt and whose transcript does not say that
   * the turn is over; undefined where what was read of it does not tell.
   */
  turnAtRest?(notes: Notes): TurnOver | undefined;
  /** Where they leave their traces, for whoever has this environment. */
  places(env: Readonly<Record<string, string | undefined>>): {
    readonly liveFiles: string | null;
    readonly transcripts: string;
  };
  /** Where a session writes its transcript, unless it began in another folder. */
  transcriptOf?(
    env: Readonly<Record<string, string | undefined>>,
    identity: OutsideIdentity,
  ): string | undefined;
  /** Whose live file it is; undefined where it tells of no session. */
  ofFile?(content: JsonObject): OutsideIdentity | undefined;
  /** Whose transcript it is, from its name and a line of it; undefined where that line does not tell. */
  ofTranscript(name: string, line: string): OutsideIdentity | undefined;
  /** Whose hook it is. */
  ofHook?(payload: JsonObject): OutsideIdentity | undefined;
}

export interface OutsideIdentity {
  readonly nativeId: string;
  readonly kind: Kind;
  readonly cwd: string | null;
  /** Its process, where it tells. */
  readonly pid: number | null;
  /** When that process was started, in clock ticks since boot. */
  readonly startTime?: string;
  readonly transcript?: string;
}

/** What an agent can do beyond running; each flag opens a verb or settles a question of the daemon. */
export interface Capabilities {
  readonly kinds: readonly Kind[];
  /** Whether it tells when a turn begins and ends; a plain command does not, and its exit code says all there is. */
  readonly tellsTurns: boolean;
  /** Whether it counts as running as soon as it was executed. */
  readonly isReadyAtExec: boolean;
  /** Whether it takes input in mid-turn and keeps it for later. */
  readonly queuesInput: boolean;
  /** Whether its state or transcript shows that it took an input; else written is delivered. */
  readonly confirmsInput: boolean;
  /** Whether its transcript says where a turn is over (`isTurnRead`), of sessions of this kind. */
  readonly endsTurnsInTranscript: (kind: Kind) => boolean;
  readonly canResume: boolean;
  readonly canFork: boolean;
  /** Whether its output itself is the transcript. */
  readonly outputIsTranscript: boolean;
}

export interface LaunchRequest {
  readonly sessionId: string;
  readonly kind: Kind;
  /** The whole command for a plain one, else more arguments for the agent. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly model: string | null;
  /** The caller's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** A fresh UUID, for agents whose native id is ours to choose. */
  readonly freshId: string;
  readonly continues: { readonly nativeId: string; readonly how: "resume" | "fork" } | null;
  /** Those of its `sockets` at which someone answers. */
  readonly answering: readonly string[];
  /** The script that hands an event of a hook to Rollcall. */
  readonly hookScript: string;
  /** Where this launch may put files of its own. */
  readonly folder: string;
  /** Rollcall's state folder. */
  readonly home: string;
  /** How to run one of Rollcall's own programs: `node` and the path of a script. */
  readonly node: string;
  readonly programs: Readonly<Record<"scripted", string>>;
}

export interface LaunchPlan {
  readonly command: readonly string[];
  /** Beside the caller's environment and the marker. */
  readonly env: Readonly<Record<string, string>>;
  readonly host: HostName;
  readonly nativeId: string | null;
  /** Written into the folder of the launch before it. */
  readonly files?: Readonly<Record<string, string>>;
  /** The file that the agent will write its transcript to, where that is known beforehand. */
  readonly transcript: string | null;
  /** The folder that it makes its transcript in, where its name is not: the file that its own process writes to. */
  readonly transcripts?: string;
  /** The folder in which each process of this agent keeps a file of its own state, as JSON with `pid`. */
  readonly liveFiles?: string;
  /** Written as soon as it runs, where it speaks a protocol. */
  readonly opening?: string;
  /** What a person has to know of this launch: a notice in its transcript. */
  readonly notice?: string;
}

/** What an agent's parsers remember from one piece to the next. Survives the daemon; gone with the launch. */
export type Notes = Readonly<Record<string, string>>;

/** What one piece of an agent's output, transcript or hooks tells. */
export interface Seen {
  /** When the agent said it, where it tells: what it said before its launch is of an earlier one. */
  readonly at?: Instant;
  readonly signal?: Signal;
  readonly entries?: readonly NewEntry[];
  readonly usage?: readonly UsageEntry[];
  readonly identity?: { readonly nativeId?: string; readonly model?: string; readonly agentVersion?: string };
  /** Texts that the agent shows to have, though it may work on another one yet. */
  readonly taken?: readonly string[];
  /**
   * Another source completes this piece. `turn`: wait up to a second for the end of the turn in the transcript. `hook`:
   * wait up to half a second for a hook, then parse the piece again.
   */
  readonly awaits?: "turn" | "hook";
  /** Of a transcript: a turn is over here. */
  readonly isTurnRead?: true;
  /** Turns that end and begin at this line of a transcript, in this order. */
  readonly turn?: TurnMark;
  /** From now on it writes its transcript here. */
  readonly transcript?: string;
  /** To be remembered; others stay. */
  readonly notes?: Notes;
  /** What the protocol wants to be answered, whoever is asked. */
  readonly reply?: string;
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

/** Parsers of the sources that this agent has. Each is total: what it does not understand tells nothing. */
export interface Observe {
  /** OSC 7501, as key and value; `msg` and `title` are base64. */
  readonly report?: (fields: Readonly<Record<string, string>>, notes: Notes) => Seen;
  readonly title?: (title: string, notes: Notes) => Seen;
  /** The file of one process in `liveFiles`, known to be of this session. */
  readonly file?: (content: JsonObject, notes: Notes) => Seen;
  /** One line of standard output of an autonomous session. */
  readonly stream?: (line: string, notes: Notes) => Seen;
  readonly hook?: (event: string, payload: JsonObject, notes: Notes) => Seen;
  /** One line of the transcript. */
  readonly transcript?: (line: string, notes: Notes) => Seen;
  /** What the name of a transcript that was found in `transcripts` says; undefined where it is none. */
  readonly transcriptName?: (name: string) => Seen["identity"] | undefined;
  /** Whether a transcript that begins with this line is the session's own, and not that of a helper in its process. */
  readonly isOwnTranscript?: (firstLine: string) => boolean;
  /** Looked for before the first prompt; afterwards these say nothing. */
  readonly screen?: readonly ScreenRule[];
  /** What the screen alone tells while it asks for something, or while someone waits for a text to be taken. */
  readonly shown?: (screen: string, notes: Notes) => Seen;
}

/** Whom something is said to. */
export interface Target {
  readonly kind: Kind;
  readonly nativeId: string | null;
  readonly notes: Notes;
}

/** Bytes for the agent's input. `onScreen`, the source of a pattern, must be seen before they may be sent. */
export interface Keystroke {
  readonly bytes: string;
  readonly onScreen?: string;
}

export interface Keystrokes extends Keystroke {
  /** Each once the agent had a moment for those before it, and shows what this one needs. */
  readonly more?: readonly (string | Keystroke)[];
}

/** What to write for each thing a person can say; undefined where this agent or request does not offer it. */
export interface Controls {
  /** Undefined: the text as the host types it. */
  say(to: Target, text: string): Keystrokes | undefined;
  approve(to: Target, request: Waiting): Keystrokes | undefined;
  /** The agent's own choice to ask no more for calls like this one; its screen says whether this dialog has it. */
  approveAlways?(to: Target, request: Waiting): Keystrokes | undefined;
  /** Throws a coded error for a reason that its dialog has no place for: none is dropped in silence. */
  deny(to: Target, request: Waiting, reason: string | null): Keystrokes | undefined;
  /** Throws a coded error for a choice that the request does not offer. */
  answer(to: Target, request: Waiting, choice: string): Keystrokes | undefined;
  interrupt(to: Target): Keystrokes | undefined;
  /** A polite stop before any signal. */
  stop(to: Target): Keystrokes | undefined;
  /** Keys that empty its prompt box; undefined where the screen shows it empty, or shows none. */
  emptyBox?(screen: string): string | undefined;
}
