import type { Mode } from "../../agent.ts";
import { CONVERSING } from "../../capabilities.ts";
import { CHAT_FILE, parseChat } from "../chat/chat.ts";
import { planGemini } from "../launch.ts";
import type { GeminiMemory } from "../memory.ts";
import { controls } from "./controls.ts";
import { SCREEN_RULES } from "./screen.ts";
import { parseShown } from "./shown.ts";
import { parseTitle } from "./title.ts";

/** Gemini CLI in a terminal. It cannot fork a conversation. */
export const interactive: Mode<GeminiMemory> = {
  name: "interactive",
  kind: "interactive",
  host: "pty",
  capabilities: { ...CONVERSING, endsTurnsInTranscript: true, canFork: false },
  plan: (request) => planGemini(request, []),
  trust: ["terminal", "transcript", "screen"],
  sources: {
    terminal: { title: parseTitle },
    transcript: { parse: parseChat, ...CHAT_FILE },
    screen: { rules: SCREEN_RULES, shown: parseShown },
  },
  controls,
};
