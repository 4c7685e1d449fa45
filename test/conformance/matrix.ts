import { beforeEach, describe, test } from "vitest";
import type { Kind } from "./moments.ts";
import { KINDS, NOT_OFFERED, PROGRAMS } from "./not-offered.ts";
import type { ProgramName } from "./programs.ts";

/** Which program, driven how. */
export interface Subject<P extends ProgramName = ProgramName> {
  readonly program: P;
  readonly kind: Kind;
}

/** The same rows for each program and kind that has them. */
export function matrix<P extends ProgramName = ProgramName>(
  rows: (subject: Subject<P>) => void,
  { programs = PROGRAMS as readonly P[], kinds = KINDS }: Subjects<P> = {},
): void {
  const only = process.env.ROLLCALL_CONFORMANCE_AGENT;
  for (const program of programs)
    for (const kind of kinds)
      describe.skipIf(only !== undefined && program !== only)(`${program} ${kind}`, () => {
        beforeEach(({ task, skip }) => {
          if (!isFull && !isInShortRun({ program, kind }, task.name)) skip("left to the full form");
          skipNotOffered({ program, kind }, task.name, skip);
        });
        rows({ program, kind });
      });
}

/** A row that a program does not offer stands in the scorecard with the reason. */
function skipNotOffered({ program, kind }: Subject, row: string, skip: (why: string) => void): void {
  const cell = NOT_OFFERED.find((one) => one.program === program && one.kind === kind && one.row === row);
  if (cell) skip(cell.why);
}

interface Subjects<P extends ProgramName> {
  readonly programs?: readonly P[];
  readonly kinds?: readonly Kind[];
}

const isFull = process.env.ROLLCALL_CONFORMANCE === "full";

const SLOW_ROWS = new Set<string>();

/** The only rows that the short form has of a program. Of one that is not named here it has all that are not slow. */
const SHORT_ROWS: Partial<Readonly<Record<ProgramName, readonly string[]>>> = {
  gemini: ["start to ready", "missing key", "permission asked and approved at once after typing"],
  opencode: ["start to ready", "missing key", "permission asked and approved at once after typing"],
};

/** And of any that is driven over the Agent Client Protocol. */
const SHORT_ACP_ROWS: readonly string[] = [
  "permission asked, approved and denied",
  "usage and cost of each request",
];

/** Whether the short form has this row. */
export function isInShortRun({ program, kind }: Subject, row: string): boolean {
  const only = kind === "acp" ? SHORT_ACP_ROWS : SHORT_ROWS[program];
  return !SLOW_ROWS.has(row) && (only?.includes(row) ?? true);
}

/** A row that takes its time by nature is left to the full run. One that starts many programs needs a limit of its own. */
export function slowTest(row: string, run: () => Promise<void>, limitMs?: number): void {
  SLOW_ROWS.add(row);
  test.runIf(isFull)(row, limitMs === undefined ? {} : { timeout: limitMs }, run);
}

/** What a session passes while its program comes up, in this order. */
export const COMING_UP = ["starting", "resuming", "running"];
/** And an autonomous one on its way to its end, once its turn is over. It never shows a prompt. */
export const TO_THE_END = ["stopping"];

/** And on its way into its first turn, which one that waits for its person begins at its prompt. */
export function toATurn(kind: Kind): readonly string[] {
  return kind === "autonomous" ? COMING_UP : ["running"];
}

/** The state of an autonomous session after a failed turn: its program leaves, and the exit code differs by program. */
export function failedAlone(program: ProgramName): "stopped" | "failed" {
  return program === "codex" || program === "opencode" ? "stopped" : "failed";
}
