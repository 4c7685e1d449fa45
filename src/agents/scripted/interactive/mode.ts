import type { Mode } from "../../agent.ts";
import { CONVERSING } from "../../capabilities.ts";
import { parseHook } from "../hook.ts";
import { planProgram } from "../launch.ts";
import { controls } from "./controls.ts";
import { parseReport } from "./report.ts";
import { SCREEN_RULES } from "./screen.ts";
import { parseTranscript } from "./transcript.ts";

/** The program in a terminal, with dialogs and reports of its state. */
export const interactive: Mode = {
  name: "interactive",
  kind: "interactive",
  host: "pty",
  capabilities: { ...CONVERSING, endsTurnsInTranscript: true },
  plan: (request) => planProgram(request, []),
  trust: ["terminal", "hook", "screen"],
  sources: {
    terminal: { report: parseReport },
    hook: { parse: parseHook },
    transcript: { parse: parseTranscript },
    screen: { rules: SCREEN_RULES },
  },
  controls,
};
