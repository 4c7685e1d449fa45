import type { Agent } from "../agent.ts";
import { acp } from "./acp/mode.ts";
import { autonomous } from "./autonomous/mode.ts";
import { history } from "./history/history.ts";
import { subagents } from "./history/subagents.ts";
import { interactive } from "./interactive/mode.ts";
import { outside } from "./outside.ts";

/** OpenCode: at a terminal, its server alone, or over the Agent Client Protocol. */
export const opencode: Agent = {
  type: "opencode",
  testedVersion: "1.18.33",
  modes: [interactive, autonomous, acp],
  outside,
  history,
  subagents,
};
