import type { ScreenRule } from "../../../domain/screen/screen-rules.ts";

/** Before its first prompt Codex reports nothing: only the screen shows these. */
export const SCREEN_RULES: readonly ScreenRule[] = [
  {
    name: "trust_dialog",
    says: "waiting",
    for: "trust",
    pattern: "^  Folder access\\n[^\\n]*\\n\\n?[^\\n]*Trust this folder\\?",
  },
  {
    name: "hooks_review",
    says: "waiting",
    for: "dialog",
    pattern: "^  Hooks need review\\n[^\\n]*",
    options: ["Review hooks", "Trust all and continue", "Continue without trusting"],
  },
  {
    name: "update_offered",
    says: "waiting",
    for: "dialog",
    pattern: "^  Update available · [^\\n]*",
    options: ["Update now", "Skip", "Skip until next version"],
  },
  {
    name: "shared_server_differs",
    says: "waiting",
    for: "dialog",
    pattern: "^  Background server has incompatible feature settings[^\\n]*",
    options: ["Run without daemon this time", "Restart with these settings", "Cancel"],
  },
  {
    name: "sign_in",
    says: "waiting",
    for: "login",
    pattern: "Welcome to Codex, OpenAI's command-line coding agent",
  },
];
