import type { Agent } from "../agent.ts";
import { acp } from "./acp/mode.ts";
import { autonomous } from "./autonomous/mode.ts";
import { history } from "./history.ts";
import { hooks } from "./hooks/hooks.ts";
import { interactive } from "./interactive/mode.ts";
import { outside } from "./outside.ts";
import { subagents } from "./subagents/subagents.ts";

/** Claude Code. */
export const claude: Agent = {
  type: "claude",
  testedVersion: "2.1.325",
  modes: [interactive, autonomous, acp],
  outside,
  subagents,
  history,
  hooks,
};
