import type { Kind } from "./moments.ts";
import type { ProgramName } from "./programs.ts";

export const PROGRAMS: readonly ProgramName[] = ["claude", "codex"];
export const KINDS: readonly Kind[] = ["interactive", "autonomous"];

/** What a program or a kind does not offer, and why. Part of the scorecard. */
export const NOT_OFFERED: readonly {
  readonly row: string;
  readonly program: ProgramName;
  readonly kind: Kind;
  readonly why: string;
}[] = [
  ...PROGRAMS.map((program) => ({
    row: "trust dialog",
    program,
    kind: "autonomous" as const,
    why: "it asks nobody about the folder where it has no terminal",
  })),
  ...PROGRAMS.flatMap((program) =>
    ["terminal of attach closed", "typing by a person without a turn"].map((row) => ({
      row,
      program,
      kind: "autonomous" as const,
      why: "it has no terminal",
    })),
  ),
  ...KINDS.map((kind) => ({
    row: "question asked and answered",
    program: "codex" as const,
    kind,
    why: "it asks questions only in its Plan mode, which its user switches on; that has a row of its own",
  })),
  ...KINDS.map((kind) => ({
    row: "sub-agent in the background",
    program: "codex" as const,
    kind,
    why: "its helpers work inside the turn that called them",
  })),
  {
    row: "key dialog",
    program: "codex",
    kind: "interactive",
    why: "a provider of one's own has its key in the environment, and is not asked about",
  },
];
