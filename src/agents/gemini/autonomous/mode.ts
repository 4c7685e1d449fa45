import { RollcallError } from "../../../domain/errors.ts";
import type { Mode } from "../../agent.ts";
import { CONVERSING } from "../../capabilities.ts";
import type { LaunchPlan, LaunchRequest } from "../../launch.ts";
import { CHAT_FILE, parseChatBeside } from "../chat/chat.ts";
import { planGemini } from "../launch.ts";
import type { GeminiMemory } from "../memory.ts";
import { controls } from "./controls.ts";
import { parseStream } from "./stream.ts";

/**
 * Gemini CLI on pipes: it reads one text to the end of its input, works on it and leaves. It asks nobody for a
 * permission: a tool that needs one is not offered to the model.
 */
export const autonomous: Mode<GeminiMemory> = {
  name: "autonomous",
  kind: "autonomous",
  host: "pipe",
  capabilities: {
    ...CONVERSING,
    isReadyAtExec: true,
    queuesInput: false,
    // It reads its text once it has come up: what was written is delivered.
    confirmsInput: false,
    canFork: false,
    endsTurnsInTranscript: false,
  },
  plan,
  trust: ["stream"],
  sources: {
    stream: { parse: parseStream },
    transcript: { parse: parseChatBeside, ...CHAT_FILE },
  },
  controls,
};

function plan(request: LaunchRequest): LaunchPlan {
  if (!request.hasPrompt)
    throw new RollcallError(
      "not_offered",
      "Gemini CLI without a terminal works on one text, and leaves without one.",
      { hint: "Give the text with it, or use `--kind interactive`." },
    );
  return planGemini(request, ["--output-format", "stream-json"]);
}
