import type { Limit } from "../limits/limit.ts";
import type { Instant } from "../time.ts";
import type { Ending, LastTurn } from "./outcome.ts";
import type { Waiting } from "./session.ts";
import type { LiveState } from "./state.ts";

/** The host of the agent's process: a terminal, plain pipes, or pipes for the Agent Client Protocol alone. */
export const HOSTS = ["pty", "pipe", "acp"] as const;
export type HostName = (typeof HOSTS)[number];

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
  /** The words of the command line: the whole command, or more arguments for an agent. */
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

/** The fields of a session whose process Rollcall carries. Durable: a daemon that comes back knows no more than this. */
export interface Carried {
  readonly launch: Launch;
  /** The facts that the outcome will depend on, decided when the end began. */
  readonly ending: Ending | null;
  /** Why it is being ended, where nobody asked. */
  readonly endReason: string | null;
  readonly lastTurn: LastTurn;
  readonly pausedFrom: { readonly state: LiveState; readonly waiting: Waiting | null } | null;
  readonly isPromptGiven: boolean;
  /** When each limit was told of last. */
  readonly neared?: Readonly<Record<string, Instant>>;
  /** Models without a price that were told of: a budget of money does not count them. */
  readonly uncounted?: readonly string[];
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
