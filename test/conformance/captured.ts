import type { ProgramName } from "./programs.ts";

// The words and deeds of the programs themselves, in place of what they do not offer. `not-offered.test.ts` sees each of
// them on the program, and the scorecard quotes them.

/** All options of Gemini CLI that are about conversations, without their dashes. */
export const CONVERSATION_OPTIONS: readonly string[] = [
  ...["resume", "session-file", "session-id", "list-sessions", "delete-session"],
];

/** The names of the capabilities in each program's answer to `initialize`. */
export const ACP_OFFERS: Readonly<Record<ProgramName, readonly string[]>> = {
  claude: [
    ...["_meta", "auth", "loadSession", "mcpCapabilities", "promptCapabilities", "providers"],
    "sessionCapabilities",
  ],
  codex: [
    ...["_meta", "auth", "loadSession", "mcpCapabilities", "promptCapabilities", "providers"],
    "sessionCapabilities",
  ],
  gemini: ["loadSession", "mcpCapabilities", "promptCapabilities"],
  opencode: ["loadSession", "mcpCapabilities", "promptCapabilities", "sessionCapabilities"],
};

/** The answer of Gemini CLI to a call of `session/fork`. */
export const METHOD_NOT_FOUND = '"Method not found": session/fork';

interface Answer {
  readonly words: string;
  /** Whether it went to its model as any other text. */
  readonly isAsked: boolean;
}

/** How each answers `/exit`. Its turn is over then, and its process stays until its input ends. */
export const ANSWERS_TO_EXIT: Readonly<Record<ProgramName, Answer>> = {
  claude: { words: "/exit isn't available in this environment.", isAsked: false },
  codex: { words: "ok", isAsked: true },
  gemini: { words: "ok", isAsked: true },
  opencode: { words: "", isAsked: false },
};

const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(", ");

export const CAPTURED = {
  fork: `all options of \`gemini --help\` for conversations: ${code(CONVERSATION_OPTIONS)}`,
  forkCall: `its answer to \`session/fork\`: \`${METHOD_NOT_FOUND}\``,
  midTurn: "a `SIGINT` in mid-turn: it says its answer to the end, and leaves with 0",
  tool: "a `SIGINT` during a tool: the tool goes on to its end, and it leaves with 0",
  folder:
    "a command that the `opencode.json` of a new folder allows runs unasked; `--help` has no word of trust",
  trust: (program: ProgramName) =>
    `\`initialize\` answers ${code(ACP_OFFERS[program])}; before it answers \`session/new\` it asks its client nothing`,
  leaving: (program: ProgramName) => {
    const { words, isAsked } = ANSWERS_TO_EXIT[program];
    const said = isAsked ? "goes to its model as a text" : words === "" ? "is dropped" : `gets \`${words}\``;
    return `\`/exit\` ${said}, \`end_turn\`; the process stays, and leaves with 0 at the end of its input`;
  },
  terminal: "its process has no terminal (`tty_nr` is 0), and `rollcall attach` is refused",
} as const;
