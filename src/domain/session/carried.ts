import type { Instant } from "../time.ts";
import type { Ending, LastTurn } from "./outcome.ts";
import type { Waiting } from "./session.ts";
import type { LiveState } from "./state.ts";

/** What carries the agent's process: a terminal, or plain pipes. */
export const HOSTS = ["pty", "pipe"] as const;
export type HostName = (typeof HOSTS)[number];

export const LIMIT_KINDS = ["timeout", "idle_timeout"] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

/** So much of something a session may use; then it is ended. */
export interface Limit {
  readonly kind: LimitKind;
  readonly allowed: number;
  readonly unit: "ms";
}

/** How the process of a session was launched: enough to find it again and to launch it once more. */
export interface Launch {
  /** In the environment of every process of this launch, and of no other. */
  readonly marker: string;
  /** When it was asked for. */
  readonly at: Instant;
  readonly host: HostName;
  /** The mode of the agent that it was launched in. */
  readonly mode: string;
  readonly view: "tmux" | null;
  /** What was given on the command line: the whole command, or more arguments for an agent. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** The values travel with the request and are not kept. */
  readonly envNames: readonly string[];
  /** Whether a text waits to be given to the agent once it is ready. It is kept whole in the folder of the launch alone. */
  readonly hasPrompt: boolean;
  /** Whether the agent tells when a turn begins and ends. */
  readonly tellsTurns: boolean;
  /** Whether the input is closed as soon as the prompt is given. */
  readonly closesInput: boolean;
  readonly keepsChildren: boolean;
  readonly limits: readonly Limit[];
  /** Says on the screen of a plain command that it waits. */
  readonly waitPattern: string | null;
}

/** What only a session has whose process Rollcall carries. Durable: a daemon that comes back knows no more than this. */
export interface Carried {
  readonly launch: Launch;
  /** What the outcome will depend on, decided when the end began. */
  readonly ending: Ending | null;
  /** Why it is being ended, where nobody asked. */
  readonly endReason: string | null;
  readonly lastTurn: LastTurn;
  readonly pausedFrom: { readonly state: LiveState; readonly waiting: Waiting | null } | null;
  readonly isPromptGiven: boolean;
  /** When each limit was told of last. */
  readonly neared?: Readonly<Record<string, Instant>>;
  /** How many bytes of each stream are in the transcript. */
  readonly consumed: { readonly out: number; readonly err: number };
}

export function carry(launch: Launch): Carried {
  return {
    launch,
    ending: null,
    endReason: null,
    lastTurn: null,
    pausedFrom: null,
    isPromptGiven: false,
    consumed: { out: 0, err: 0 },
  };
}
