import type { JsonObject } from "../domain/json.ts";
import type { HostName } from "../domain/session/carried.ts";
import type { AgentType, Kind } from "../domain/session/session.ts";
import type { TrustOrder } from "../domain/supervise/signal.ts";
import type { Controls } from "./deed.ts";
import type { History } from "./history.ts";
import type { AgentHooks } from "./hooks.ts";
import type { LaunchPlan, LaunchRequest } from "./launch.ts";
import type { Memory, TurnOver } from "./parsed.ts";
import type { Sources } from "./sources.ts";
import type { Subagents } from "./subagents.ts";

/**
 * All that Rollcall knows of one agent: its facts, and one mode for each way to drive it. Pure: it plans and parses, and
 * others read, write and signal. Differences between agents are facts here, never tests for a name elsewhere.
 */
export interface Agent {
  readonly type: AgentType;
  /** The release that conformance was measured on; null for programs of any kind and for our own. */
  readonly testedVersion: string | null;
  /** The first mode of a kind is its default. */
  readonly modes: readonly Mode[];
  /** Sockets that change how it has to be launched if someone answers there. */
  sockets?(env: LaunchRequest["env"]): readonly string[];
  /** A file that every process in a conversation has open for writing: two of them would mix their words. */
  lockOf?(env: LaunchRequest["env"], nativeId: string): string | undefined;
  readonly outside?: Outside;
  /** The files of its sub-agents and their parser; without it, sub-agents are not observed. */
  readonly subagents?: Subagents;
  /** Conversations that it keeps on disk by itself, and that can be imported. */
  readonly history?: History;
  /** Hooks of ours that its own settings take; a line of `hook-registry.ts` names them, too. */
  readonly hooks?: AgentHooks;
}

/** One way to drive an agent: how to launch it, how to understand it, how to answer it. */
export interface Mode<M extends Memory = Memory> {
  /** Unique among the modes of its agent. Kept with each launch, so that a later daemon finds the same mode. */
  readonly name: string;
  readonly kind: Kind;
  readonly host: HostName;
  readonly capabilities: Capabilities;
  /** Whether these arguments ask for this mode instead of the default of its kind. */
  isAskedFor?(args: readonly string[]): boolean;
  /** Throws a coded error where the request cannot be met. */
  plan(request: LaunchRequest): LaunchPlan;
  /** Whether a living agent has said that its conversation can be forked; for programs of which that is not known before. */
  offersFork?(memory: M): boolean;
  /** The sources of its state, the declared authority first. */
  readonly trust: TrustOrder;
  readonly sources: Sources<M>;
  readonly controls: Controls<M>;
}

/** Abilities beyond running; each flag opens a verb or settles a question of the daemon. */
export interface Capabilities {
  /** Whether it says when a turn begins and ends; a plain command does not, and its exit code says all there is. */
  readonly tellsTurns: boolean;
  /** Whether it counts as running as soon as it was executed. */
  readonly isReadyAtExec: boolean;
  /** Whether it accepts input in mid-turn and keeps it for later. */
  readonly queuesInput: boolean;
  /** Whether its state or transcript shows that it accepted an input; else written is delivered. */
  readonly confirmsInput: boolean;
  /** Whether its transcript says where a turn is over (`isTurnRead`). */
  readonly endsTurnsInTranscript: boolean;
  readonly canResume: boolean;
  readonly canFork: boolean;
  /** Whether its output itself is the transcript. */
  readonly outputIsTranscript: boolean;
}

/** How sessions of this agent are found that someone started without Rollcall. */
export interface Outside<M extends Memory = Memory> {
  /** The memory of its parsers for a session that may be old, and whose start nobody saw. */
  readonly memory?: Partial<M>;
  readonly sources: Pick<Sources<M>, "file" | "hook" | "transcript">;
  readonly trust: TrustOrder;
  /**
   * How the open turn went, of a session that shows itself to be at its prompt and whose transcript does not say that
   * the turn is over; undefined where nothing that was read says so.
   */
  turnAtRest?(memory: M): TurnOver | undefined;
  /** The folders in which such sessions leave files, for this environment; with `rows`, that of the database. */
  places(env: Readonly<Record<string, string | undefined>>): {
    readonly liveFiles: string | null;
    readonly transcripts: string;
  };
  /** The path of a session's transcript, unless it began in another folder. */
  transcriptOf?(
    env: Readonly<Record<string, string | undefined>>,
    identity: OutsideIdentity,
  ): string | undefined;
  /** For agents that keep their history in a database: how it shows which conversations grow. */
  readonly rows?: OutsideRows;
  /** The session of a live file; undefined where it belongs to none. */
  ofFile?(content: JsonObject): OutsideIdentity | undefined;
  /** The session of a transcript, by its name and a line of it; undefined where that line does not say. */
  ofTranscript(name: string, line: string): OutsideIdentity | undefined;
  /** For an agent that makes files in which nothing is ever said: whether this line says something. */
  isWord?(line: string): boolean;
  /** It may write into a conversation long after it has ended, such as what it was about: that alone shows no session. */
  readonly writesAfterEnd?: true;
  /** The session of a hook. */
  ofHook?(payload: JsonObject): OutsideIdentity | undefined;
}

export interface OutsideRows {
  /**
   * Selects conversations that may have grown, each with its `id`, its folder as `cwd`, and `newest`, the time of its
   * newest message. Others may be left out, so that a look takes no longer in a database of years.
   */
  readonly conversations: string;
  /** Whether a process with this command line may work in any folder, and not only in its own. */
  worksAnywhere(command: readonly string[]): boolean;
}

export interface OutsideIdentity {
  readonly nativeId: string;
  readonly kind: Kind;
  readonly cwd: string | null;
  /** Its process, where it says so. */
  readonly pid: number | null;
  /** When that process was started, in clock ticks since boot. */
  readonly startTime?: string;
  readonly transcript?: string;
}

/** The mode for a launch of this kind; undefined where the agent has none. */
export function findMode(agent: Agent, kind: Kind, args: readonly string[]): Mode | undefined {
  const modes = agent.modes.filter((mode) => mode.kind === kind);
  return modes.find((mode) => mode.isAskedFor?.(args)) ?? modes[0];
}

/** The mode of a launch that was made before; undefined where this release has it no more. */
export function findModeByName(agent: Agent, name: string): Mode | undefined {
  return agent.modes.find((mode) => mode.name === name);
}
