import type { Agent } from "../agent.ts";
import { autonomous } from "./autonomous/mode.ts";
import { lockOf, sockets } from "./home.ts";
import { interactive } from "./interactive/mode.ts";
import { outside } from "./outside.ts";

/** OpenAI's Codex: at a terminal, or by its app server. */
export const codex: Agent = {
  type: "codex",
  testedVersion: "0.166.0",
  modes: [interactive, autonomous],
  sockets,
  lockOf,
  outside,
};
