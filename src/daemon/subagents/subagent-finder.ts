import type { SubagentNote, SubagentOfRow } from "../../agents/subagents.ts";
import type { Tail, TailReader } from "../tails/tail.ts";

/** A sub-agent with the place of its transcript. */
export interface FoundSubagent {
  readonly path: string;
  readonly subagent: SubagentOfRow;
}

/** Finds the sub-agents of one session: in files, or in the database of its agent. */
export interface SubagentFinder {
  /** Those whose transcripts are not known yet. */
  find(isKnown: (path: string) => boolean): readonly FoundSubagent[];
  /** This one has no record, and is not to be found again. */
  leaveOut(path: string): void;
  tail(path: string, reader: TailReader): Tail;
  noteOf(path: string): SubagentNote;
  stop(): void;
}
