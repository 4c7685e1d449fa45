/** A file of an agent's history as text: whole lines, and the beginning of a line that is still being written. */
export interface HistoryFile {
  /** Under the agent's own folder. */
  readonly path: string;
  readonly agent: HistoryAgent;
  readonly lines: readonly string[];
  readonly partial?: string;
  readonly isZstd?: true;
}

export type HistoryAgent = "claude" | "codex" | "gemini";

/** One model request that was billed. The buckets are disjoint; the hour is a part of the cache writes, reasoning of the output. */
export interface RequestTruth {
  readonly model: string | null;
  readonly at: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
  readonly reasoning: number | null;
  readonly webSearches: number;
  readonly isFast: boolean;
  readonly reportedNanoUsd: number | null;
}

export interface SessionTruth<Agent extends string = HistoryAgent> {
  readonly agent: Agent;
  /** The agent's own name of it; a sub-agent of Claude Code is `agent-ID`. */
  readonly nativeId: string;
  readonly parent: string | null;
  readonly forkedFrom: string | null;
  /** All that were billed. */
  readonly turns: number;
  /** The texts that began those of them that nobody took back. */
  readonly visible: readonly string[];
  readonly requests: readonly RequestTruth[];
  /** Its file holds nothing of its own: there may be a session without usage, or none. */
  readonly isEmpty: boolean;
}

export interface HistoryTree {
  readonly seed: number;
  readonly files: readonly HistoryFile[];
  readonly sessions: readonly SessionTruth[];
  /** The traps that this tree has in it. */
  readonly traps: ReadonlySet<string>;
}

/** The sums that a session must show. */
export interface Sums {
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

export function sumOf(requests: readonly RequestTruth[]): Sums {
  const sum = (of: (request: RequestTruth) => number) =>
    requests.reduce((total, request) => total + of(request), 0);
  return {
    requests: requests.length,
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cacheRead: sum(({ cacheRead }) => cacheRead),
    cacheWrite: sum(({ cacheWrite }) => cacheWrite),
    reasoning: sum(({ reasoning }) => reasoning ?? 0),
  };
}

export function textOfFile({ lines, partial = "" }: HistoryFile): string {
  return lines.map((line) => `${line}\n`).join("") + partial;
}
