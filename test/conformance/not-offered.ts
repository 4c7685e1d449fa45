import { CAPTURED } from "./captured.ts";
import type { Kind } from "./moments.ts";
import type { ProgramName } from "./programs.ts";

export const PROGRAMS: readonly ProgramName[] = ["claude", "codex", "gemini", "opencode"];
/** Those that ask whether a folder is to be trusted. */
export const ASKING_FOR_TRUST: readonly ProgramName[] = ["claude", "codex", "gemini"];
/** Those that keep each conversation in files of its own. */
export const WITH_FILES = ["claude", "codex", "gemini"] as const satisfies readonly ProgramName[];
export type WithFiles = (typeof WITH_FILES)[number];
export const KINDS: readonly Kind[] = ["interactive", "autonomous"];

const ASKS_NOBODY =
  'it asks nobody without a terminal: a tool that needs a permission is not offered to the model (`Tool "run_shell_command" not found`)';
const HEARS_NOTHING = "without a terminal it hears nothing while it works; `rollcall end` ends it";

const GEMINI_ALONE = [
  ...["start to ready", "ended by us before the first turn"].map(
    (row) => [row, "it reads its only text at its start, and leaves with 42 without one"] as const,
  ),
  ...[
    ...["permission asked and approved at once after typing", "permission denied"],
    ...["permission answered too late", "two permissions, one after the other"],
    ...["permission left open for 90 s", "interrupted at a permission", "ended by us at a request"],
    "approve --always lets the same command run again without asking",
    ...["question asked and answered", "question interrupted"],
  ].map((row) => [row, ASKS_NOBODY] as const),
  ["interrupted in mid-turn", HEARS_NOTHING, CAPTURED.midTurn],
  ["interrupted during a tool", HEARS_NOTHING, CAPTURED.tool],
] as const;

const GEMINI = [
  ["fork", "it has no fork: no option, no command and no method of its protocol makes one", CAPTURED.fork],
  ["history imported, and forked with a text", "it has no fork", CAPTURED.fork],
  [
    "connection cut once",
    "it does not ask again for an answer that was cut in its middle (`[API Error: terminated]`)",
  ],
  [
    "a new conversation begun in the program",
    "nothing names the file of the conversation that follows `/clear`",
  ],
  ["a turn without a change of state", "nothing names the file of the conversation that follows `/clear`"],
  [
    "resume while a process outside Rollcall holds it",
    "it keeps no file open and takes no lock: nothing shows who has a conversation open",
  ],
  ["key dialog", "a key in the environment is not asked about; a missing one has a row of its own"],
] as const;

/** Over the Agent Client Protocol. */
const ACP = [
  ["gemini", "fork", "it has no fork", CAPTURED.forkCall],
  [
    "gemini",
    "connection cut once",
    'it does not ask again for an answer that was cut in its middle (`"code":500,"message":"terminated"`)',
  ],
  ...PROGRAMS.flatMap((program) => [
    [
      program,
      "trust dialog",
      "the protocol has no request for it: in a folder that is not trusted it comes to its prompt; that has a row of its own",
      CAPTURED.trust(program),
    ] as const,
    [
      program,
      "leaves by itself",
      "it has no command to leave: it stays until its input ends",
      CAPTURED.leaving(program),
    ] as const,
    [program, "terminal of attach closed", "it has no terminal", CAPTURED.terminal] as const,
  ]),
] as const;

/** What a program or a kind does not offer, and why. Part of the scorecard. */
export const NOT_OFFERED: readonly {
  readonly row: string;
  readonly program: ProgramName;
  readonly kind: Kind;
  readonly why: string;
  /** The program's own words or deeds that show it, which a row of their own has seen. */
  readonly captured?: string;
}[] = [
  ...KINDS.map((kind) => ({
    row: "trust dialog",
    program: "opencode" as const,
    kind,
    why: "it asks nobody whether a folder is to be trusted, with or without settings of its own in it",
    captured: CAPTURED.folder,
  })),
  ...KINDS.map((kind) => ({
    row: "resume while a process outside Rollcall holds it",
    program: "opencode" as const,
    kind,
    why: "any number of its processes have the same database open, and none shows which conversation it is in",
  })),
  ...KINDS.flatMap((kind) =>
    [
      "resume after the agent deleted its files",
      "imported session resumed after the agent deleted its files",
    ].map((row) => ({
      row,
      program: "opencode" as const,
      kind,
      why: "all its conversations are in one database, of which no copies are kept",
    })),
  ),
  ...KINDS.map((kind) => ({
    row: "totals of the agent itself, resumed and forked",
    program: "opencode" as const,
    kind,
    why: "no totals of its own are read",
  })),
  {
    row: "what a person takes back is left out, and stays billed",
    program: "opencode",
    kind: "interactive",
    why: "known gap: what its `/undo` takes back stays in the record, billed and unmarked; OpenCode removes the rows with the next text, so that a later import has neither",
  },
  ...KINDS.map((kind) => ({
    row: "sub-agent in the background",
    program: "opencode" as const,
    kind,
    why: "its helpers work inside the turn that called them",
  })),
  {
    row: "interrupted while a text waits",
    program: "opencode",
    kind: "interactive",
    why: "an interrupt leaves the waiting text in the conversation, unanswered, until the next one is given",
  },
  {
    row: "key dialog",
    program: "opencode",
    kind: "interactive",
    why: "a provider of one's own has its key in the settings, and is not asked about",
  },
  ...ASKING_FOR_TRUST.map((program) => ({
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
  ...GEMINI_ALONE.map(([row, why, captured]) => ({
    row,
    program: "gemini" as const,
    kind: "autonomous" as const,
    why,
    ...seen(captured),
  })),
  ...ACP.map(([program, row, why, captured]) => ({
    row,
    program,
    kind: "acp" as const,
    why,
    ...seen(captured),
  })),
  ...GEMINI.flatMap(([row, why, captured]) =>
    KINDS.map((kind) => ({ row, program: "gemini" as const, kind, why, ...seen(captured) })),
  ),
];

function seen(captured: string | undefined): { readonly captured?: string } {
  return captured === undefined ? {} : { captured };
}
