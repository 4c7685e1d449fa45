import { acpMode } from "../../acp/mode.ts";
import { programEnv } from "../launch.ts";

/** The program as an agent that speaks the Agent Client Protocol. */
export const acp = acpMode({
  command: ({ node, programs }) => [node, programs.scripted, "--acp"],
  env: programEnv,
});
