import { acpMode } from "../../acp/mode.ts";
import { isNamedFor, transcriptsFolder } from "../paths.ts";
import { parseTranscriptUsage } from "../transcript/transcript.ts";

/** Claude Code by its adapter for the Agent Client Protocol, which tells only when a turn is over what it has used. */
export const acp = acpMode({
  command: ["claude-agent-acp"],
  install: "Install it with `npm install -g @agentclientprotocol/claude-agent-acp`.",
  isAdapter: true,
  counting: {
    folder: transcriptsFolder,
    source: { parse: parseTranscriptUsage, isNamedFor },
    countsSubagents: true,
  },
});
