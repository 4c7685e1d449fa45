import { appendFileSync } from "node:fs";
import type { ProgramName } from "./programs.ts";

export type Kind = "interactive" | "autonomous" | "acp";

/** A moment of which it is known by construction what the program does, and what Rollcall said of it. */
export interface Moment {
  readonly program: ProgramName;
  readonly version: string;
  readonly kind: Kind;
  readonly row: string;
  /** Only the full run has it. */
  readonly isSlow: boolean;
  readonly moment: string;
  readonly expected: string;
  readonly got: string;
  readonly verdict: "right" | "wrong" | "unknown";
  /** Where the state was concluded from. */
  readonly source: string | null;
  /** From its cause until the state could be read; null where the cause has no time. */
  readonly latencyMs: number | null;
  /** Most of that time is the program's own, which comes up meanwhile. */
  readonly isComingUp: boolean;
}

/** Each in a line of its own: two test files write at the same time. */
export function noteMoment(moment: Moment): void {
  const file = process.env.ROLLCALL_CONFORMANCE_RESULTS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(moment)}\n`);
}
