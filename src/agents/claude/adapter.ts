import type { Agent } from "../agent.ts";
import { autonomous } from "./autonomous/mode.ts";
import { hooks } from "./hooks/hooks.ts";
import { interactive } from "./interactive/mode.ts";
import { outside } from "./outside.ts";

/** Claude Code. */
export const claude: Agent = {
  type: "claude",
  testedVersion: "2.1.325",
  modes: [interactive, autonomous],
  outside,
  hooks,
};
