import type { ScreenRule } from "../../../domain/screen/screen-rules.ts";

/** Its prompt box begins at the edge; choices of dialogs do not. */
const PROMPT = "^❯";

/** From the first line of a dialog on, so that the excerpt has its question. */
const DIALOG = "^ *[^\\s─❯][^\\n]*$[\\s\\S]*";

/** Before its first prompt it reports nothing: only the screen shows these. */
export const SCREEN_RULES: readonly ScreenRule[] = [
  {
    name: "trust_dialog",
    says: "waiting",
    for: "trust",
    pattern: `${DIALOG}Yes, I trust this folder$`,
    not: PROMPT,
  },
  {
    name: "key_dialog",
    says: "waiting",
    for: "login",
    pattern: `${DIALOG}Do you want to use this API key\\?$`,
    not: PROMPT,
  },
  {
    name: "login_dialog",
    says: "waiting",
    for: "login",
    pattern: `${DIALOG}Select login method:$`,
    not: PROMPT,
  },
  // Bypassed permissions, servers and settings of the project, and anything else that a release may ask.
  {
    name: "first_dialog",
    says: "waiting",
    for: "dialog",
    pattern: `${DIALOG}(?:Enter to (?:confirm|select|continue)|Press Enter to continue)`,
    not: PROMPT,
  },
  // For a session that reports nothing at all.
  {
    name: "prompt_box",
    says: "ready",
    pattern: "^─+$\\n❯",
    not: "esc to interrupt",
    quiet: true,
  },
];
