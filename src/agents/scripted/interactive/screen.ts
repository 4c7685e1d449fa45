import type { ScreenRule } from "../../../domain/screen/screen-rules.ts";

/** Its prompt box, idle or working. */
const PROMPT = "^(working)?>";

/** Before its first prompt the program reports nothing: only the screen shows these. */
export const SCREEN_RULES: readonly ScreenRule[] = [
  {
    name: "trust_dialog",
    says: "waiting",
    for: "trust",
    pattern: "Trust this folder\\? \\[y\\] yes",
    not: PROMPT,
  },
  {
    name: "login_dialog",
    says: "waiting",
    for: "login",
    pattern: "Log in: paste your code",
    not: PROMPT,
  },
];
