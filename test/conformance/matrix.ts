import { describe, test } from "vitest";
import type { Kind } from "./moments.ts";
import { KINDS, PROGRAMS } from "./not-offered.ts";
import type { ProgramName } from "./programs.ts";

/** Which program, driven how. */
export interface Subject {
  readonly program: ProgramName;
  readonly kind: Kind;
}

/** The same rows for each program and kind that has them. */
export function matrix(
  rows: (subject: Subject) => void,
  { programs = PROGRAMS, kinds = KINDS }: { programs?: readonly ProgramName[]; kinds?: readonly Kind[] } = {},
): void {
  const only = process.env.ROLLCALL_CONFORMANCE_AGENT;
  for (const program of programs)
    for (const kind of kinds)
      describe.skipIf(only !== undefined && program !== only)(`${program} ${kind}`, () =>
        rows({ program, kind }),
      );
}

export const SLOW_ROWS = new Set<string>();

/** A row that takes its time by nature is left to the full run. */
export function slowTest(row: string, run: () => Promise<void>): void {
  SLOW_ROWS.add(row);
  test.runIf(process.env.ROLLCALL_CONFORMANCE === "full")(row, run);
}

/** What a session passes while its program comes up, in this order. */
export const COMING_UP = ["starting", "resuming", "running"];
/** And an autonomous one on its way to its end, once its turn is over. It never shows a prompt. */
export const TO_THE_END = ["stopping"];

/** And on its way into its first turn, which an interactive one begins at its prompt. */
export function toATurn(kind: Kind): readonly string[] {
  return kind === "interactive" ? ["running"] : COMING_UP;
}
