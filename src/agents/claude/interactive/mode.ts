import type { Mode } from "../../agent.ts";
import { CONVERSING } from "../../capabilities.ts";
import type { LaunchPlan, LaunchRequest } from "../../launch.ts";
import { bringsSettings, configOf, planClaude } from "../launch.ts";
import type { ClaudeMemory } from "../memory.ts";
import { parseTranscript } from "../transcript/transcript.ts";
import { controls } from "./controls.ts";
import { parseHook } from "./hook.ts";
import { parseLiveFile } from "./live-file.ts";
import { parseReport } from "./report.ts";
import { SCREEN_RULES } from "./screen.ts";

/** Claude Code in a terminal. */
export const interactive: Mode<ClaudeMemory> = {
  name: "interactive",
  kind: "interactive",
  host: "pty",
  capabilities: { ...CONVERSING, endsTurnsInTranscript: true },
  plan,
  trust: ["terminal", "file", "hook", "screen"],
  sources: {
    terminal: { report: parseReport },
    file: { parse: parseLiveFile },
    hook: { parse: parseHook },
    transcript: { parse: parseTranscript },
    screen: { rules: SCREEN_RULES },
  },
  controls,
};

const EVENTS = ["SessionStart", "PermissionRequest", "SessionEnd"];

const WITHOUT_HOOKS =
  "It was started with settings of its own, in place of Rollcall's: what it asks for is told without the input of the tool.";

function plan(request: LaunchRequest): LaunchPlan {
  const config = configOf(request);
  return {
    ...planClaude(request, { options: [], events: EVENTS }),
    env: reportingEnv(request.env),
    ...(config === undefined ? {} : { liveFiles: `${config}/sessions` }),
    ...(bringsSettings(request.args) ? { notice: WITHOUT_HOOKS } : {}),
  };
}

/** Without titles there are no reports either. */
function reportingEnv({
  CLAUDE_CODE_DISABLE_TERMINAL_TITLE: off,
}: LaunchRequest["env"]): Record<string, string> {
  return off === undefined ? {} : { CLAUDE_CODE_DISABLE_TERMINAL_TITLE: "" };
}
