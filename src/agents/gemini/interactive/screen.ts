import type { ScreenRule } from "../../../domain/screen/screen-rules.ts";

/** Before its first prompt only the screen tells what stands there. */
export const SCREEN_RULES: readonly ScreenRule[] = [
  {
    name: "trust_dialog",
    says: "waiting",
    for: "trust",
    pattern: "^ │ Do you trust the files in this folder\\? *│$[\\s\\S]*?^ │ . 1\\. Trust folder",
    not: "Gemini CLI is restarting",
  },
  {
    name: "key_dialog",
    says: "waiting",
    for: "login",
    pattern: "Enter Gemini API Key",
  },
  {
    name: "login_dialog",
    says: "waiting",
    for: "login",
    pattern: "How would you like to authenticate for this project\\?",
  },
  {
    name: "prompt_box",
    says: "ready",
    // The prompt begins with a star where tools run unasked. It is drawn for a moment before the dialog about the folder.
    pattern: "^ [>*]   Type your message or @path/to/file",
    quiet: true,
  },
];
