import type { Agent } from "../agent.ts";
import { acp } from "./acp/mode.ts";
import { autonomous } from "./autonomous/mode.ts";
import { http } from "./http/mode.ts";
import { interactive } from "./interactive/mode.ts";

/** Rollcall's own agent, which does what its prompt says: for demonstrations and tests. */
export const scripted: Agent = {
  type: "scripted",
  testedVersion: null,
  modes: [interactive, autonomous, http, acp],
};
