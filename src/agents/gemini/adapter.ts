import type { Agent } from "../agent.ts";
import { acp } from "./acp/mode.ts";
import { autonomous } from "./autonomous/mode.ts";
import { history } from "./history.ts";
import { interactive } from "./interactive/mode.ts";
import { outside } from "./outside.ts";
import { subagents } from "./subagents.ts";

/** Google's Gemini CLI: at a terminal, on one text without one, or over the Agent Client Protocol. */
export const gemini: Agent = {
  type: "gemini",
  testedVersion: "0.61.0",
  modes: [interactive, autonomous, acp],
  outside,
  subagents,
  history,
};
