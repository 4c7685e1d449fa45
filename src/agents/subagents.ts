import type { JsonObject } from "../domain/json.ts";
import type { Instant } from "../domain/time.ts";
import type { Memory, Parsed } from "./parsed.ts";

/**
 * The sub-agents of an agent. Each has a transcript of its own and is a child session: it has no process, and its
 * turns and requests are not those of its parent.
 */
export type Subagents<M extends Memory = Memory> = SubagentFiles<M> | SubagentRows<M>;

interface SubagentParser<M extends Memory> {
  /** The memory of the parser for the first line. */
  readonly memory: M;
  /** One line of its transcript. Signals are left out: the turns say when it works. */
  parse(line: string, memory: M): Parsed<M>;
}

/** Sub-agents that write files. */
export interface SubagentFiles<M extends Memory = Memory> extends SubagentParser<M> {
  /**
   * The folders in which sub-agents of the session with this transcript and native id write theirs, those below them
   * included.
   */
  folders(transcript: string, now: Date, nativeId: string | null): readonly string[];
  /** The sub-agent of a transcript, by its path and first line; undefined where it belongs to none. */
  identify(path: string, firstLine: string): Subagent | undefined;
  /** For agents that describe each sub-agent in a file beside its transcript. */
  readonly sidecar?: {
    pathOf(transcript: string): string;
    parse(content: JsonObject): SubagentNote;
  };
}

/** Sub-agents in the database that their agent keeps its history in (`History.database`). */
export interface SubagentRows<M extends Memory = Memory> extends SubagentParser<M> {
  /** Selects one row for each sub-agent of the conversation `$id`, at any depth, parents first. */
  readonly rows: string;
  /** The sub-agent of such a row. */
  ofRow(row: JsonObject): SubagentOfRow | undefined;
  readonly sidecar?: undefined;
}

export type SubagentOfRow = Omit<Subagent, "sessionNativeId">;

export interface Subagent extends SubagentNote {
  readonly nativeId: string;
  /** The conversation that it belongs to, at any depth. */
  readonly sessionNativeId: string;
  /** When it began, where its first line says so. */
  readonly beganAt?: Instant;
}

/** Facts about a sub-agent; those that nothing tells are left out. */
export interface SubagentNote {
  /** The sub-agent that started it; left out where the session itself did. */
  readonly parentNativeId?: string;
  /** The part that it plays, such as `Explore`. */
  readonly agentName?: string;
  /** Its task in a few words. */
  readonly purpose?: string;
  /** The call of the parent that started it. */
  readonly callId?: string;
  /** It is done with its task. */
  readonly isFinished?: boolean;
}
