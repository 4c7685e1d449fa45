import type { AgentHooks } from "../../hooks.ts";
import { delegation } from "./delegation.ts";
import { examples } from "./examples.ts";
import { settings } from "./settings.ts";
import { stop } from "./stop.ts";

/** Claude Code's own hooks: those around its sub-agents, and those that report sessions outside Rollcall. */
export const hooks: AgentHooks = {
  settings,
  codecs: { "pre-delegate": delegation, "subagent-stop": stop },
  examples,
};
