import type { HostName } from "../domain/carried.ts";
import type { NewEntry } from "../domain/entry.ts";
import type { JsonObject } from "../domain/json.ts";
import type { ScreenRule } from "../domain/screen-rules.ts";
import type { AgentType, Kind, Waiting } from "../domain/session.ts";
import type { Signal, TrustOrder } from "../domain/signal.ts";
import type { UsageEntry } from "../domain/usage.ts";

/**
 * All that Rollcall knows of one agent: how to launch it, how to understand what it says, how to answer it. Pure:
 * it plans and parses, and others read, write and signal. Differences between agents are facts here, never tests
 * for a name elsewhere.
 */
export interface Agent {
  readonly type: AgentType;
  readonly capabilities: Capabilities;
  /** Throws a coded error where the request cannot be met. */
  plan(request: LaunchRequest): LaunchPlan;
  /** The sources of its state, the declared authority first. */
  trust(kind: Kind): TrustOrder;
  readonly observe: Observe;
  readonly controls: Controls;
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
  readonly canResume: boolean;
  readonly canFork: boolean;
  readonly canInterrupt: boolean;
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
}

/** What one piece of an agent's output, transcript or hooks tells. */
export interface Seen {
  readonly signal?: Signal;
  readonly entries?: readonly NewEntry[];
  readonly usage?: readonly UsageEntry[];
  readonly identity?: { readonly nativeId?: string; readonly model?: string; readonly agentVersion?: string };
}

/** Parsers of the sources that this agent has. Each is total: what it does not understand tells nothing. */
export interface Observe {
  /** OSC 7501, as key and value; `msg` and `title` are base64. */
  readonly report?: (fields: Readonly<Record<string, string>>) => Seen;
  readonly title?: (title: string) => Seen;
  /** One line of standard output of an autonomous session. */
  readonly stream?: (line: string) => Seen;
  readonly hook?: (event: string, payload: JsonObject) => Seen;
  /** One line of the transcript. */
  readonly transcript?: (line: string) => Seen;
  readonly screen?: readonly ScreenRule[];
}

/** Bytes for the agent's input. `onScreen` must be seen before they may be sent. */
export interface Keystrokes {
  readonly bytes: string;
  /** The source of a pattern. */
  readonly onScreen?: string;
}

/** What to write for each thing a person can say; undefined where this agent or request does not offer it. */
export interface Controls {
  /** Undefined: the text as the host types it. */
  say(kind: Kind, text: string): Keystrokes | undefined;
  approve(kind: Kind, request: Waiting): Keystrokes | undefined;
  deny(kind: Kind, request: Waiting, reason: string | null): Keystrokes | undefined;
  /** Throws a coded error for a choice that the request does not offer. */
  answer(kind: Kind, request: Waiting, choice: string): Keystrokes | undefined;
  interrupt(kind: Kind): Keystrokes | undefined;
  /** A polite stop before any signal. */
  stop(kind: Kind): Keystrokes | undefined;
}
