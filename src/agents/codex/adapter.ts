import type { Agent } from "../agent.ts";
import { acp } from "./acp/mode.ts";
import { autonomous } from "./autonomous/mode.ts";
import { history } from "./history.ts";
import { lockOf, sockets } from "./home.ts";
import { interactive } from "./interactive/mode.ts";
import { outside } from "./outside.ts";
import { subagents } from "./subagents/subagents.ts";

/** OpenAI's Codex: at a terminal, or by its app server. */
export const codex: Agent = {
  type: "codex",
  testedVersion: "0.166.0",
  modes: [interactive, autonomous, acp],
  sockets,
  lockOf,
  outside,
  history,
  subagents,
};
